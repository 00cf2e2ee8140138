// ---- the page: its two actions, its cells, its status line --------------------------------------------------------------
const MEMORY = `mlcore:edits:${CHAPTER}`;
function remembered() { try { return JSON.parse(localStorage.getItem(MEMORY)) || {}; } catch { return {}; } }
function remember(edits) {
  try {
    if (Object.keys(edits).length) localStorage.setItem(MEMORY, JSON.stringify(edits)); else localStorage.removeItem(MEMORY);
  } catch { /* a browser that stores nothing: edits live as long as the page */ }
}
function shortHash(text) {                        // tells an edit which version of the cell it belongs to
  let x = 2166136261;
  for (let i = 0; i < text.length; i++) x = Math.imul(x ^ text.charCodeAt(i), 16777619);
  return (x >>> 0).toString(36);
}

class Cell {
  constructor(page, div, number) {
    const pre = div.querySelector("div.cell_input div.highlight pre");
    Object.assign(this, { page, div, number, state: el("span", { class: "live-state" }) });
    this.box = div.querySelector(":scope > div.cell_output") || div.appendChild(el("div", { class: "cell_output docutils container" }));
    this.editor = makeEditor(pre, { label: `Code of cell ${number + 1}`, run: (go) => this.run(go), changed: () => this.changed() });
    this.key = `${number}:${shortHash(this.editor.original)}`;
    this.undo = button("Undo my edits", () => { this.editor.code = this.editor.original; this.editor.area.focus(); }, { hidden: true });
    this.bar = el("div", { class: "live-bar" },
      button("Run", () => this.run(), { title: "Shift+Enter, or Ctrl+Enter to stay here", "aria-label": `Run cell ${number + 1}` }),
      button("Run all above", () => page.runCells(page.cells.slice(0, number)), { "aria-label": `Run all cells above cell ${number + 1}` }), this.undo, this.state);
    pre.closest("div.cell_input").append(this.bar);
  }
  get code() { return this.editor.code; }
  attach(kernel) { this.output = new Output(this.box, kernel.widgets, (verdict) => this.judged(verdict)); }
  judged({ name, state }) {                       // the book's own solution passes too, and solves nothing
    if (state === "passed" && !this.div.closest(".solution") && window.mlcoreProgress) window.mlcoreProgress.solve(name);
  }
  changed() {
    if (!this.undo) return;
    this.undo.hidden = !this.editor.edited;
    this.page.keep(this);
  }
  run(andGo = false) {
    const next = this.page.cells[this.number + 1];
    if (andGo && next) next.editor.area.focus();
    return this.page.runCells([this]);
  }
  begin() { delete this.div.dataset.ran; this.output.clear(); this.state.textContent = "running"; this.div.classList.add("live-running"); }
  end(status) {
    this.div.classList.remove("live-running");
    this.state.textContent = { ok: "done", error: "error", aborted: "stopped", skipped: "not run" }[status] || "stopped";
    this.div.dataset.ran = status;
  }
}

