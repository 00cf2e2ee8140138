// Small repairs of the built page that no template offers; a cell that was run in the page gets them too.
window.mlcoreTidy = (root) => {
  // A figure of several panels would be unreadably small on a phone: there it keeps its size and scrolls in its own box.
  for (const picture of root.querySelectorAll("img")) {
    const box = () => {
      if (picture.naturalWidth <= 760 || picture.closest(".wide-figure")) return;
      const own = document.createElement("div");
      own.className = "wide-figure";
      picture.replaceWith(own);
      own.append(picture);
      if (own.scrollWidth > own.clientWidth) own.tabIndex = 0;
    };
    if (picture.complete) box(); else picture.addEventListener("load", box);
  }
  // Boxes that scroll sideways must be reachable by keyboard.
  for (const box of root.querySelectorAll("table, div.highlight pre, div.math")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
};

// On a static host: how to get a page whose cells run.
function howToRun(heading, about) {
  const box = document.createElement("details");
  box.className = "how-to-run";
  box.innerHTML = "<summary>Run this chapter</summary><p>This page is a static copy: its figures react, its cells do not run. " +
    "In a copy of the book's folder, <code>make book</code> prints an address; there every cell can be edited and run in the page or in Jupyter.</p>";
  const repository = about("repository"), owner = (repository || "").match(/^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)$/);
  const link = (href, text, parent) => { const a = parent.appendChild(document.createElement("a")); Object.assign(a, { href, textContent: text }); return a; };
  if (repository) link(repository, "The folder is published here.", box.appendChild(document.createElement("p")));
  if (owner) {                                            // Binder starts the live book itself; Colab has the notebook alone
    const page = encodeURIComponent(`book/${about("notebook").replace(/ipynb$/, "html")}`), row = box.appendChild(document.createElement("p"));
    link(`https://mybinder.org/v2/gh/${owner[1]}/${about("branch")}?urlpath=${page}`, "Open on Binder", row);
    row.append(" · ");
    link(`https://colab.research.google.com/github/${owner[1]}/blob/${about("branch")}/${about("notebook")}`, "Open in Colab", row);
    row.append(` (there, run first: %pip install "git+${repository}")`);
  }
  heading.after(box);
}

// Whether a text holds what was typed: the beginning of a word; of a section number also its subsections; the name of
// one of the notes in full (wei is no weight); Chinese anywhere.
function finder(word) {
  const plain = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  if (/^(cs229|wei|kivy|tan|mlf)$/.test(word)) return new RegExp(`(?<![a-z0-9\\\\])${plain}(?![a-z0-9])`);
  if (/^[0-9.]+$/.test(word)) return new RegExp(`(?<![0-9.])${plain}(?![0-9])`);
  return new RegExp(/^[a-z0-9]/.test(word) ? `(?<![a-z0-9])${plain}` : plain);
}

// Letters without their accents, full-width signs as plain ones: "scholkopf" finds Schölkopf, "(PCA)" finds （PCA）.
const plainly = (text) => text.normalize("NFKD").replace(/\p{Mn}/gu, "").toLowerCase();

