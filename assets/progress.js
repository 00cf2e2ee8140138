// Which exercises the reader has solved: remembered in this browser and nowhere else, shown beside the chapters and on the exercises.
(() => {
  "use strict";
  const KEY = "mlcore:progress:1";                        // another form of what is stored gets another number
  const CHAPTERS = window.MLCORE_EXERCISES || {};         // part/chapter -> the names of its checks
  const KNOWN = new Set(Object.values(CHAPTERS).flat());
  let here = {}, keeps = true;                            // a browser that stores nothing: marks live as long as the page

  function solvedOnes() {
    let stored = {};
    try {
      stored = JSON.parse(localStorage.getItem(KEY)) || {};
    } catch (error) { keeps = keeps && error instanceof SyntaxError; }
    return new Set(Object.keys({ ...stored, ...here }).filter((name) => KNOWN.has(name)));
  }
  function store(names) {
    here = Object.fromEntries(names.map((name) => [name, true]));
    try {
      if (names.length) localStorage.setItem(KEY, JSON.stringify(here)); else localStorage.removeItem(KEY);
      here = {};
    } catch { keeps = false; }
    show();
  }
  function node(tag, className, text = "") {
    const e = document.createElement(tag);
    Object.assign(e, { className, textContent: text });
    return e;
  }
  // A short mark for the eye and a sentence for the ear.
  function mark(className, short, long) {
    const box = node("span", className), seen = node("span", "", short);
    seen.setAttribute("aria-hidden", "true");
    box.title = long;
    box.append(seen, node("span", "visually-hidden", ` (${long})`));
    return box;
  }
  function attach(place, box) {                           // in the place of the mark that was there
    const old = place.querySelector(":scope > .progress-mark");
    if (old) old.remove();
    if (box) place.append(box);
  }

  const root = new URL(document.documentElement.dataset.content_root || "./", location.href);
  const chapterOf = new Map(Object.keys(CHAPTERS).map((name) => [new URL(`book/${name}.html`, root).pathname, name]));
  const exercises = new Map();                            // box of an exercise -> its check; read before anything is edited

  function showExercises(solved) {
    for (const [box, name] of exercises) {
      box.classList.toggle("exercise-solved", solved.has(name));
      attach(box.querySelector(".admonition-title"), solved.has(name) ? mark("progress-mark", "✓ solved", "you solved this exercise") : null);
    }
  }
  function showChapters(done) {
    for (const link of document.querySelectorAll("#pst-primary-sidebar nav a, #pst-primary-sidebar-modal nav a")) {
      const name = chapterOf.get(link.pathname), [n, all] = done.get(name) || [0, 0];
      if (name) attach(link, n ? mark(`progress-mark${n === all ? " progress-all" : ""}`, n === all ? `✓ ${n}/${all}` : `${n}/${all}`, `${n} of ${all} exercises solved`) : null);
    }
    for (const place of document.querySelectorAll("[data-progress]")) {
      const [n, all] = done.get(place.dataset.progress) || [0, 0];
      place.textContent = n ? `${n} of ${all} solved` : all;
    }
    for (const box of document.querySelectorAll("a.node[data-node]")) {
      const [n, all] = done.get(box.dataset.node) || [0, 0];
      box.querySelector(".count").textContent = n === all && n ? "✓" : n ? `${n}/${all}` : "";
    }
  }
  function showSums(n) {
    const words = `${n} of ${KNOWN.size} exercises solved`;
    for (const place of document.querySelectorAll(".progress-panel, .progress-footer")) {
      const panel = place.classList.contains("progress-panel"), text = node("span", "", panel ? `${words}. ` : words);
      text.setAttribute("role", "status");
      place.hidden = !panel && !n;
      if (panel) text.append(keeps ? "Solve one with Run here and it is remembered, in this browser only. " : "This browser does not let the page remember them. ");
      const clear = node("button", "progress-clear", "Forget them");
      clear.type = "button";
      clear.hidden = !n;
      clear.setAttribute("aria-label", "Forget which exercises I solved");
      clear.addEventListener("click", ask);
      place.replaceChildren(text, " ", clear);
    }
  }
  function show() {
    const solved = solvedOnes();
    showExercises(solved);
    showChapters(new Map(Object.entries(CHAPTERS).map(([name, checks]) => [name, [checks.filter((c) => solved.has(c)).length, checks.length]])));
    showSums(solved.size);
  }
  function ask() {
    const dialog = node("dialog", "progress-dialog"), row = node("div", "progress-row");
    const close = (yes) => { dialog.close(); dialog.remove(); if (yes) store([]); };
    const yes = node("button", "progress-clear", "Forget them"), no = node("button", "progress-clear", "Keep them");
    dialog.setAttribute("aria-label", "Forget solved exercises");
    yes.addEventListener("click", () => close(true));
    no.addEventListener("click", () => close(false));
    dialog.addEventListener("cancel", () => close(false));
    row.append(no, yes);
    dialog.append(node("p", "", `Forget which ${solvedOnes().size} exercises you solved? What you wrote in their cells stays.`), row);
    document.body.append(dialog);
    dialog.showModal();
    no.focus();
  }

  window.mlcoreProgress = { solve: (name) => { if (KNOWN.has(name)) store([...solvedOnes().add(name)]); } };
  function start() {
    for (const box of document.querySelectorAll(".bd-article div.exercise")) {
      const names = Array.from(box.querySelectorAll("div.cell_input pre"), (pre) => (pre.textContent.match(/check\(\s*["']([\w.]+)["']/) || [])[1]);
      const name = names.find((n) => KNOWN.has(n));
      if (name && box.querySelector(".admonition-title")) exercises.set(box, name);
    }
    const sidebar = document.querySelector("#pst-primary-sidebar .sidebar-primary-items__start");
    if (sidebar) sidebar.append(node("div", "progress-footer sidebar-primary-item"));
    show();
    window.addEventListener("storage", (event) => { if (event.key === KEY || event.key === null) show(); });      // another tab
    window.addEventListener("pageshow", (event) => { if (event.persisted) show(); });
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
