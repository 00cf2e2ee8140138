// Direct manipulation for the playgrounds: things in a plot that a pointer or the arrow keys can move.

// handles(plot, options) -> { set(points), focus(i) }: one draggable handle per point [x, y].
//   label(i)            what a screen reader says, e.g. "centroid 1"
//   onMove(i, [x, y])   while dragging or at each arrow key; the point is inside the panel's limits
//   onDone(i)           once after a drag or key (e.g. save_changes); onRemove(i): Delete, Backspace or double click (omit: not removable)
//   axis                "x" or "y" to move along one axis only
//   shape, size, color, hollow   appearance; color may be a function of i; size 0 leaves the drawing to a mark underneath
function handles(view, options) {
  const { label, onMove, onDone = () => {}, onRemove, axis, shape: form = "circle", size = 6, color = "accent", hollow = false } = options;
  const group = view.overlay.appendChild(svg("g")), many = pool(group, make);
  let points = [];
  const clamp = (v, a, b) => Math.max(Math.min(a, b), Math.min(Math.max(a, b), v));
  function inside([x, y], i) {
    const [x0, x1, y0, y1] = view.area;
    return [axis === "y" ? points[i][0] : clamp(x, view.X.invert(x0), view.X.invert(x1)), axis === "x" ? points[i][1] : clamp(y, view.Y.invert(y1), view.Y.invert(y0))];
  }
  function make(i) {
    let offset = null;
    const tint = () => (typeof color === "function" ? color(i) : paint(color));
    const e = svg("g", {
      class: "mlc-handle", tabindex: 0, role: "button", ...KEYS,
      onpointerdown(event) {
        if (event.button) return;
        event.stopPropagation(); event.preventDefault();
        e.setPointerCapture(event.pointerId);
        e.focus({ preventScroll: true });
        const at = view.toData(event);
        offset = [points[i][0] - at[0], points[i][1] - at[1]];
        if (view.xscale === "log" || view.yscale === "log") offset = [0, 0];
      },
      onpointermove(event) {
        if (!offset) return;
        const at = view.toData(event);
        onMove(i, inside([at[0] + offset[0], at[1] + offset[1]], i));
      },
      onpointerup() { if (offset) { offset = null; onDone(i); } },
      onpointercancel() { offset = null; },
      onclick(event) { event.stopPropagation(); },
      ondblclick(event) { event.stopPropagation(); if (onRemove) onRemove(i); },
      onkeydown(event) {
        const step = event.shiftKey ? 20 : 4, d = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        if (d) {
          event.preventDefault(); event.stopPropagation();
          const [x, y] = points[i];
          onMove(i, inside([view.X.invert(view.X(x) + d[0] * step), view.Y.invert(view.Y(y) + d[1] * step)], i));
          onDone(i);
        } else if (onRemove && (event.key === "Delete" || event.key === "Backspace")) {
          event.preventDefault(); event.stopPropagation();
          onRemove(i);
          const left = group.children;                     // the focus stays in the figure
          if (left.length) left[Math.min(i, left.length - 1)].focus();
        }
      },
    }, svg("circle", { class: "mlc-grip", r: Math.max(12, size + 5) }));
    if (size) e.append(svg("path", { d: shape(form, 0, 0, size), style: hollow ? `fill:none;stroke:${tint()};stroke-width:2` : `fill:${tint()};stroke:var(--mlc-back);stroke-width:1.5` }));
    return e;
  }
  function place() {
    many(points.length).forEach((e, i) => {
      fill(e, { transform: `translate(${view.X(points[i][0])} ${view.Y(points[i][1])})`, "aria-label": `${label(i)} at ${show(points[i][0])}, ${show(points[i][1])}` }, []);
    });
  }
  view.svg.setAttribute("role", "group");                  // an image may hold no controls
  view.onLayout(place);
  return {
    group,
    set(next) { points = next; place(); },
    focus(i) { if (group.children[i]) group.children[i].focus(); },
  };
}

// Calls f([x, y]) for a click (or tap) on the empty part of a plot: adding points.
function onPlotClick(view, f) {
  view.svg.addEventListener("click", (event) => {
    const [x, y] = view.toData(event), [x0, x1, y0, y1] = view.area, px = view.X(x), py = view.Y(y);
    if (px >= x0 && px <= x1 && py >= y0 && py <= y1) f([x, y]);
  });
}