// A box above long tables, or above a list of works: only the rows below that hold every word stay; ?find=words in the address fills it.
function filterTables(place) {
  const article = place.closest(".bd-article"), everywhere = Array.from(article.querySelectorAll("table"));
  const tables = everywhere.filter((table) => place.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING);
  const works = place.classList.contains("works");
  const rows = works ? Array.from(article.querySelectorAll(".citation")) : tables.flatMap((table) => Array.from(table.querySelectorAll("tbody tr")));
  const box = document.createElement("input"), count = document.createElement("span");
  Object.assign(box, { type: "search", placeholder: `Find ${place.dataset.example}`, value: new URLSearchParams(location.search).get("find") || "" });
  box.setAttribute("aria-label", `Show only the ${works ? "works" : "rows"} with these words`);
  count.setAttribute("role", "status");
  for (const table of everywhere) {                       // on a phone each row becomes a card that names its cells
    const names = Array.from(table.querySelectorAll("thead th"), (head) => head.textContent);
    for (const row of table.querySelectorAll("tbody tr")) Array.from(row.cells).forEach((cell, i) => {
      cell.dataset.name = names[i];
      cell.classList.toggle("nothing", !cell.textContent.trim());
    });
  }
  const texts = rows.map((row) => plainly(row.textContent));
  const filter = () => {
    const wanted = plainly(box.value).split(/\s+/).filter(Boolean).map(finder);
    let shown = 0;
    rows.forEach((row, i) => { row.hidden = !wanted.every((find) => find.test(texts[i])); shown += !row.hidden; });
    for (const table of tables) {                         // a section without a row goes with its heading
      const section = table.closest("section"), empty = !table.querySelector("tbody tr:not([hidden])");
      (section.querySelectorAll("table").length === 1 && !section.contains(place) ? section : table).hidden = empty;
    }
    count.textContent = ` ${shown} of ${rows.length} ${works ? "works" : "rows"}`;
  };
  box.addEventListener("input", filter);
  const arrive = () => {                                  // a link to a row that the words in the box hide: the row comes first
    const goal = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!goal || !article.contains(goal) || !goal.closest("[hidden]")) return;
    box.value = "";
    filter();
    goal.scrollIntoView();
  };
  addEventListener("hashchange", arrive);
  place.append(box, count);
  filter();
  arrive();
}

// The graph of the chapters: pointing at one keeps lit what it needs; a button lights a course.
function lightGraph(box) {
  const graph = box.querySelector("svg"), nodes = Array.from(graph.querySelectorAll("a.node")), edges = graph.querySelectorAll(".edges > g");
  const buttons = box.parentElement.querySelectorAll(".graph-buttons button");
  const light = (lit) => {                                // a set of chapters, or null for all
    graph.classList.toggle("lit", Boolean(lit));
    nodes.forEach((n) => n.classList.toggle("on", Boolean(lit) && lit.has(n.dataset.node)));
    edges.forEach((e) => e.classList.toggle("on", Boolean(lit) && lit.has(e.dataset.from) && lit.has(e.dataset.to)));
  };
  const course = () => {
    const pressed = Array.from(buttons).find((b) => b.getAttribute("aria-pressed") === "true");
    light(pressed ? new Set(nodes.filter((n) => n.dataset.courses.split(" ").includes(pressed.dataset.course)).map((n) => n.dataset.node)) : null);
  };
  for (const n of nodes) {
    const needs = new Set([n.dataset.node, ...n.dataset.needs.split(" ").filter(Boolean)]);
    for (const event of ["mouseenter", "focus"]) n.addEventListener(event, () => light(needs));
    for (const event of ["mouseleave", "blur"]) n.addEventListener(event, course);
  }
  for (const b of buttons) {
    b.addEventListener("click", () => {
      const on = b.getAttribute("aria-pressed") !== "true";
      buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === b && on)));
      course();
    });
    b.parentElement.hidden = false;
  }
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}

document.addEventListener("DOMContentLoaded", () => {
  const address = new URL(location.href);
  if (address.searchParams.has("token")) {                // the cookie has it now; it need not stay in the history
    address.searchParams.delete("token");
    history.replaceState({}, "", address);
  }
  const article = document.querySelector(".bd-article"), about = (name) => (document.querySelector(`meta[name="mlcore-${name}"]`) || {}).content;
  if (!article) return;
  window.mlcoreTidy(article);
  article.querySelectorAll(".table-filter").forEach(filterTables);
  article.querySelectorAll(".graph-box").forEach(lightGraph);
  // The five lecture notes stay in sight below their overview: from any page, one click to the notes and one to the section.
  const notes = document.querySelector('#pst-primary-sidebar li > a[href$="from_the_notes.html"] ~ details');
  if (notes) notes.open = true;
  const heading = article.querySelector("h1");
  if (heading && about("notebook") && !window.MLCORE_LIVE) howToRun(heading, about);
});
