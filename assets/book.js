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

// A box above a long table: only the rows that hold every word stay.
function filterTable(place) {
  const table = place.closest(".bd-article").querySelector("table"), rows = table ? Array.from(table.querySelectorAll("tbody tr")) : [];
  const box = document.createElement("input"), count = document.createElement("span");
  Object.assign(box, { type: "search", placeholder: "Filter, for example: tan ridge" });
  box.setAttribute("aria-label", "Show only the rows with these words");
  count.setAttribute("role", "status");
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const filter = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, i) => { row.hidden = !words.every((w) => texts[i].includes(w)); shown += !row.hidden; });
    count.textContent = ` ${shown} of ${rows.length} rows`;
  };
  box.addEventListener("input", filter);
  place.append(box, count);
  filter();
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
  article.querySelectorAll(".table-filter").forEach(filterTable);
  const heading = article.querySelector("h1");
  if (heading && about("notebook") && !window.MLCORE_LIVE) howToRun(heading, about);
});
