// Kernel regression under the reader's hand. The arithmetic is that of mlcore's smoothing.py, for one feature.
const PROFILES = {
  gaussian: (u) => Math.exp(-0.5 * u * u),
  epanechnikov: (u) => Math.max(1 - u * u, 0),
  tricube: (u) => { const v = Math.max(1 - u * u * u, 0); return v * v * v; },
  boxcar: (u) => (u <= 1 ? 1 : 0),
};
const DEEP = -460;                               // a Gaussian weight below e^-460 = 1e-200 of the largest is neglected, as in mlcore

// The number of the point nearest to q, apart from point `skip`.
function nearestTo(xs, q, skip = -1) {
  let near = -1, best = Infinity;
  for (let i = 0; i < xs.length; i++) { const d = Math.abs(q - xs[i]); if (d < best && i !== skip) { best = d; near = i; } }
  return near;
}
// Weight of the point at distance d, where the nearest one has the distance `best`: Gaussian weights are relative to it and cannot all underflow.
function weigh(kernel, d, best, h) {
  if (kernel !== "gaussian") return d > h ? 0 : PROFILES[kernel](d / h);
  const e = (best - d) * (best + d) / (2 * h * h);
  return e < DEEP ? 0 : Math.exp(e);
}
// Fit at q without point `skip`; `near` is the point nearest to q. The value is NaN if no point is in the window. Coordinates are taken
// from the nearest point. It has the largest weight, at least 1/n of all, so the variance in one pass keeps its digits but a factor n.
function localFit(xs, ys, q, h, kernel, order, near = nearestTo(xs, q), skip = -1) {
  const n = xs.length, x0 = xs[near], y0 = ys[near], best = Math.abs(q - x0);
  let w0 = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
  for (let i = 0; i < n; i++) {
    if (i === skip) continue;
    const w = weigh(kernel, Math.abs(q - xs[i]), best, h);
    if (w === 0) continue;
    const x = xs[i] - x0, y = ys[i] - y0;
    w0 += w; wx += w * x; wxx += w * x * x; wy += w * y; wxy += w * x * y;
  }
  if (w0 === 0) return { value: NaN, slope: 0, total: 0, mean: 0, tilt: 0 };
  const mean = wx / w0, variance = wxx / w0 - mean * mean, away = q - x0 - mean;
  const line = order === 1 && variance > 0, slope = line ? (wxy / w0 - mean * wy / w0) / variance : 0;     // one place only: no slope
  return { value: y0 + wy / w0 + slope * away, slope, total: w0, mean: x0 + mean, tilt: line ? away / variance : 0 };
}
// 1 / (sum of the squared weights of a fit): its variance is that of a mean of so many points.
function worthOf(fit, xs, q, h, kernel) {
  const best = Math.abs(q - xs[nearestTo(xs, q)]);
  let sum = 0;
  for (const x of xs) sum += (weigh(kernel, Math.abs(q - x), best, h) / fit.total * (1 + fit.tilt * (x - fit.mean))) ** 2;
  return fit.total ? 1 / sum : 0;
}
// Mean squared leave-one-out error; Infinity if some point has no other point in its window. `alone` counts those.
// others[i] is the point nearest to point i, the same for every bandwidth.
function looError(xs, ys, h, kernel, order, others) {
  let sum = 0, alone = 0;
  for (let i = 0; i < xs.length; i++) {
    const f = localFit(xs, ys, xs[i], h, kernel, order, others[i], i).value;
    if (f === f) sum += (ys[i] - f) ** 2; else alone++;
  }
  return { error: alone ? Infinity : sum / xs.length, alone };
}

