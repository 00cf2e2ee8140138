// k-means under the reader's hand. The rules are those of mlcore.unsupervised.k_means: a tie goes to the lower index, an empty
// cluster takes the point farthest from its own center. History: J after each half-step, assignments at even places.
const STARTS = { random: "random", "k-means++": "k-means++", farthest: "farthest-first", hand: "by hand" };
const K_MAX = 8, POINTS_MAX = 500, MANY = 100, BEAT = 550;

// ---- the algorithm -------------------------------------------------------------------------------------------------------
function squaredTo([x, y], [u, v]) { return (x - u) * (x - u) + (y - v) * (y - v); }
function assignTo(points, centers) {
  const labels = [], squared = [];
  for (const p of points) {
    let best = 0, least = Infinity;
    centers.forEach((c, j) => { const d = squaredTo(p, c); if (d < least) { least = d; best = j; } });
    labels.push(best); squared.push(least);
  }
  return { labels, squared, J: squared.reduce((s, d) => s + d, 0) };
}
function sizes(labels, k) { const n = new Array(k).fill(0); for (const j of labels) n[j]++; return n; }
function refillEmpty(points, labels, centers) {          // -> labels and what was handed over: [cluster, point]
  const out = labels.slice(), n = sizes(labels, centers.length), taken = [];
  const squared = points.map((p, i) => squaredTo(p, centers[labels[i]]));
  n.forEach((count, j) => {
    if (count) return;
    let far = -1, most = 0;
    squared.forEach((d, i) => { if (n[out[i]] > 1 && d > most) { most = d; far = i; } });
    if (far < 0) return;                                 // every point sits on its center: nothing to take
    n[out[far]]--; n[j] = 1; out[far] = j; squared[far] = 0;
    taken.push([j, far]);
  });
  return { labels: out, taken };
}
function meansOf(points, labels, centers) {
  const n = sizes(labels, centers.length), sum = centers.map(() => [0, 0]);
  points.forEach(([x, y], i) => { sum[labels[i]][0] += x; sum[labels[i]][1] += y; });
  return centers.map((c, j) => (n[j] ? [sum[j][0] / n[j], sum[j][1] / n[j]] : c));
}
function distortionOf(points, labels, centers) { return points.reduce((s, p, i) => s + squaredTo(p, centers[labels[i]]), 0); }
function same(a, b) { return a.length === b.length && a.every((v, i) => v === b[i]); }
function runToEnd(points, centers) {
  let { labels, J } = assignTo(points, centers);
  const history = [J];
  for (let round = 0; round < 1000; round++) {
    const { labels: served, taken } = refillEmpty(points, labels, centers);
    centers = meansOf(points, served, centers);
    const next = assignTo(points, centers), stop = !taken.length && same(next.labels, labels);
    history.push(distortionOf(points, served, centers), next.J);
    labels = next.labels;
    if (stop) break;
  }
  return { centers, labels, history };
}
function drawFrom(mass, uniform) {
  let u = uniform() * mass.reduce((s, m) => s + m, 0), i = 0;
  while (i < mass.length - 1 && u >= mass[i]) u -= mass[i++];
  return i;
}
function seedCenters(points, k, how, uniform) {
  if (how === "random" || how === "hand") {
    const rows = points.map((_, i) => i);
    for (let i = 0; i < k; i++) { const j = i + Math.floor(uniform() * (rows.length - i)); [rows[i], rows[j]] = [rows[j], rows[i]]; }
    return rows.slice(0, k).map((i) => points[i].slice());
  }
  const centers = [points[Math.floor(uniform() * points.length)].slice()];
  while (centers.length < k) {
    const { squared } = assignTo(points, centers);
    const i = how === "farthest" ? squared.indexOf(Math.max(...squared)) : drawFrom(squared, uniform);
    centers.push(points[i].slice());
  }
  return centers;
}
function cellOf(j, centers, [x0, x1, y0, y1]) {          // Voronoi cell: the box, cut by the bisector with every other center
  let poly = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
  const [a, b] = centers[j];
  centers.forEach(([u, v], l) => {
    if (l === j || (u === a && v === b && l > j)) return;
    const nx = u - a, ny = v - b, side = ([x, y]) => nx * (x - (a + u) / 2) + ny * (y - (b + v) / 2), cut = [];
    if (!nx && !ny) { poly = []; return; }               // coincides with a lower center, which wins every tie
    poly.forEach((p, i) => {
      const q = poly[(i + 1) % poly.length], s = side(p), t = side(q);
      if (s <= 0) cut.push(p);
      if ((s < 0 && t > 0) || (s > 0 && t < 0)) cut.push([p[0] + (q[0] - p[0]) * s / (s - t), p[1] + (q[1] - p[1]) * s / (s - t)]);
    });
    poly = cut;
  });
  return poly;
}