class Page {
  constructor(heading) {
    this.status = el("span", { class: "live-status", role: "status" });
    this.start = button("Run here", () => this.begin(), { id: "run-here", title: "Edit and run the cells in this page" });
    this.open = el("a", { id: "open-in-jupyter", class: "live-button", href: `${LIVE.root}open/${this.name}`, target: "_blank", text: "Open in Jupyter", title: "Your own copy of this chapter as a notebook" });
    this.reset = button("Reset this chapter", () => this.resetCopy(), { id: "reset-chapter", hidden: true });
    this.news = el("p", { class: "live-note", hidden: true, role: "status" });
    heading.after(el("div", { class: "live-actions" }, this.start, this.open, this.reset), this.news);
    if (LIVE.stale.includes(this.name)) heading.after(el("p", { class: "live-note", text: "This page is older than its chapter; `make site` brings it up to date." }));
    this.look();
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") this.look(); });
  }
  get name() { return CHAPTER.replace(/^book\//, "").replace(/\.ipynb$/, ""); }

  // -- the working copy
  tell(words, ...kids) { this.news.replaceChildren(words, ...kids); this.news.hidden = !words; }
  async look() {
    try {
      const copy = await ask(`book/api/chapters/${this.name}`);
      this.reset.hidden = !copy.exists;
      if (copy.newer) this.tell("The book has a newer version of this chapter than your copy. ", button("Take the new version", () => this.resetCopy()));
    } catch { /* the buttons say more when they are used */ }
  }
  async resetCopy() {
    const words = "Replace your copy of this chapter by the book's? If you changed it, what you have is kept beside it under another name.";
    if (!await confirmed(words, "Replace")) return;
    try {
      const { kept } = await ask(`book/api/chapters/${this.name}`, "POST", { action: "reset" });
      this.tell(kept ? `Your copy is the book's again; what you had is now ${kept}.` : "Your copy is the book's again.");
    } catch (error) { this.tell(`The chapter could not be reset: ${error.message}`); }
  }

  // -- cells and kernel
  async begin() {
    this.start.disabled = true;
    try {
      if (!this.cells) this.makeEditable();
      this.kernel = new Kernel(this.name + ".ipynb", (state, words) => this.told(state, words));
      await this.kernel.start();
      this.cells.forEach((cell) => cell.attach(this.kernel));
      return true;
    } catch (error) {
      this.told("gone", `No kernel could be started: ${error.message}`);
      return false;
    }
  }
  makeEditable() {
    document.documentElement.classList.add("mlcore-running");
    const inputs = document.querySelectorAll(".bd-article div.cell:has(div.cell_input div.highlight pre)");
    this.edits = remembered();
    this.cells = Array.from(inputs, (div, i) => new Cell(this, div, i));
    const kept = this.cells.filter((cell) => this.edits[cell.key] !== undefined);
    kept.forEach((cell) => { cell.editor.code = this.edits[cell.key]; });
    if (kept.length) this.tell(`Your edits of an earlier visit are shown in ${kept.length === 1 ? "one cell" : `${kept.length} cells`}. `, button("Undo all edits", () => { this.cells.forEach((c) => { c.editor.code = c.editor.original; }); this.tell(""); }));
    this.tools = {
      all: button("Run all", () => this.runCells(this.cells)),
      interrupt: button("Interrupt", () => this.attempt(() => this.kernel.interrupt())),
      restart: button("Restart", () => this.attempt(() => this.kernel.restart())),
      fresh: button("Start a new kernel", () => this.begin(), { hidden: true }),
    };
    const bar = el("div", { class: "live-toolbar", role: "region", "aria-label": "Kernel" }, ...Object.values(this.tools), this.status);
    document.body.append(bar);
    window.addEventListener("pagehide", () => { if (this.kernel) this.kernel.stop(true); });
    window.addEventListener("pageshow", (event) => { if (event.persisted) this.told("gone", "The kernel was stopped when you left the page."); });
  }
  keep(cell) {
    if (cell.editor.edited) this.edits[cell.key] = cell.code; else delete this.edits[cell.key];
    remember(this.edits);
  }
  async attempt(action) { try { await action(); } catch (error) { this.told("gone", `That did not work: ${error.message}`); } }
  async runCells(cells) {
    if (this.state === "gone" && !await this.begin()) return;
    const group = {};
    cells.forEach((cell) => { cell.state.textContent = "waiting"; });
    await Promise.all(cells.map((cell) => this.kernel.run(cell, group).then((status) => { if (status === "skipped") cell.end(status); })));
  }
  told(state, words) {
    this.state = state;
    this.status.textContent = words;
    document.documentElement.dataset.kernel = state;
    if (!this.tools) { this.tell(words); return; }
    const { all, interrupt, restart, fresh } = this.tools;
    all.disabled = state === "starting" || state === "lost";
    interrupt.disabled = state !== "running";
    restart.disabled = !["ready", "running"].includes(state);
    fresh.hidden = state !== "gone";
  }
}

function startPage() {
  document.head.append(el("style", { text: LIVE.style }));
  const heading = document.querySelector(".bd-article h1");
  if (heading && CHAPTER) window.mlcorePage = new Page(heading);
}
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", startPage); else startPage();
