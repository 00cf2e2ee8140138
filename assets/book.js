// Small repairs of the built page that no template offers.
document.addEventListener("DOMContentLoaded", () => {
  // A figure of several panels would be unreadably small on a phone: there it keeps its size and scrolls in its own box.
  for (const picture of document.querySelectorAll(".bd-article div.cell_output img")) {
    const mark = () => { if (picture.naturalWidth > 760) picture.parentElement.classList.add("wide-figure"); };
    if (picture.complete) mark(); else picture.addEventListener("load", mark);
  }
  // Boxes that scroll sideways must be reachable by keyboard.
  for (const box of document.querySelectorAll(".bd-article table, .bd-article div.highlight pre, .bd-article div.math, .wide-figure")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
});
