// ---- messages of the kernel -> the output of a cell, dressed as in the built page -----------------------------------------
const MOST_TEXT = 200000;                         // characters of one cell; what comes after is counted, not shown
const VIEW = "application/vnd.jupyter.widget-view+json";
const ANSI_COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

function ansi(text, into) {                       // colors of a terminal as spans
  let names = [];
  for (const part of text.split(/(\x1b\[[0-9;]*m)/)) {
    const code = part.match(/^\x1b\[([0-9;]*)m$/);
    if (!code) {
      const words = part.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "");
      if (words) into.append(names.length ? el("span", { class: names.join(" "), text: words }) : words);
      continue;
    }
    for (const n of code[1].split(";").map(Number)) {
      if (n === 0) names = [];
      else if (n === 1) names.push("ansi-bold");
      else if ((n >= 30 && n <= 37) || (n >= 90 && n <= 97)) names = [...names.filter((c) => c === "ansi-bold"), `ansi-${ANSI_COLORS[n % 10]}`];
      else if (n === 38 || n === 48) break;       // colors by number: the plain ones are enough
      else if (n === 39) names = names.filter((c) => c === "ansi-bold");
    }
  }
}
function overwritten(text) {                      // a carriage return starts the line again: progress bars
  return text.replace(/\r+\n/g, "\n").split("\n").map((l) => l.slice(0, -1).lastIndexOf("\r") < 0 ? l : l.slice(l.slice(0, -1).lastIndexOf("\r") + 1)).join("\n");
}
function textBlock(classes) {
  const pre = el("pre");
  return [el("div", { class: `output ${classes} notranslate` }, el("div", { class: "highlight" }, pre)), pre];
}

class Output {
  // judged(verdict): an exercise's check has spoken; its result says so beside its text, in the metadata of the message
  constructor(box, widgets, judged) {
    Object.assign(this, { box, widgets, judged });
    this.alts = Array.from(box.querySelectorAll("img"), (i) => i.alt);      // the book's descriptions serve the new pictures too
    this.displays = new Map();
    this.cleanups = [];
    this.clear();
  }
  clear() {
    this.cleanups.splice(0).forEach((f) => f());
    this.box.replaceChildren();
    this.displays.clear();
    this.shown = this.pictures = 0;
    this.stream = this.cut = null;
    this.clearNext = false;
  }
  take(message) {
    const c = message.content, kind = message.header.msg_type;
    if (kind === "clear_output") { if (c.wait) this.clearNext = true; else this.clear(); return; }
    if (this.clearNext && kind !== "status") this.clear();
    if (kind === "stream") this.text(c.name, c.text);
    else if (kind === "error") this.error(c);
    else if (kind === "execute_result" || kind === "display_data") this.rich(c);
    else if (kind === "update_display_data") (this.displays.get((c.transient || {}).display_id) || []).forEach((div) => this.fill(div, c.data));
  }
  room(text) {                                    // the part of a text that may still be shown
    const free = MOST_TEXT - this.shown;
    this.shown += text.length;
    if (free >= text.length) return text;
    if (!this.cut) this.cut = this.note("");
    this.cut.textContent = `The output is cut here: ${this.shown.toLocaleString("en")} characters so far, of which ${MOST_TEXT.toLocaleString("en")} are shown. Interrupt stops the cell.`;
    return text.slice(0, Math.max(free, 0));
  }
  note(words) {
    const p = el("p", { class: "live-note", role: "status", text: words });
    this.box.append(p);
    return p;
  }
  text(name, text) {
    const fitting = this.room(text);
    if (!fitting) return;
    if (!this.stream || this.stream.name !== name) {
      const [div, pre] = textBlock(name === "stderr" ? "stderr highlight-myst-ansi" : "stream highlight-myst-ansi");
      this.box.insertBefore(div, this.cut);
      this.stream = { name, pre, text: "" };
    }
    const s = this.stream;
    s.text += fitting;
    if (/[\r\x1b]/.test(fitting)) { s.text = overwritten(s.text); s.pre.replaceChildren(); ansi(s.text, s.pre); } else s.pre.append(fitting);
  }
  error(c) {
    const [div, pre] = textBlock("traceback highlight-ipythontb");
    this.stream = null;
    ansi(this.room(c.traceback && c.traceback.length ? c.traceback.join("\n") : `${c.ename}: ${c.evalue}`), pre);
    this.box.insertBefore(div, this.cut);
  }
  rich(c) {
    const div = el("div", { class: "output" }), id = (c.transient || {}).display_id;
    this.stream = null;
    this.box.insertBefore(div, this.cut);
    if (id) this.displays.set(id, [...(this.displays.get(id) || []), div]);
    this.fill(div, c.data);
    if (c.metadata && c.metadata.mlcore_check) this.judged(c.metadata.mlcore_check);
  }
  fill(div, data) {
    div.replaceChildren();
    div.className = "output";
    const html = data["text/html"], plain = data["text/plain"] || "", view = data[VIEW];
    if (view && this.widgets.knows(view.model_id)) {
      div.classList.add("text_html");
      this.cleanups.push(this.widgets.show(view.model_id, div));
    } else if (html && this.room(html) === html) {
      div.classList.add("text_html");
      div.innerHTML = html;                       // from the reader's own kernel; scripts in it do not run
    } else if (data["image/svg+xml"]) div.innerHTML = data["image/svg+xml"];
    else if (data["image/png"] || data["image/jpeg"]) {
      const type = data["image/png"] ? "image/png" : "image/jpeg", alt = this.alts[this.pictures++] || "Figure drawn by this cell";
      div.append(el("img", { src: `data:${type};base64,${data[type].trim()}`, alt }));
    } else if (data["text/latex"] || data["text/markdown"]) {
      div.textContent = data["text/latex"] || data["text/markdown"];
    } else {
      const pre = el("pre");
      div.className = "output text_plain highlight-myst-ansi notranslate";
      div.append(el("div", { class: "highlight" }, pre));
      ansi(this.room(plain), pre);
      if (view) div.append(el("p", { class: "live-note", text: "This widget is not one of the book's figures; it works in Jupyter (Open in Jupyter, above)." }));
    }
    if (window.mlcoreTidy) window.mlcoreTidy(div);
    if ((data["text/latex"] || data["text/markdown"] || html) && window.MathJax && window.MathJax.typesetPromise) window.MathJax.typesetPromise([div]).catch(() => {});
  }
  question(prompt, password, answer) {            // input() of the student's program
    const field = el("input", { type: password ? "password" : "text", "aria-label": prompt || "input", class: "live-input" });
    const form = el("form", { class: "output live-question" }, el("label", { text: prompt }), field, el("button", { type: "submit", class: "live-button", text: "Send" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      form.remove();
      this.text("stdout", `${prompt}${password ? "········" : field.value}\n`);
      answer(field.value);
    });
    this.box.append(form);
    field.focus();
    return form;
  }
}
