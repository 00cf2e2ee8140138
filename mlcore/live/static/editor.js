// ---- an editor over the code of a cell: a see-through text area exactly above the colored text ---------------------------
const INDENT = "    ";
function lineStart(text, at) { return text.lastIndexOf("\n", at - 1) + 1; }

// Replace text so that the browser's undo keeps working.
function replaceText(area, from, to, text) {
  area.focus();
  area.setSelectionRange(from, to);
  if (!document.execCommand("insertText", false, text)) area.setRangeText(text, from, to, "end");
}
function changeLines(area, change) {              // of the selected lines
  const from = lineStart(area.value, area.selectionStart);
  let to = area.value.indexOf("\n", Math.max(area.selectionEnd - (area.selectionEnd > area.selectionStart ? 1 : 0), from));
  if (to < 0) to = area.value.length;
  const lines = area.value.slice(from, to).split("\n"), changed = change(lines).join("\n");
  if (changed === lines.join("\n")) return;
  replaceText(area, from, to, changed);
  area.setSelectionRange(from, from + changed.length);
}
function indent(lines) { return lines.map((l) => (l ? INDENT + l : l)); }
function dedent(lines) { return lines.map((l) => l.replace(/^ {1,4}/, "")); }
function comment(lines) {
  const full = lines.filter((l) => l.trim()), all = full.every((l) => /^\s*#/.test(l));
  const edge = Math.min(...full.map((l) => l.search(/\S/)));
  return lines.map((l) => !l.trim() ? l : all ? l.replace(/^(\s*)# ?/, "$1") : `${l.slice(0, edge)}# ${l.slice(edge)}`);
}

// Keys as in Jupyter. Escape lets the next Tab leave the editor, so that nobody is caught in it.
function onKey(area, event, run) {
  const key = event.key, command = event.ctrlKey || event.metaKey, alone = !command && !event.altKey;
  if (key === "Enter" && (event.shiftKey || command)) { event.preventDefault(); run(event.shiftKey); return; }
  if (key === "Escape") { area.dataset.leave = "1"; return; }
  if (key === "Tab" && alone && !area.dataset.leave) {
    event.preventDefault();
    const { selectionStart: a, selectionEnd: b, value } = area;
    if (event.shiftKey) changeLines(area, dedent);
    else if (value.slice(a, b).includes("\n")) changeLines(area, indent);
    else replaceText(area, a, b, " ".repeat(4 - ((a - lineStart(value, a)) % 4)));
  } else if (key === "Enter" && alone) {
    event.preventDefault();
    const line = area.value.slice(lineStart(area.value, area.selectionStart), area.selectionStart);
    const deeper = /:\s*(#.*)?$/.test(line) ? INDENT : "", out = /^\s*(return|pass|break|continue|raise)\b/.test(line) ? 4 : 0;
    const space = line.match(/^ */)[0];
    replaceText(area, area.selectionStart, area.selectionEnd, "\n" + space.slice(Math.min(out, space.length)) + deeper);
  } else if (key === "/" && command) { event.preventDefault(); changeLines(area, comment); }
  if (key !== "Tab") delete area.dataset.leave;
}

function makeEditor(pre, { label, run, changed }) {
  const box = pre.parentElement, original = pre.textContent.replace(/\n$/, "");
  const area = el("textarea", { class: "live-code", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-label": label });
  const fit = () => { area.style.width = `${pre.offsetWidth}px`; area.style.height = `${pre.offsetHeight}px`; };
  const paint = () => { pre.innerHTML = highlight(area.value) + "\n"; fit(); };
  box.classList.add("live-editor");
  pre.setAttribute("aria-hidden", "true");
  pre.removeAttribute("tabindex");
  box.append(area);
  const look = getComputedStyle(pre);             // letter for letter over the colored text
  for (const name of ["fontFamily", "fontSize", "fontWeight", "lineHeight", "letterSpacing", "padding", "tabSize"]) area.style[name] = look[name];
  area.value = original;
  area.addEventListener("input", () => { paint(); changed(); });
  area.addEventListener("keydown", (event) => onKey(area, event, run));
  new ResizeObserver(fit).observe(pre);
  paint();
  return {
    area, original,
    get code() { return area.value; },
    set code(text) { area.value = text; paint(); changed(); },
    get edited() { return area.value !== original; },
  };
}
