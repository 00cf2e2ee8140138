// The bias-variance playground. The learner is the penalized polynomial of mlcore.generalization.bias_variance:
// Legendre polynomials of mean square 1 on [-1, 1], the constant not penalized, n equally spaced inputs.

const GRID = linspace(-1, 1, 101);
const KNOT_X = linspace(-1, 1, 9);
const RIDGE_AXIS = linspace(-4, 3, 29);               // log10 of the penalties on the ridge axis
const FUNCTIONS = {
  sine: (x) => Math.sin(Math.PI * x),
  step: (x) => 0.8 * Math.tanh(25 * x),
  bump: (x) => 1.6 * Math.exp(-18 * (x - 0.2) ** 2) - 0.6,
  cubic: (x) => 2.6 * x ** 3 - 1.8 * x,
};
const NAMES = { sine: "sine", step: "step", bump: "bump", cubic: "cubic", custom: "drawn by hand" };
const AXIS = { degree: "degree", n: "sample size n", ridge: "ridge λ" };

// ---- the mathematics -------------------------------------------------------------------------------------------------
function legendre(x, degree) {                        // one row of features: sqrt(2k + 1) P_k(x)
  const P = [1, x];
  for (let k = 1; k < degree; k++) P.push(((2 * k + 1) * x * P[k] - k * P[k - 1]) / (k + 1));
  return P.slice(0, degree + 1).map((v, k) => v * Math.sqrt(2 * k + 1));
}
function pchip(ys) {                                  // monotone cubic through (KNOT_X, ys), as scipy's PchipInterpolator
  const step = KNOT_X[1] - KNOT_X[0], m = ys.slice(1).map((y, i) => (y - ys[i]) / step), last = m.length - 1;
  const edge = (a, b) => {
    const d = (3 * a - b) / 2;
    if (Math.sign(d) !== Math.sign(a)) return 0;
    return Math.sign(a) !== Math.sign(b) && Math.abs(d) > 3 * Math.abs(a) ? 3 * a : d;
  };
  const d = ys.map((_, i) => {
    if (i === 0) return edge(m[0], m[1]);
    if (i > last) return edge(m[last], m[last - 1]);
    return m[i - 1] * m[i] > 0 ? 2 / (1 / m[i - 1] + 1 / m[i]) : 0;
  });
  return (x) => {
    const i = Math.max(0, Math.min(last, Math.floor((x - KNOT_X[0]) / step))), t = (x - KNOT_X[i]) / step, u = 1 - t;
    return ys[i] * u * u * (1 + 2 * t) + ys[i + 1] * t * t * (3 - 2 * t) + step * t * u * (d[i] * u - d[i + 1] * t);
  };
}
// One factorization serves every degree up to `top`: the leading columns of a QR factorization factor the leading columns.
function factor(n, top, ridge) {
  const xs = linspace(-1, 1, n), rows = xs.map((x) => legendre(x, top));
  if (ridge > 0) for (let k = 1; k <= top; k++) rows.push(Array.from({ length: top + 1 }, (_, j) => (j === k ? Math.sqrt(ridge) : 0)));
  const { R, vs } = qr(rows), p = top + 1, inverse = R.slice(0, p).map(() => new Array(p).fill(0));
  for (let j = 0; j < p; j++) {
    inverse[j][j] = 1 / R[j][j];
    for (let i = j - 1; i >= 0; i--) {
      let s = 0;
      for (let k = i + 1; k <= j; k++) s += R[i][k] * inverse[k][j];
      inverse[i][j] = -s / R[i][i];
    }
  }
  return { xs, R, vs, inverse, size: rows.length, ridge };
}
function rotated(F, values) {                         // Q' applied to targets (zeros for the penalty rows)
  const y = values.concat(new Array(F.size - values.length).fill(0));
  for (const [v, vv] of F.vs) if (vv > 0) {
    const s = 2 * dot(v, y) / vv;
    for (let i = 0; i < y.length; i++) y[i] -= s * v[i];
  }
  return y;
}
function coefficients(F, turned, degree) {            // of the fit of this degree, from the rotated targets
  const theta = new Array(degree + 1);
  for (let j = degree; j >= 0; j--) {
    let s = turned[j];
    for (let k = j + 1; k <= degree; k++) s -= F.R[j][k] * theta[k];
    theta[j] = s / F.R[j][j];
  }
  return theta;
}
function covariance(F, degree) {                      // of the coefficients, per unit of sigma^2: M - ridge M D M with M = (R'R)^-1
  const p = degree + 1, M = Array.from({ length: p }, () => new Array(p).fill(0));
  for (let i = 0; i < p; i++) for (let j = i; j < p; j++) {
    let s = 0;
    for (let k = j; k < p; k++) s += F.inverse[i][k] * F.inverse[j][k];
    M[i][j] = M[j][i] = s;
  }
  if (!F.ridge) return M;
  return M.map((row, i) => row.map((v, j) => { let s = 0; for (let k = 1; k < p; k++) s += M[i][k] * M[k][j]; return v - F.ridge * s; }));
}
function evaluate(theta, features) { return features.map((row) => { let s = 0; for (let k = 0; k < theta.length; k++) s += row[k] * theta[k]; return s; }); }
function parts(F, turned, degree, sigma, truth, features, gram) {      // averages over the grid
  const average = evaluate(coefficients(F, turned, degree), features), V = covariance(F, degree);
  let bias2 = 0, variance = 0;
  average.forEach((v, i) => { bias2 += (v - truth[i]) ** 2 / truth.length; });
  for (let i = 0; i <= degree; i++) for (let j = 0; j <= degree; j++) variance += V[i][j] * gram[i][j];
  variance *= sigma * sigma;
  return { noise: sigma * sigma, bias2, variance, total: sigma * sigma + bias2 + variance };
}

