// ---- Python, colored while it is typed; the class names are those of the built page --------------------------------------
const WORDS = {
  kn: "import from",
  k: "and as assert async await break class continue def del elif else except finally for global if in is lambda nonlocal not or pass raise return try while with yield match case",
  kc: "True False None",
  nb: "abs all any bool bytes callable dict dir divmod enumerate eval filter float format frozenset getattr hasattr hash help id input int isinstance issubclass iter len list map max min next object open ord pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip",
  bp: "self cls",
};
const CLASS_OF = new Map(Object.entries(WORDS).flatMap(([c, words]) => words.split(" ").map((w) => [w, c])));
for (const w of ["and", "in", "is", "not", "or"]) CLASS_OF.set(w, "ow");
const TOKEN = new RegExp([
  /(?<c1>#.*)/,
  /(?<s>\b(?:[rRbBuUfF]|[rR][bBfF]|[bBfF][rR])?(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
  /(?<s2>(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
  /(?<nd>@[A-Za-z_][\w.]*)/,
  /(?<mi>\b(?:0[xX][\da-fA-F_]+|0[oObB][\d_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJ]?))/,
  /(?<name>[A-Za-z_]\w*)/,
  /(?<o>[-+*\/%=<>!&|^~:]+)/,
].map((r) => r.source).join("|"), "g");

function escaped(text) { return text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]); }
function highlight(code) {
  let html = "", at = 0, before = "";
  for (const m of code.matchAll(TOKEN)) {
    html += escaped(code.slice(at, m.index));
    at = m.index + m[0].length;
    let kind = Object.keys(m.groups).find((k) => m.groups[k] !== undefined);
    if (kind === "s2") kind = "s";
    if (kind === "name") kind = before === "def" ? "nf" : before === "class" ? "nc" : code[m.index - 1] === "." ? "n" : CLASS_OF.get(m[0]) || "n";
    if (kind === "nd" && /[\w)\]]\s*$/.test(code.slice(0, m.index))) kind = "o";      // a matrix product, not a decorator
    html += `<span class="${kind}">${escaped(m[0])}</span>`;
    before = m[0];
  }
  return html + escaped(code.slice(at));
}