// ---- the figure ----------------------------------------------------------------------------------------------------------
register("k_means", ({ model, el, box, spec, guard }) => {
  const TRAITS = ["points", "centers", "labels", "distortion", "history", "stage", "k", "data", "start", "seed"];
  const read = () => Object.fromEntries(TRAITS.map((t) => [t, model.get(t)]));
  const initial = read();
  if (!Array.isArray(initial.points) || !initial.points.length) throw new Error("it holds no points");
  let timer = null, event = "", marked = [], trail = [initial.centers], lastLabels = null, queued = false, glide = false, lowest = null, restarts = null;

  fill(box, { role: "group", "aria-label": spec.title }, []);
  box.append(h("div", { class: "mlc-title", text: spec.title }), h("p", { class: "mlc-hidden", text: spec.alt }));
  const bar = box.appendChild(h("div", { class: "mlc-controls" }));
  const dataNames = Object.keys(spec.data), startNames = Object.keys(STARTS);
  const dataMenu = select(bar, { label: "data", name: "data", texts: dataNames.map((n) => spec.data[n].name), onInput: guard((i) => loadData(dataNames[i])) });
  const startMenu = select(bar, { label: "start", name: "start", texts: startNames.map((n) => STARTS[n]), onInput: guard((i) => newStart({ start: startNames[i] })) });
  const kSlider = slider(bar, { label: "clusters k", name: "k", texts: Array.from({ length: K_MAX }, (_, i) => String(i + 1)), onInput: guard((i) => newStart({ k: i + 1 })) });
  const buttons = box.appendChild(h("div", { class: "mlc-controls" })).appendChild(h("div", { class: "mlc-buttons", style: "margin-left:0" }));
  const stepButtons = { assign: button(buttons, "Assign", guard(() => { pause(); assignStep(); })), move: button(buttons, "Move", guard(() => { pause(); moveStep(); })) };
  const runButton = button(buttons, "Run", guard(() => (timer ? pause() : run())));
  button(buttons, "New start", guard(() => { pause(); newStart({ seed: model.get("seed") + 1 }); }));
  button(buttons, `Restart ${MANY} times`, guard(() => { pause(); restartMany(); }));
  button(buttons, "Reset", guard(() => { pause(); event = ""; marked = []; lowest = null; dropRestarts(); trail = [initial.centers]; commit(initial); }));

  const out = readout(box);
  out.el.style.cssText = "margin:0 0 .7em;min-height:3.5em";
  const row = box.appendChild(h("div", { style: "display:flex;flex-wrap:wrap;gap:.2em 1.1em" }));
  const main = row.appendChild(h("div", { style: "flex:3 1 300px;min-width:0" })), side = row.appendChild(h("div", { style: "flex:2 1 260px;min-width:0" }));
  const plane = plot(main, { xlabel: "x₁", ylabel: "x₂", xlim: spec.xlim, ylim: spec.ylim, aspect: "equal" });
  const curve = plot(side, { title: "Distortion J after each half-step", xlabel: "half-step", ylabel: "J", xlim: [0, 8], ylim: [0, 1], height: 215 });
  const cells = plane.add({ kind: "segments" }).g;
  const spokes = plane.add({ kind: "segments", color: "neutral", width: 1, opacity: .3 });
  const loose = plane.add({ kind: "dots", color: "neutral", opacity: .8 });
  const dots = plane.add({ kind: "dots", opacity: .9 });
  const paths = plane.add({ kind: "line", color: "classes", width: 1.6 });
  const rings = plane.add({ kind: "segments" }).g;
  const badges = plane.add({ kind: "segments" }).g;
  const line = curve.add({ kind: "line", color: "neutral", width: 1.4 });
  const steps = [curve.add({ kind: "dots", color: "data", label: "assign" }), curve.add({ kind: "dots", color: "estimate", marker: "diamond", label: "move" })];
  const floor = curve.add({ kind: "line", color: "truth", dash: "dash", width: 1.6, label: `lowest of ${MANY} starts` });
  const grips = handles(plane, {
    label: (i) => `center ${i + 1}`, size: 0,
    onMove: guard((i, at) => { pause(); placeCenters(model.get("centers").map((c, j) => (j === i ? at : c))); }),
  });
  let cursor = [(spec.xlim[0] + spec.xlim[1]) / 2, (spec.ylim[0] + spec.ylim[1]) / 2];
  const pen = handles(plane, {
    label: () => "point cursor, Enter adds a point, Delete removes the nearest one,", shape: "plus", size: 7, color: "text",
    onMove: (i, at) => { cursor = at; pen.set([cursor]); }, onRemove: guard(() => removePoint(nearestPoint(cursor))),
  });
  Object.assign(pen.group.style, { opacity: 0, pointerEvents: "none" });       // shown while it has the focus: it serves the keyboard
  box.addEventListener("focusin", (e) => { pen.group.style.opacity = pen.group.contains(e.target) ? 1 : 0; });   // on the group itself it would become a tab stop
  box.addEventListener("focusout", () => { pen.group.style.opacity = 0; });
  pen.group.addEventListener("keydown", guard((e) => {
    if (e.key === "Enter" || e.key === " ") { e.preventDefault(); e.stopPropagation(); addPoint(cursor); }
  }));
  onPlotClick(plane, guard((at) => {
    const i = nearestPoint(at), p = model.get("points")[i];
    if (Math.hypot(plane.X(p[0]) - plane.X(at[0]), plane.Y(p[1]) - plane.Y(at[1])) <= 7) removePoint(i); else addPoint(at);
  }));
  box.append(h("p", { class: "mlc-hint", style: "margin:.5em 0 0;color:var(--mlc-soft);font-size:13px", text: "Click to add a point, click a point to remove it, drag a center. By keyboard: Tab to a center or to the point cursor, then the arrow keys." }));

  // ---- actions: each commits a whole new state; drawing happens in the change handler -------------------------------------
  function commit(changes) { for (const t in changes) model.set(t, changes[t]); model.save_changes(); redrawSoon(); }
  function pause() { clearInterval(timer); timer = null; runButton.textContent = "Run"; }
  function dropRestarts() { if (restarts) { restarts.plot.destroy(); restarts.plot.root.remove(); restarts = null; } }
  function assigned(points, centers) {                   // a fresh assignment: the curve begins again
    const { labels, J } = assignTo(points, centers);
    return { labels, distortion: J, history: [J], stage: "assigned" };
  }
  function placeCenters(centers) {
    event = "You moved a center: J begins again from here."; marked = []; trail = [centers];
    commit({ centers, start: "hand", ...assigned(model.get("points"), centers) });
  }
  function newStart(changes) {
    pause();
    const s = { ...read(), ...changes };
    if (s.points.length < s.k) { event = `There are only ${s.points.length} points: add some before asking for ${s.k} clusters.`; redrawSoon(); return; }
    const [x0, x1] = spec.xlim, [y0, y1] = spec.ylim, spot = (i) => [x1 - (x1 - x0) * (.03 + .035 * i), y1 - (y1 - y0) * (.03 + .035 * i)];
    const centers = s.start === "hand" ? Array.from({ length: s.k }, (_, i) => spot(i)) : seedCenters(s.points, s.k, s.start, mulberry32(s.seed));
    event = s.start === "hand" ? "The centers are parked in the corner: drag them to where you want to begin, or leave them there and see what happens to empty clusters." : "";
    marked = []; trail = [centers]; lowest = null; dropRestarts();
    commit({ ...changes, centers, labels: [], distortion: null, history: [], stage: "placed" });
  }
  function loadData(name) { newStart({ data: name, points: spec.data[name].points, k: spec.data[name].k }); }
  function assignStep() {
    const { points, centers, labels, history, stage } = read();
    if (stage === "assigned" || stage === "done") { event = stage === "done" ? "" : "Every point already has its nearest center: move the centers next."; redrawSoon(); return; }
    const next = assignTo(points, centers), stop = stage === "moved" && same(next.labels, lastLabels || labels);
    event = ""; marked = [];
    commit({ labels: next.labels, distortion: next.J, history: [...history, next.J], stage: stop ? "done" : "assigned" });
  }
  function moveStep() {
    const { points, centers, labels, history, stage } = read();
    if (stage === "placed" || stage === "moved") { event = "First assign every point to its nearest center."; redrawSoon(); return; }
    if (stage === "done") { event = ""; redrawSoon(); return; }
    const { labels: served, taken } = refillEmpty(points, labels, centers), moved = meansOf(points, served, centers), J = distortionOf(points, served, moved);
    const where = taken.map(([, i]) => `(${show(points[i][0])}, ${show(points[i][1])})`).join(" and ");
    event = taken.length === 1 ? `Cluster ${taken[0][0] + 1} was empty: it took over the point ${where}, which lay farthest from its own center.`
      : taken.length ? `Clusters ${taken.map(([j]) => j + 1).join(", ")} were empty: they took over the points ${where}, which lay farthest from their own centers.` : "";
    marked = taken.map(([, i]) => i);
    trail = [...trail, moved]; lastLabels = taken.length ? [] : labels; glide = true;     // a round that refilled a cluster is not the last
    commit({ centers: moved, labels: served, distortion: J, history: [...history, J], stage: "moved" });
  }
  function run() {
    if (model.get("stage") === "done") { event = "It has stopped already. Drag a center, or press New start."; redrawSoon(); return; }
    const half = guard(() => {
      const stage = model.get("stage");
      if (stage === "done" || model.get("history").length > 2000) return pause();
      if (stage === "assigned") moveStep(); else assignStep();
      if (model.get("stage") === "done") pause();
    });
    if (reducedMotion()) { while (model.get("stage") !== "done" && model.get("history").length < 2000) half(); return; }
    runButton.textContent = "Pause";
    timer = setInterval(half, BEAT);
    half();
  }
  function restartMany() {
    const { points, k, start, seed } = read(), finals = [];
    let best = null;
    for (let r = 0; r < MANY; r++) {
      const begin = seedCenters(points, k, start, mulberry32(seed * 1009 + r + 1)), end = runToEnd(points, begin), J = end.history[end.history.length - 1];
      finals.push(J);
      if (!best || J < best.J) best = { ...end, J, begin };
    }
    const hits = finals.filter((J) => J < best.J * (1 + 1e-6) + 1e-9).length, how = start === "hand" ? "random" : STARTS[start];
    event = `${MANY} ${how} starts: lowest J ${show(best.J, 4)}, reached ${hits} times; highest ${show(Math.max(...finals), 4)}. The best one is shown.`;
    marked = []; trail = [best.begin, best.centers]; lowest = best.J; glide = true;
    showFinals(finals, how);
    commit({ centers: best.centers, labels: best.labels, distortion: best.J, history: best.history, stage: "done" });
  }
  function showFinals(finals, how) {
    const lo = Math.min(...finals), hi = Math.max(...finals, lo * 1.05 + 1e-9), n = 20, count = new Array(n).fill(0);
    finals.forEach((J) => { count[Math.min(n - 1, Math.floor((J - lo) / (hi - lo) * n))]++; });
    const x = count.map((_, i) => lo + (hi - lo) * (i + .5) / n), xlim = [lo - .04 * (hi - lo), hi + .04 * (hi - lo)], ylim = [0, 1.08 * Math.max(...count)];
    dropRestarts();
    const p = plot(side, { title: `Where ${MANY} ${how} starts end`, alt: `Histogram of the final distortion of ${MANY} starts, from ${show(lo)} to ${show(hi)}.`, xlabel: "final J", ylabel: "starts", xlim, ylim, height: 165 });
    p.add({ kind: "bars", color: "truth", opacity: .85 }).set({ x, y: count });
    restarts = { plot: p };
  }
  function nearestPoint(at) {
    const d = model.get("points").map((p) => squaredTo(p, at));
    return d.indexOf(Math.min(...d));
  }
  function changePoints(points, words) {
    pause();
    event = words; marked = []; lowest = null; dropRestarts(); trail = [model.get("centers")];
    commit({ points, ...(model.get("stage") === "placed" ? {} : assigned(points, model.get("centers"))) });
  }
  function addPoint([x, y]) {
    if (model.get("points").length >= POINTS_MAX) { event = `${POINTS_MAX} points are enough.`; redrawSoon(); return; }
    const digits = (v) => +v.toFixed(3);
    changePoints([...model.get("points"), [digits(x), digits(y)]], "Point added.");
  }
  function removePoint(i) {
    const { points, k } = read();
    if (points.length <= k) { event = `${k} clusters need at least ${k} points.`; redrawSoon(); return; }
    changePoints(points.filter((_, j) => j !== i), "Point removed.");
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------------------
  const cellPool = pool(cells, () => svg("path", { "stroke-width": 1.2 }));
  const ringPool = pool(rings, () => svg("circle", { r: 9, fill: "none", "stroke-width": 2.2, style: "stroke:var(--mlc-text)" }));
  const badgePool = pool(badges, (j) => svg("g", {},
    svg("path", { d: shape(SHAPES[j % 8], 0, 0, 8.5), style: `fill:${classPaint(j)};stroke:var(--mlc-text);stroke-width:2;stroke-linejoin:round` }),
    svg("text", { class: "mlc-words", x: 11, y: -8, text: String(j + 1), style: "fill:var(--mlc-text);font-weight:700;font-size:12px" })));
  function drawPlane({ points, centers, labels }) {
    const known = labels.length === points.length, xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
    dots.set(known ? { x: xs, y: ys, c: labels, size: 3.6 } : { x: [], y: [], c: [] });
    loose.set({ x: known ? [] : xs, y: known ? [] : ys, size: 3.6 });
    spokes.set(known ? { x1: xs, y1: ys, x2: labels.map((j) => centers[j][0]), y2: labels.map((j) => centers[j][1]) } : { x1: [], y1: [], x2: [], y2: [] });
    paths.set({ x: centers.map((_, j) => trail.map((t) => t[j][0])), y: centers.map((_, j) => trail.map((t) => t[j][1])) });
    drawShapes();
    grips.set(centers);
  }
  function drawShapes() {                                // what this file draws itself; again after a change of size
    const { points, centers } = read(), [x0, x1, y0, y1] = plane.area;
    const limits = [plane.X.invert(x0), plane.X.invert(x1), plane.Y.invert(y1), plane.Y.invert(y0)];
    cellPool(centers.length).forEach((e, j) => {
      const poly = cellOf(j, centers, limits);
      e.setAttribute("d", poly.length ? "M" + poly.map(([x, y]) => `${plane.X(x)} ${plane.Y(y)}`).join("L") + "Z" : "");
      e.setAttribute("style", `fill:${classPaint(j)};fill-opacity:.13;stroke:var(--mlc-soft);stroke-opacity:.55`);
    });
    const alive = marked.filter((i) => i < points.length);
    ringPool(alive.length).forEach((e, m) => fill(e, { cx: plane.X(points[alive[m]][0]), cy: plane.Y(points[alive[m]][1]) }, []));
    badgePool(centers.length).forEach((e, j) => {
      e.style.transition = glide && !reducedMotion() ? "transform .35s" : "none";
      e.style.transform = `translate(${plane.X(centers[j][0])}px,${plane.Y(centers[j][1])}px)`;
    });
  }
  function drawCurve({ history }) {
    const n = history.length, top = n ? Math.max(...history) : 1, x = history.map((_, i) => i + 1);
    curve.setLimits([0, Math.max(8, n + 1)], [0, 1.08 * (top || 1)]);
    line.set({ x, y: history });
    steps.forEach((mark, odd) => mark.set({ x: x.filter((_, i) => i % 2 === odd), y: history.filter((_, i) => i % 2 === odd), size: n > 60 ? 2.5 : 4 }));
    floor.set(lowest === null ? { x: [], y: [] } : { x: [0, Math.max(8, n + 1)], y: [lowest, lowest] });
    curve.setAlt(n ? `The distortion after each of ${n} half-steps, from ${show(history[0], 4)} down to ${show(history[n - 1], 4)}.` : "No half-step yet.");
  }
  function words({ points, centers, labels, distortion, history, stage }) {
    const n = history.length, empty = labels.length ? sizes(labels, centers.length).flatMap((c, j) => (c ? [] : [j + 1])) : [];
    const which = (n - 1) % 2 ? "move" : "assign", rounds = Math.floor(n / 2);
    const head = stage === "placed" ? `${points.length} points, ${centers.length} centers, nothing assigned yet.`
      : `J = ${show(distortion, 5)} after half-step ${n} (${which}).`;
    const next = {
      placed: "Next: Assign gives every point to its nearest center.", assigned: "Next: Move takes every center to the mean of its points.",
      moved: "Next: Assign again.", done: `No label changed in the last assignment: stopped after ${rounds} round${rounds === 1 ? "" : "s"}.`,
    }[stage];
    const none = !empty.length ? "" : (empty.length === 1 ? `Cluster ${empty[0]} is empty: no point is nearest to its center, so it has no mean (0/0).`
      : `Clusters ${empty.join(", ")} are empty: no point is nearest to their centers, so they have no means (0/0).`)
      + (stage === "assigned" ? " Move will give each empty one the point farthest from its own center." : "");
    return [head, event, none, event.startsWith(`${MANY} `) ? "" : next].filter(Boolean).join(" ");
  }
  const redraw = guard(() => {
    queued = false;
    const s = read(), bold = s.stage === "assigned" ? "move" : s.stage === "done" ? "" : "assign";
    if (trail[trail.length - 1] !== s.centers) { trail = [s.centers]; lastLabels = null; event = ""; marked = []; }      // set from Python or by another view
    dataMenu.set(dataNames.indexOf(s.data)); startMenu.set(startNames.indexOf(s.start)); kSlider.set(s.k - 1);
    for (const name in stepButtons) stepButtons[name].style.cssText = name === bold ? "font-weight:700;border-color:var(--mlc-focus)" : "";
    drawPlane(s);
    glide = false;
    drawCurve(s);
    plane.setAlt(`${s.points.length} points and ${s.centers.length} centers with the regions nearest to each; ${s.labels.length ? "cluster sizes " + sizes(s.labels, s.centers.length).join(", ") : "not assigned"}.`);
    out.set(words(s));
    out.el.style.minHeight = `${Math.max(parseFloat(out.el.style.minHeight), out.el.offsetHeight / parseFloat(getComputedStyle(out.el).fontSize))}em`;     // it may grow, but the panels below should not jump back
  });
  function redrawSoon() { if (!queued) { queued = true; queueMicrotask(redraw); } }
  for (const t of TRAITS) model.on("change:" + t, redrawSoon);
  plane.onLayout(drawShapes);
  pen.set([cursor]);
  redraw();
  el.mlcoreRedraw = redraw;
  el.mlcoreState = read;
  return () => { pause(); for (const t of TRAITS) model.off("change:" + t, redrawSoon); plane.destroy(); curve.destroy(); dropRestarts(); };
});