register("kernel_bandwidth", ({ model, el, box, spec, guard }) => {
  const grid = spec.bandwidths, [x0, x1] = spec.xlim, [y0, y1] = spec.ylim, floor = y0 + 0.005 * (y1 - y0);
  const get = (k) => model.get(k), put = (k, v) => { model.set(k, v); model.save_changes(); };
  const nearest = (h) => grid.reduce((b, g, i) => (Math.abs(Math.log(g / h)) < Math.abs(Math.log(grid[b] / h)) ? i : b), 0);
  const tidy = (v, span) => +v.toFixed(Math.max(0, 3 - Math.floor(Math.log10(span))));       // four digits of the panel's width
  if (![get("bandwidth"), get("query"), get("order")].every(Number.isFinite)) throw new Error("bandwidth, query and order must be numbers");
  let note = "";                                 // a message that the next change removes

  fill(box, { role: "group", "aria-label": spec.title }, []);
  box.append(h("div", { class: "mlc-title", text: spec.title }), h("p", { class: "mlc-hidden", text: spec.alt }));
  box.append(h("p", { style: "margin:-.3em 0 .6em;color:var(--mlc-soft);font-size:13px", text: "Drag the points and the triangle, which is the query"
    + (spec.show_loo ? ", or the round marker of the bandwidth" : "") + ". A click adds a point; a double click or the Delete key removes one." }));
  const bar = box.appendChild(h("div", { class: "mlc-controls" }));
  const width = slider(bar, { label: "bandwidth h", name: "bandwidth", texts: grid.map((g) => show(g)), index: nearest(get("bandwidth")), onInput: (i) => put("bandwidth", grid[i]) });
  const choose = (label, name, options) => options.length > 1 && select(bar, { label, name, texts: options.map((o) => o[1]), index: options.findIndex((o) => o[0] === get(name)), onInput: (i) => put(name, options[i][0]) });
  const kernels = choose("kernel", "kernel", spec.kernels), orders = choose("fit", "order", spec.orders);
  const data = spec.examples.length > 1 && select(bar, { label: "data", name: "data", texts: spec.examples.map((e) => e[0]), index: 0, onInput: (i) => put("points", spec.examples[i][1]) });
  const buttons = bar.appendChild(h("div", { class: "mlc-buttons" }));
  if (spec.show_loo) button(buttons, "Best h", guard(() => { const b = curve().best; if (b >= 0) put("bandwidth", grid[b]); }), { title: "the bandwidth with the smallest leave-one-out error" });
  button(buttons, "Add point", guard(() => {
    const f = state().fit;
    if (add([get("query"), f === f ? f : (y0 + y1) / 2])) dragPoints.focus(get("points").length - 1);
  }), { title: "at the query; a click in the plot adds one there" });
  button(buttons, "Reset", guard(() => {
    note = "";
    if (data) data.set(0);
    for (const k in spec.start) model.set(k, spec.start[k]);
    model.save_changes();
  }));

  const row = box.appendChild(h("div", { class: "mlc-panels " + (spec.show_loo ? "mlc-of2" : "mlc-of1") }));
  const main = plot(row, { xlabel: spec.xlabel, ylabel: spec.ylabel, xlim: spec.xlim, ylim: spec.ylim, height: 320 });
  const window_ = main.add({ kind: "area", color: "accent", opacity: 0.35, label: "window at the query" });
  const here = main.add({ kind: "refline", color: "neutral", width: 1, dash: "dash" });
  const local = main.add({ kind: "line", color: "accent", width: 3, opacity: 0.9, label: "local fit" });
  const fitted = main.add({ kind: "line", color: "estimate", width: 2.2, label: "fitted curve" });
  const all = main.add({ kind: "dots", color: "data", opacity: 0.45 });
  const heavy = main.add({ kind: "dots", color: "data", opacity: 0.9, label: "points, by weight" });
  const spot = main.add({ kind: "dots", color: "estimate", marker: "diamond" });
  const qs = linspace(x0, x1, 301);

  const loo = spec.show_loo && plot(row, { xlabel: "bandwidth h", ylabel: "leave-one-out error", xlim: [grid[0], grid[grid.length - 1]], ylim: [0, 1], xscale: "log", height: 320 });
  const none = loo && loo.add({ kind: "area", color: "neutral", opacity: 0.18, label: "not defined" });
  const errors = loo && loo.add({ kind: "line", color: "error", width: 2.2, label: "error" });
  const least = loo && loo.add({ kind: "dots", color: "truth", marker: "star", label: "smallest" });
  const now = loo && loo.add({ kind: "refline", color: "estimate", width: 1.5, dash: "dash", label: "now" });
  let top = 0;
  const out = readout(box);

  const move = (i, p) => { note = ""; const all = get("points").slice(); all[i] = [tidy(p[0], x1 - x0), tidy(p[1], y1 - y0)]; model.set("points", all); };
  const dragPoints = handles(main, { label: (i) => `point ${i + 1}`, size: 0, onMove: guard(move), onDone: () => model.save_changes(), onRemove: guard((i) => remove(i)) });
  const dragQuery = handles(main, { label: () => "query", axis: "x", shape: "triangle", size: 8, color: "accent", onMove: guard((i, p) => { note = ""; model.set("query", tidy(p[0], x1 - x0)); }), onDone: () => model.save_changes() });
  const dragWidth = loo && handles(loo, { label: () => "current bandwidth", axis: "x", shape: "circle", size: 6, color: "estimate", onMove: guard((i, p) => model.set("bandwidth", grid[nudge(p[0])])), onDone: () => model.save_changes() });
  function nudge(wanted) {                       // an arrow key moves by at least one step of the slider
    const i = nearest(get("bandwidth")), j = nearest(wanted);
    return i !== j || wanted === grid[i] ? j : Math.max(0, Math.min(grid.length - 1, i + Math.sign(wanted - grid[i])));
  }
  onPlotClick(main, guard((p) => add([tidy(p[0], x1 - x0), tidy(p[1], y1 - y0)])));

  function add(p) {
    if (get("points").length >= spec.limits[1]) { note = `There are ${spec.limits[1]} points, which is the most this figure takes.\n`; update(); return false; }
    note = "";
    put("points", [...get("points"), [tidy(p[0], x1 - x0), tidy(p[1], y1 - y0)]]);
    return true;
  }
  function remove(i) {
    if (get("points").length <= spec.limits[0]) { note = `At least ${spec.limits[0]} points are needed.\n`; return update(); }
    note = "";
    put("points", get("points").filter((_, j) => j !== i));
  }

  let known = {}, cached = null;                 // the error curve depends on the points, the kernel and the order only
  function curve() {
    const key = { points: get("points"), kernel: get("kernel"), order: get("order") };
    if (!cached || Object.keys(key).some((k) => key[k] !== known[k])) {
      const xs = key.points.map((p) => p[0]), ys = key.points.map((p) => p[1]);
      const others = xs.map((x, i) => nearestTo(xs, x, i)), e = grid.map((g) => looError(xs, ys, g, key.kernel, key.order, others).error);
      const most = Math.min(...e) * (1 + 1e-9);     // where the curve is flat, rounding must not choose: the first of equal errors
      cached = { errors: e, best: e.findIndex((v) => isFinite(v) && v <= most) };
      known = key;
    }
    return cached;
  }
  function state() {
    const points = get("points"), q = get("query"), width = get("bandwidth"), kernel = get("kernel"), order = get("order");
    const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]), f = localFit(xs, ys, q, width, kernel, order);
    const others = xs.map((x, i) => nearestTo(xs, x, i));
    return { xs, ys, q, h: width, kernel, order, fit: f.value, slope: f.slope, worth: worthOf(f, xs, q, width, kernel), loo: looError(xs, ys, width, kernel, order, others) };
  }

  function draw() {
    const s = state(), w = s.xs.map((x) => PROFILES[s.kernel](Math.abs(x - s.q) / s.h)), reach = (s.kernel === "gaussian" ? 3 : 1) * s.h;
    width.set(nearest(s.h));
    width.el.querySelector(".mlc-value").textContent = show(s.h);
    if (kernels) kernels.set(spec.kernels.findIndex((o) => o[0] === s.kernel));
    if (orders) orders.set(spec.orders.findIndex((o) => o[0] === s.order));
    const u = linspace(-1, 1, 81), tall = 0.24 * (y1 - y0);
    window_.set({ x: u.map((v) => s.q + reach * v), low: y0, high: u.map((v) => y0 + tall * PROFILES[s.kernel](Math.abs(reach * v) / s.h)) });
    here.set({ x: [s.q] });
    fitted.set({ x: qs, y: qs.map((q) => localFit(s.xs, s.ys, q, s.h, s.kernel, s.order).value) });
    const ends = [Math.max(x0, s.q - Math.min(reach, 2 * s.h)), Math.min(x1, s.q + Math.min(reach, 2 * s.h))], empty = s.fit !== s.fit;
    local.set({ x: ends, y: ends.map((x) => s.fit + s.slope * (x - s.q)) });
    all.set({ x: s.xs, y: s.ys, size: 3.2 });
    heavy.set({ x: s.xs, y: s.ys, size: w.map((v) => (v > 0 ? 3.2 + 4.8 * Math.sqrt(v) : 0)) });
    spot.set({ x: [s.q], y: [s.fit], size: 6 });
    dragPoints.set(get("points"));
    dragQuery.set([[s.q, floor]]);
    main.setAlt(empty ? `${s.xs.length} points; no point is within the bandwidth of the query` : `${s.xs.length} points and the fitted curve; at the query ${show(s.q)} the fit is ${show(s.fit)}`);
    if (loo) drawLoo(s);
    out.set(note + words(s));
  }
  function drawLoo(s) {
    const c = curve(), e = c.errors, last = e[e.length - 1], least_ = c.best < 0 ? NaN : e[c.best];
    const wanted = c.best < 0 ? 1 : +(1.3 * Math.max(isFinite(last) ? last : 0, 2 * least_, 1e-9)).toPrecision(2);
    if (wanted !== top) { top = wanted; loo.setLimits(null, [0, top]); }
    const first = e.findIndex(isFinite), open = first < 0 ? grid.length - 1 : first;
    none.set({ x: open ? [grid[0], grid[open]] : [], low: 0, high: top });
    errors.set({ x: grid, y: e.map((v) => (isFinite(v) ? v : NaN)) });
    least.set({ x: [c.best < 0 ? NaN : grid[c.best]], y: [least_], size: 6 });
    now.set({ x: [s.h] });
    dragWidth.set([[Math.max(grid[0], Math.min(grid[grid.length - 1], s.h)), Math.min(isFinite(s.loo.error) ? s.loo.error : 0.5 * top, 0.97 * top)]]);
    loo.setAlt(c.best < 0 ? "no bandwidth of the slider predicts every point" : `leave-one-out error against bandwidth, smallest ${show(least_)} at ${show(grid[c.best])}`);
  }
  function words(s) {
    const at = s.fit === s.fit
      ? `Fit at ${spec.xlabel} = ${show(s.q, 4)}: ${show(s.fit, 4)}, as noisy as a mean of ${show(s.worth, 2)} points.`
      : `Fit at ${spec.xlabel} = ${show(s.q, 4)}: none. No point lies within h = ${show(s.h)} of the query, so there is nothing to average: the curve has a gap.`;
    if (!loo) return at;
    const c = curve(), best = c.best < 0 ? "No bandwidth of the slider predicts every point." : `Smallest: ${show(c.errors[c.best], 4)} at h = ${show(grid[c.best])}.`;
    const error = isFinite(s.loo.error) ? `Leave-one-out error: ${show(s.loo.error, 4)}. `
      : `Leave-one-out error: not defined, as ${s.loo.alone} ${s.loo.alone === 1 ? "point has" : "points have"} no other point within h. `;
    return `${at}\n${error}${best}`;
  }
  const update = guard(draw), watched = ["points", "bandwidth", "query", "kernel", "order"];
  watched.forEach((k) => model.on("change:" + k, update));
  update();
  el.mlcoreNumbers = () => {                                       // what the tests compare with mlcore
    const s = state(), now = Object.fromEntries(watched.map((k) => [k, get(k)]));
    return { ...now, fit: s.fit, worth: s.worth, loo: s.loo.error, alone: s.loo.alone, qs, curve: fitted.values.y, bandwidths: grid, errors: curve().errors, best: curve().best };
  };
  el.mlcoreRedraw = () => { cached = null; draw(); };             // for timing: everything anew
  return () => { watched.forEach((k) => model.off("change:" + k, update)); main.destroy(); if (loo) loo.destroy(); };
});