// ---- the figure --------------------------------------------------------------------------------------------------------
register("bias_variance", ({ model, el, box, spec, guard }) => {
  const start = {};
  const names = ["truth", "knots", "degree", "n", "sigma", "ridge", "seed", "against"];
  names.forEach((k) => { start[k] = model.get(k); });
  if (!["degree", "n", "sigma", "ridge", "seed"].every((k) => Number.isFinite(start[k]))) throw new Error("its settings must be numbers");
  const features = GRID.map((x) => legendre(x, spec.max_degree));
  const gram = features[0].map((_, i) => features[0].map((__, j) => features.reduce((s, r) => s + r[i] * r[j], 0) / GRID.length));
  const put = (changes) => { for (const k in changes) model.set(k, changes[k]); model.save_changes(); };
  const curveOf = () => (model.get("truth") === "custom" ? pchip(model.get("knots")) : FUNCTIONS[model.get("truth")]);
  const nearest = (values, v) => values.reduce((best, u, i) => (Math.abs(u - v) < Math.abs(values[best] - v) ? i : best), 0);

  fill(box, { role: "group", "aria-label": spec.title }, []);
  box.append(h("div", { class: "mlc-title", text: spec.title }), h("p", { class: "mlc-hidden", text: spec.alt }));
  const bar = box.appendChild(h("div", { class: "mlc-controls" }));
  const truthMenu = select(bar, { label: "true function", name: "truth", texts: spec.truths.map((t) => NAMES[t]), onInput: (i) => put({ truth: spec.truths[i] }) });
  const sliders = {
    degree: slider(bar, { label: "degree", name: "degree", texts: Array.from({ length: spec.max_degree + 1 }, (_, i) => String(i)), onInput: (i) => put({ degree: i }) }),
    n: slider(bar, { label: "sample size n", name: "n", texts: spec.sizes.map(String), onInput: (i) => put({ n: spec.sizes[i] }) }),
    sigma: slider(bar, { label: "noise σ", name: "sigma", texts: spec.sigmas.map((s) => s.toFixed(2)), onInput: (i) => put({ sigma: spec.sigmas[i] }) }),
    ridge: slider(bar, { label: "ridge λ", name: "ridge", texts: spec.ridges.map((r) => show(r)), onInput: (i) => put({ ridge: spec.ridges[i] }) }),
  };
  const axes = Object.keys(AXIS);
  const axisMenu = select(bar, { label: "error against", name: "against", texts: axes.map((a) => AXIS[a]), onInput: (i) => put({ against: axes[i] }) });
  const buttons = bar.appendChild(h("div", { class: "mlc-buttons" }));
  button(buttons, "Resample", guard(() => put({ seed: model.get("seed") + 1 })));
  let timer = null;
  const calm = reducedMotion();
  const auto = button(buttons, "Auto-resample", guard(() => run(timer === null)), { "aria-pressed": "false" });
  if (calm) fill(auto, { disabled: "", title: "off, because your system asks for reduced motion; use Resample" }, []);
  button(buttons, "Reset", guard(() => { run(false); put(start); }));
  function run(on) {
    if (timer !== null) clearInterval(timer);
    timer = on && !calm ? setInterval(() => { if (!document.hidden) put({ seed: model.get("seed") + 1 }); }, 500) : null;
    auto.setAttribute("aria-pressed", String(timer !== null));
    auto.textContent = timer !== null ? "Stop" : "Auto-resample";
  }

  const row = box.appendChild(h("div", { class: "mlc-panels mlc-of2" }));
  const left = plot(row, { xlabel: "x", ylabel: "y", xlim: [-1.04, 1.04], ylim: [-2.4, 2.4] });
  const marks = {
    fits: left.add({ kind: "line", color: "estimate", width: 1, opacity: 0.22, label: `${spec.sets} fits` }),
    points: left.add({ kind: "dots", color: "data", opacity: 0.85, label: "one training set" }),
    fit: left.add({ kind: "line", color: "data", width: 1.6, label: "its fit" }),
    average: left.add({ kind: "line", color: "estimate", width: 3, dash: "dash", label: "average fit" }),
    truth: left.add({ kind: "line", color: "truth", width: 2.5, label: "truth (drag ◆)" }),
  };
  const grips = handles(left, {
    axis: "y", shape: "diamond", size: 6, color: "truth", label: (i) => `true curve, point ${i + 1} of 9`,
    onMove: (i, at) => {
      const knots = KNOT_X.map((x, j) => +(j === i ? at[1] : curveOf()(x)).toFixed(6));
      model.set("knots", knots);
      model.set("truth", "custom");
    },
    onDone: () => model.save_changes(),
  });
  let right = null, curves = null, drawnAxis = null;
  function rightPanel(axis) {                          // a new pair of axes for each meaning of the horizontal one
    if (right) { right.destroy(); right.root.remove(); }
    const ticks = { degree: [0, 3, 6, 9, 12, 15].map((d) => [d, String(d)]), n: spec.sizes.map((n) => [Math.log10(n), String(n)]),
      ridge: [-4, -3, -2, -1, 0, 1, 2, 3].map((e) => [e, e === 0 ? "1" : e === 1 ? "10" : `10${power(e)}`]) }[axis];
    const lim = { degree: [-0.3, spec.max_degree + 0.3], n: [Math.log10(15), Math.log10(215)], ridge: [-4.15, 3.15] }[axis];
    right = plot(row, { xlabel: AXIS[axis], ylabel: "expected squared error", xlim: lim, ylim: [0, 1], xticks: ticks });
    curves = {
      here: right.add({ kind: "refline", color: "neutral", width: 1, dash: "dash" }),
      noise: right.add({ kind: "line", color: "neutral", dash: "dot", label: "noise" }),
      bias2: right.add({ kind: "line", color: "error", dash: "dash", label: "bias²" }),
      variance: right.add({ kind: "line", color: "accent", dash: "dashdot", label: "variance" }),
      total: right.add({ kind: "line", color: "text", width: 2.5, label: "total" }),
      best: right.add({ kind: "dots", color: "text", hollow: true, label: "smallest total" }),
      now: right.add({ kind: "dots", color: "text", marker: "circle", label: "this model" }),
    };
    drawnAxis = axis;
  }

  const share = box.appendChild(h("div", { "aria-hidden": "true", style: "display:flex;height:24px;border-radius:6px;overflow:hidden;margin-top:.3em;font-size:12px;line-height:24px;text-align:center;color:#111" }));
  const piece = (color) => share.appendChild(h("div", { style: `background:${color};overflow:hidden;white-space:nowrap;min-width:0;transition:${calm ? "none" : "width .15s"}` }));
  const pieces = { noise: piece("#b8bec6"), bias2: piece("#dba3c4"), variance: piece("#f0bf55") };
  const out = readout(box);
  const sample = box.appendChild(h("div", { style: "margin-top:.3em;font-size:12.5px;color:var(--mlc-soft)" }));

  // Everything the figure shows, from the traits alone.
  function numbers() {
    const s = {};
    names.forEach((k) => { s[k] = model.get(k); });
    const curve = curveOf(), truth = GRID.map(curve), top = spec.max_degree, F = factor(s.n, top, s.ridge), clean = F.xs.map(curve);
    const turned = rotated(F, clean), sets = [];
    for (let r = 0; r < spec.sets; r++) {
      const z = normals(mulberry32(s.seed - spec.sets + 1 + r));
      sets.push(clean.map((v) => v + s.sigma * z()));
    }
    const fits = sets.map((y) => evaluate(coefficients(F, rotated(F, y), s.degree), features));
    const average = evaluate(coefficients(F, turned, s.degree), features), now = parts(F, turned, s.degree, s.sigma, truth, features, gram);
    let axis;
    if (s.against === "degree") axis = Array.from({ length: top + 1 }, (_, d) => [d, parts(F, turned, d, s.sigma, truth, features, gram)]);
    else {
      const values = s.against === "n" ? spec.sizes : RIDGE_AXIS.map((e) => 10 ** e);
      axis = values.map((v) => {
        const G = s.against === "n" ? factor(v, s.degree, s.ridge) : factor(s.n, s.degree, v);
        return [v, parts(G, rotated(G, G.xs.map(curve)), s.degree, s.sigma, truth, features, gram)];
      });
    }
    return { ...s, x: F.xs, y: sets[spec.sets - 1], grid: GRID, curve: truth, fits, average, now, axis: axis.map((a) => a[0]), curves: axis.map((a) => a[1]) };
  }
  function simulated({ fits, curve }) {                // bias^2 and variance estimated from the fits shown
    let bias2 = 0, variance = 0;
    curve.forEach((t, i) => {
      let mean = 0, square = 0;
      fits.forEach((f) => { mean += f[i] / fits.length; });
      fits.forEach((f) => { square += (f[i] - mean) ** 2 / (fits.length - 1); });
      bias2 += ((mean - t) ** 2 - square / fits.length) / curve.length;
      variance += square / curve.length;
    });
    return [Math.max(bias2, 0), variance];
  }
  const three = (v) => (v >= 1e4 ? show(v) : v.toFixed(3));

  function draw() {
    const d = numbers(), { now } = d;
    truthMenu.set(spec.truths.indexOf(d.truth));
    axisMenu.set(axes.indexOf(d.against));
    sliders.degree.set(d.degree);
    sliders.n.set(nearest(spec.sizes, d.n));
    sliders.sigma.set(nearest(spec.sigmas, d.sigma));
    sliders.ridge.set(nearest(spec.ridges.map((r) => Math.log(r + 1e-5)), Math.log(d.ridge + 1e-5)));
    marks.fits.set({ x: GRID, y: d.fits });
    marks.points.set({ x: d.x, y: d.y, size: d.n > 60 ? 2.2 : 3.6 });
    marks.fit.set({ x: GRID, y: d.fits[d.fits.length - 1] });
    marks.average.set({ x: GRID, y: d.average });
    marks.truth.set({ x: GRID, y: d.curve });
    grips.set(KNOT_X.map((x) => [x, curveOf()(x)]));
    left.setTitle(`Degree ${d.degree}: ${spec.sets} training sets of ${d.n} points`);
    left.setAlt(`The true curve, ${spec.sets} polynomial fits of degree ${d.degree} and their average; nine points of the true curve can be moved up and down.`);

    if (drawnAxis !== d.against) rightPanel(d.against);
    const place = d.against === "degree" ? (v) => v : (v) => Math.log10(Math.max(v, 1e-4));
    const xs = d.axis.map(place), totals = d.curves.map((c) => c.total), least = Math.min(...totals), best = totals.indexOf(least);
    const top = 1.08 * Math.max(Math.min(Math.max(...totals), 5 * least + 0.05), 1e-3), here = place(d[d.against]);
    right.setLimits(null, [0, top]);
    for (const k of ["noise", "bias2", "variance", "total"]) curves[k].set({ x: xs, y: d.curves.map((c) => Math.min(c[k], 20 * top)) });
    curves.here.set({ x: here });
    curves.best.set({ x: xs[best], y: least, size: 8 });
    curves.now.set({ x: here, y: Math.min(now.total, 0.985 * top), size: 5 });
    const where = { degree: `degree ${d.axis[best]}`, n: `n = ${d.axis[best]}`, ridge: `λ = ${show(d.axis[best], 2)}` }[d.against];
    right.setTitle(now.total > top ? "Exact error (this model is off the scale)" : "Exact error and its parts");
    right.setAlt(`Noise, squared bias, variance and their sum against ${AXIS[d.against]}; the sum is smallest, ${three(least)}, at ${where}.`);

    for (const [k, word] of [["noise", "noise"], ["bias2", "bias²"], ["variance", "variance"]]) {
      const part = now.total > 0 ? now[k] / now.total : 0;
      pieces[k].style.width = `${100 * part}%`;
      pieces[k].textContent = part > 0.14 ? `${word} ${Math.round(100 * part)}%` : "";
    }
    out.set(`total ${three(now.total)} = noise ${three(now.noise)} + bias² ${three(now.bias2)} + variance ${three(now.variance)}.   Smallest total: ${three(least)} at ${where}.`);
    const [b, v] = simulated(d);
    sample.textContent = `Estimated from the ${spec.sets} fits shown: bias² ${three(b)}, variance ${three(v)}.`;
  }
  const update = guard(draw);
  names.forEach((k) => model.on(`change:${k}`, update));
  update();
  el.mlcoreRedraw = update;
  el.mlcoreNumbers = numbers;                          // what the tests compare with mlcore
  return () => {
    run(false);
    names.forEach((k) => model.off(`change:${k}`, update));
    left.destroy();
    if (right) right.destroy();
  };
});
