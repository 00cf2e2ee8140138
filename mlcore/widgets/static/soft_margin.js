// A soft-margin support vector machine under the reader's hand: SMO on signed multipliers, as in mlcore's solver.py.
const TOL = 1e-6, STEPS = 60000, FLAT = 1e-12;

function gramOf(points, kernel, width) {
  const scale = -0.5 / (width * width);
  return points.map((p) => points.map((q) => valueOf(p, q, kernel, scale)));
}
function valueOf(p, q, kernel, scale) {
  if (kernel === "linear") return p[0] * q[0] + p[1] * q[1];
  const dx = p[0] - q[0], dy = p[1] - q[1];
  return Math.exp(scale * (dx * dx + dy * dy));
}
// Maximize y.beta - beta'K beta / 2 with sum(beta) = 0 and beta between 0 and C y. The pair: i most wants to rise, j gains most.
function solveBox(K, y, C) {
  const n = y.length, beta = new Float64Array(n), g = Float64Array.from(y), A = y.map((s) => Math.min(0, C * s)), B = y.map((s) => Math.max(0, C * s));
  const flat = FLAT * Math.max(1e-100, ...K.map((row, i) => row[i]));
  let steps = 0, violation = Infinity;
  for (; steps < STEPS; steps++) {
    let i = -1, top = -Infinity, low = Infinity, j = -1, best = 0;
    for (let t = 0; t < n; t++) if (beta[t] < B[t] && g[t] > top) { top = g[t]; i = t; }
    for (let t = 0; t < n; t++) {
      if (beta[t] <= A[t]) continue;
      if (g[t] < low) low = g[t];
      const d = top - g[t];
      if (d <= 0) continue;
      const gain = d * d / Math.max(K[i][i] + K[t][t] - 2 * K[i][t], flat);
      if (gain > best) { best = gain; j = t; }
    }
    violation = top - low;
    if (!(violation > TOL) || j < 0) break;
    const bend = K[i][i] + K[j][j] - 2 * K[i][j], roomI = B[i] - beta[i], roomJ = beta[j] - A[j];
    const t = Math.min(bend > flat ? (g[i] - g[j]) / bend : Infinity, roomI, roomJ);
    beta[i] = t === roomI ? B[i] : beta[i] + t;
    beta[j] = t === roomJ ? A[j] : beta[j] - t;
    for (let k = 0; k < n; k++) g[k] -= t * (K[i][k] - K[j][k]);
  }
  let sum = 0, free = 0, low = -Infinity, high = Infinity;
  for (let t = 0; t < n; t++) {
    if (beta[t] > A[t] && beta[t] < B[t]) { sum += g[t]; free++; }
    if (beta[t] < B[t]) low = Math.max(low, g[t]);
    if (beta[t] > A[t]) high = Math.min(high, g[t]);
  }
  return { beta, g, b: free ? sum / free : (low + high) / 2, steps, violation };
}
// The curve z = level on a grid as segments, by linear interpolation on the edges of every cell.
function levelCurve(xs, ys, z, level) {
  const out = { x1: [], y1: [], x2: [], y2: [] };
  for (let i = 0; i + 1 < ys.length; i++) for (let j = 0; j + 1 < xs.length; j++) {
    const corners = [[xs[j], ys[i], z[i][j]], [xs[j + 1], ys[i], z[i][j + 1]], [xs[j + 1], ys[i + 1], z[i + 1][j + 1]], [xs[j], ys[i + 1], z[i + 1][j]]], cuts = [];
    for (let k = 0; k < 4; k++) {
      const [ax, ay, av] = corners[k], [bx, by, bv] = corners[(k + 1) % 4];
      if ((av < level) === (bv < level)) continue;
      const s = (level - av) / (bv - av);
      cuts.push([ax + s * (bx - ax), ay + s * (by - ay)]);
    }
    for (let k = 0; k + 1 < cuts.length; k += 2) { out.x1.push(cuts[k][0]); out.y1.push(cuts[k][1]); out.x2.push(cuts[k + 1][0]); out.y2.push(cuts[k + 1][1]); }
  }
  return out;
}

