// Run here: edit the cells of a page in place and run them in a kernel of this server. Plain functions, no dependency.
// ---- small tools -----------------------------------------------------------------------------------------------------
const LIVE = window.MLCORE_LIVE;
const CHAPTER = (document.querySelector('meta[name="mlcore-notebook"]') || {}).content;      // book/<part>/<chapter>.ipynb

function el(tag, attrs = {}, ...kids) {
  const e = document.createElement(tag);
  for (const k in attrs) {
    if (k === "text") e.textContent = attrs[k];
    else if (k.startsWith("on")) e.addEventListener(k.slice(2), attrs[k]);
    else if (attrs[k] !== undefined && attrs[k] !== null && attrs[k] !== false) e.setAttribute(k, attrs[k] === true ? "" : attrs[k]);
  }
  e.append(...kids);
  return e;
}
function button(text, onclick, attrs = {}) { return el("button", { type: "button", class: "live-button", text, onclick, ...attrs }); }
function uid() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}
function pause(ms) { return new Promise((done) => setTimeout(done, ms)); }

class ServerError extends Error {
  constructor(message, status) { super(message); this.status = status; }
}
// A request to this server. The cookie says who asks; the token against cross-site requests is read from the other cookie.
async function ask(path, method = "GET", body = undefined, keepalive = false) {
  const xsrf = (document.cookie.match(/(?:^|; )_xsrf=([^;]*)/) || [])[1] || "";
  let answer;
  try {
    answer = await fetch(LIVE.base + path, { method, keepalive, headers: { "X-XSRFToken": xsrf, "Content-Type": "application/json" }, body: body && JSON.stringify(body) });
  } catch {
    throw new ServerError("the server cannot be reached; is it still running?", 0);
  }
  if (!answer.ok) {
    let words = answer.statusText;
    try { words = (await answer.json()).message || words; } catch { /* no explanation was sent */ }
    if (answer.status === 403 || answer.status === 401) words = "the server does not know this browser; open the address it printed when it started";
    throw new ServerError(words, answer.status);
  }
  return answer.status === 204 ? null : answer.json();
}
// A question in the page; resolves to true if the reader agrees.
function confirmed(words, yes) {
  return new Promise((done) => {
    const dialog = el("dialog", { class: "live-dialog", "aria-label": "Question" }, el("p", { text: words }));
    const close = (answer) => { dialog.close(); dialog.remove(); done(answer); };
    dialog.append(el("div", { class: "live-bar" }, button(yes, () => close(true)), button("Cancel", () => close(false), { autofocus: true })));
    dialog.addEventListener("cancel", () => close(false));
    document.body.append(dialog);
    dialog.showModal();
  });
}