register("soft_margin", ({ model, el, box, spec, guard }) => {
  const [x0, x1] = spec.xlim, [y0, y1] = spec.ylim, watched = ["points", "labels", "C", "kernel", "bandwidth"];
  const get = (k) => model.get(k), put = (values) => { for (const k in values) model.set(k, values[k]); model.save_changes(); };
  const nearest = (grid, v) => grid.reduce((b, g, i) => (Math.abs(Math.log(g / v)) < Math.abs(Math.log(grid[b] / v)) ? i : b), 0);
  const tidy = (v) => +v.toFixed(2);
  if (![get("C"), get("bandwidth")].every(Number.isFinite) || get("points").length !== get("labels").length) throw new Error("points, labels, C and bandwidth do not fit together");
  let note = "", side = 1, queued = false;       // note: a message that the next change removes; side: the class a click adds

  fill(box, { role: "group", "aria-label": spec.title }, []);
  box.append(h("div", { class: "mlc-title", text: spec.title }), h("p", { class: "mlc-hidden", text: spec.alt }));
  box.append(h("p", { style: "margin:-.3em 0 .6em;color:var(--mlc-soft);font-size:13px", text: "Drag the points. A click adds one of the chosen class; a double click or the Delete key removes one." }));
  const bar = box.appendChild(h("div", { class: "mlc-controls" }));
  const price = slider(bar, { label: "C", name: "C", texts: spec.Cs.map((c) => show(c)), index: nearest(spec.Cs, get("C")), onInput: (i) => put({ C: spec.Cs[i] }) });
  const kernels = select(bar, { label: "kernel", name: "kernel", texts: spec.kernels.map((k) => k[1]), onInput: (i) => put({ kernel: spec.kernels[i][0] }) });
  const width = slider(bar, { label: "bandwidth σ", name: "bandwidth", texts: spec.bandwidths.map((c) => show(c)), index: nearest(spec.bandwidths, get("bandwidth")), onInput: (i) => put({ bandwidth: spec.bandwidths[i] }) });
  const data = spec.examples.length > 1 && select(bar, { label: "data", name: "data", texts: spec.examples.map((e) => e[0]), onInput: (i) => { note = ""; put({ points: spec.examples[i][1], labels: spec.examples[i][2] }); } });
  const classes = select(bar, { label: "a click adds", name: "class", texts: ["● class −1", "■ class +1"], index: 1, onInput: (i) => { side = i ? 1 : -1; note = `A click now adds ${i ? "■ class +1" : "● class −1"}. `; redraw(); } });
  const buttons = bar.appendChild(h("div", { class: "mlc-buttons" }));
  button(buttons, "Add point", guard(() => { if (add([tidy((x0 + x1) / 2), tidy((y0 + y1) / 2)])) { update(); grips.focus(get("points").length - 1); } }), { title: "in the middle of the plane; a click in the plot adds one there" });
  button(buttons, "Reset", guard(() => { note = ""; side = 1; classes.set(1); if (data) data.set(0); put(spec.start); }));

  const row = box.appendChild(h("div", { class: "mlc-panels mlc-of2" }));
  const plane = plot(row, { title: "Boundary and margin", xlabel: "x₁", ylabel: "x₂", xlim: spec.xlim, ylim: spec.ylim, aspect: "equal" });
  const regions = plane.add({ kind: "heatmap", classes: true, opacity: 0.13 });
  const slackLines = plane.add({ kind: "segments", color: "error", width: 2.2, label: "slack" });
  const margins = plane.add({ kind: "segments", color: "neutral", width: 1.3, label: "margin, f = ±1" });
  const boundary = plane.add({ kind: "segments", color: "text", width: 2.6, label: "boundary, f = 0" });
  const dots = plane.add({ kind: "dots", opacity: 0.95 });
  const freeRings = plane.add({ kind: "dots", color: "truth", hollow: true, label: "0 < α < C" });
  const boundRings = plane.add({ kind: "dots", color: "error", hollow: true, marker: "diamond", label: "α = C" });
  const bars = plot(row, { title: "Multiplier and slack of each point", xlabel: "point", ylabel: "α / C and slack ξ", xlim: [0, 10], ylim: [0, 1.1], height: 300 });
  const alphas = bars.add({ kind: "bars", opacity: 0.8, width: 0.7 });
  const xis = bars.add({ kind: "dots", color: "error", marker: "diamond", label: "slack ξ" });
  const wrong = bars.add({ kind: "refline", color: "neutral", width: 1, dash: "dash", label: "ξ = 1: on the boundary" });
  const out = readout(box);
  const nx = 73, ny = 59, gx = linspace(x0, x1, nx), gy = linspace(y0, y1, ny);

  const grips = handles(plane, {
    label: (i) => `point ${i + 1}, class ${get("labels")[i] > 0 ? "+1" : "−1"},`, size: 0,
    onMove: guard((i, p) => { note = ""; const all = get("points").slice(); all[i] = [tidy(p[0]), tidy(p[1])]; model.set("points", all); }),
    onDone: () => model.save_changes(), onRemove: guard(remove),
  });
  onPlotClick(plane, guard((p) => add([tidy(p[0]), tidy(p[1])])));
  function add(p) {
    if (get("points").length >= spec.limits[1]) { note = `There are ${spec.limits[1]} points, which is the most this figure takes. `; redraw(); return false; }
    note = "";
    put({ points: [...get("points"), p], labels: [...get("labels"), side] });
    return true;
  }
  function remove(i) {
    const labels = get("labels").filter((_, j) => j !== i);
    if (new Set(labels).size < 2) { note = "Each class needs at least one point. "; return redraw(); }
    note = "";
    put({ points: get("points").filter((_, j) => j !== i), labels });
  }

  function solution() {
    const points = get("points"), labels = get("labels"), C = get("C"), kernel = get("kernel"), sigma = get("bandwidth");
    const K = gramOf(points, kernel, sigma), run = solveBox(K, labels, C), beta = Array.from(run.beta);
    const scores = labels.map((s, i) => s - run.g[i]);                                  // K beta
    const xi = labels.map((s, i) => Math.max(0, 1 - s * (scores[i] + run.b)));
    const square = dot(beta, scores), alpha = beta.map(Math.abs), sum = (v) => v.reduce((a, b) => a + b, 0);
    return { points, labels, C, kernel, sigma, beta, alpha, b: run.b, xi, square, steps: run.steps, violation: run.violation,
      dual: sum(alpha) - square / 2, primal: square / 2 + C * sum(xi), wrong: xi.filter((v) => v > 1).length,
      w: kernel === "linear" ? [0, 1].map((d) => sum(points.map((p, i) => beta[i] * p[d]))) : null };
  }
  function field(s) {
    if (s.w) return gy.map((y) => gx.map((x) => s.w[0] * x + s.w[1] * y + s.b));
    const sv = s.points.map((p, i) => [p, s.beta[i]]).filter((e) => e[1] !== 0), scale = -0.5 / (s.sigma * s.sigma);
    // exp(-(dx² + dy²)) is a product: two short tables instead of one exponential per grid point
    const tx = sv.map(([p]) => gx.map((x) => Math.exp(scale * (x - p[0]) ** 2))), ty = sv.map(([p, c]) => gy.map((y) => c * Math.exp(scale * (y - p[1]) ** 2)));
    return gy.map((_, i) => gx.map((_, j) => { let f = s.b; for (let k = 0; k < sv.length; k++) f += ty[k][i] * tx[k][j]; return f; }));
  }
  let last = null;
  function draw() {
    queued = false;
    const s = last = solution(), z = field(s), xs = s.points.map((p) => p[0]), ys = s.points.map((p) => p[1]);
    price.set(nearest(spec.Cs, s.C)); price.el.querySelector(".mlc-value").textContent = show(s.C);
    width.set(nearest(spec.bandwidths, s.sigma)); width.el.querySelector(".mlc-value").textContent = show(s.sigma);
    width.input.disabled = s.kernel === "linear";
    kernels.set(spec.kernels.findIndex((k) => k[0] === s.kernel));
    regions.set({ x: [x0, x1], y: [y0, y1], z: z.map((r) => r.map((f) => (f >= 0 ? 1 : 0))) });
    const up = levelCurve(gx, gy, z, 1), down = levelCurve(gx, gy, z, -1), join = (k) => [...up[k], ...down[k]];
    margins.set({ x1: join("x1"), y1: join("y1"), x2: join("x2"), y2: join("y2") });
    boundary.set(levelCurve(gx, gy, z, 0));
    const loose = s.w && s.square > 1e-12 ? s.xi.map((v, i) => [v, i]).filter((e) => e[0] > 1e-6) : [];
    const foot = (d) => loose.map(([v, i]) => s.points[i][d] + s.labels[i] * v * s.w[d] / s.square);
    slackLines.set({ x1: loose.map((e) => xs[e[1]]), y1: loose.map((e) => ys[e[1]]), x2: foot(0), y2: foot(1) });
    const pick = (keep) => { const on = s.alpha.map((a, i) => [a, i]).filter((e) => keep(e[0])).map((e) => e[1]); return { x: on.map((i) => xs[i]), y: on.map((i) => ys[i]), size: 9 }; };
    dots.set({ x: xs, y: ys, c: s.labels.map((l) => (l > 0 ? 1 : 0)), size: 4.6 });
    freeRings.set(pick((a) => a > 0 && a < s.C));
    boundRings.set(pick((a) => a >= s.C));
    grips.set(s.points);
    const number = xs.map((_, i) => i + 1), top = Math.max(1.1, 1.08 * Math.max(...s.xi));
    bars.setLimits([0.3, xs.length + 0.7], [0, +top.toPrecision(3)]);
    alphas.set({ x: number, y: s.alpha.map((a) => a / s.C), c: s.labels.map((l) => (l > 0 ? 1 : 0)) });
    xis.set({ x: number, y: s.xi.map((v) => (v > 1e-6 ? v : NaN)), size: 4 });
    wrong.set({ y: [1] });
    const free = s.alpha.filter((a) => a > 0 && a < s.C).length, bound = s.alpha.filter((a) => a >= s.C).length;
    plane.setAlt(`${xs.length} points, ${free + bound} of them support vectors; ${s.wrong} on the wrong side of the boundary`);
    bars.setAlt(`multipliers: ${bound} points at C, ${free} between 0 and C; largest slack ${show(Math.max(...s.xi))}`);
    out.set(note + words(s, free, bound));
  }
  function words(s, free, bound) {
    const size = s.square > 1e-12 ? `1/‖w‖ = ${show(1 / Math.sqrt(s.square), 4)}` : "w = 0: the machine gives every point the same answer";
    const end = s.violation > TOL ? `Stopped after ${s.steps} steps with the KKT conditions violated by ${show(s.violation, 2)}.` : `SMO: ${s.steps} pair steps.`;
    return `Primal ½‖w‖² + CΣξ = ${show(s.primal, 6)}, dual W(α) = ${show(s.dual, 6)}. Margin ${size}; total slack ${show(+s.xi.reduce((a, b) => a + b, 0).toFixed(5), 4)}.\n`
      + `${free + bound} of ${s.points.length} points are support vectors, ${bound} with α = C; ${s.wrong} misclassified. ${end}`;
  }
  const update = guard(draw);
  function redraw() { if (!queued) { queued = true; queueMicrotask(update); } }         // points and labels change together: draw once
  watched.forEach((k) => model.on("change:" + k, redraw));
  update();
  el.mlcoreNumbers = () => { const { points, labels, C, kernel, sigma, ...rest } = last; return { points, labels, C, kernel, bandwidth: sigma, ...rest, gx, gy, field: field(last) }; };
  el.mlcoreRedraw = update;
  return () => { watched.forEach((k) => model.off("change:" + k, redraw)); plane.destroy(); bars.destroy(); };
});
