// The shattering game. Points sit on a grid, so every decision below is made with whole numbers and is exact; the rule is that of
// mlcore's line_dichotomies: a line can cut off a set of points if and only if the set is a prefix of the points' order along some direction.
const SIGN = { 1: "+", "-1": "\u2212" };

// ---- geometry with whole numbers -------------------------------------------------------------------------------------------
function gcd(a, b) { a = Math.abs(a); b = Math.abs(b); while (b) [a, b] = [b, a % b]; return a; }
function reduced([x, y]) { const g = gcd(x, y); return [x / g, y / g]; }
function cross([a, b], [c, d]) { return a * d - b * c; }
function minusOf([a, b], [c, d]) { return [a - c, b - d]; }
function turn(p, q, r) { return Math.sign(cross(minusOf(q, p), minusOf(r, p))); }        // 1: r lies left of the way from p to q
function upper([x, y]) { return y > 0 || (y === 0 && x > 0) ? 0 : 1; }
function directionsBetween(P) {                          // one direction strictly between each two neighboring critical ones
  const seen = new Map();
  P.forEach((p, i) => P.slice(0, i).forEach((q) => {
    if (p[0] === q[0] && p[1] === q[1]) return;
    const [x, y] = reduced(minusOf(p, q));               // the steps themselves keep neighbors at most 90 degrees apart
    for (const v of [[x, y], [-x, -y], [-y, x], [y, -x]]) seen.set(v.join(), v.map((c) => c + 0));
  }));
  const around = [...seen.values()].sort((u, v) => upper(u) - upper(v) || -cross(u, v));
  return around.map((u, i) => { const v = around[(i + 1) % around.length]; return [u[0] + v[0], u[1] + v[1]]; });
}
function possibleMasks(P) {                              // bit i: point i is labeled +
  const all = 2 ** P.length - 1, masks = new Set([0, all]);
  for (const [a, b] of directionsBetween(P)) {
    const order = P.map(([x, y], i) => [a * x + b * y, i]).sort((u, v) => u[0] - v[0]);
    let mask = 0;
    order.forEach(([s, i], j) => { mask |= 1 << i; if (j + 1 < order.length && order[j + 1][0] > s) masks.add(mask); });
  }
  return masks;
}
function onSegment(p, a, b) {
  return turn(a, b, p) === 0 && Math.min(a[0], b[0]) <= p[0] && p[0] <= Math.max(a[0], b[0]) && Math.min(a[1], b[1]) <= p[1] && p[1] <= Math.max(a[1], b[1]);
}
function obstacle(P, labels) {                           // why no line separates: two sets of at most 3 points whose hulls meet (Radon)
  const of = (s) => P.map((_, i) => i).filter((i) => labels[i] === s), plus = of(1), less = of(-1);
  for (const i of plus) for (const j of less) if (P[i][0] === P[j][0] && P[i][1] === P[j][1]) return { plus: [i], less: [j] };
  const pairs = (set) => set.flatMap((i, n) => set.slice(n + 1).map((j) => [i, j]));
  for (const [one, two, name] of [[plus, less, "plus"], [less, plus, "less"]])
    for (const [i, j] of pairs(one)) for (const m of two) if (onSegment(P[m], P[i], P[j])) return name === "plus" ? { plus: [i, j], less: [m] } : { plus: [m], less: [i, j] };
  for (const [i, j] of pairs(plus)) for (const [m, n] of pairs(less))
    if (turn(P[i], P[j], P[m]) * turn(P[i], P[j], P[n]) < 0 && turn(P[m], P[n], P[i]) * turn(P[m], P[n], P[j]) < 0) return { plus: [i, j], less: [m, n] };
  for (const [one, two, name] of [[plus, less, "plus"], [less, plus, "less"]])
    for (const [i, j] of pairs(one)) for (const l of one.filter((x) => x > j)) for (const m of two) {
      const t = [turn(P[i], P[j], P[m]), turn(P[j], P[l], P[m]), turn(P[l], P[i], P[m])];
      if (t[0] && t[0] === t[1] && t[1] === t[2]) return name === "plus" ? { plus: [i, j, l], less: [m] } : { plus: [m], less: [i, j, l] };
    }
  return null;
}
function nearestOn(p, a, b) {
  const [dx, dy] = minusOf(b, a), len = dx * dx + dy * dy, t = len ? Math.max(0, Math.min(1, (dx * (p[0] - a[0]) + dy * (p[1] - a[1])) / len)) : 0;
  return [a[0] + t * dx, a[1] + t * dy];
}
function widestLine(P, labels) {                         // bisector of the shortest way between the hulls; null if one label is missing
  const plus = P.filter((_, i) => labels[i] === 1), less = P.filter((_, i) => labels[i] === -1);
  let best = null;
  const look = (points, ends, flip) => points.forEach((p) => ends.forEach((a) => ends.forEach((b) => {
    const q = nearestOn(p, a, b), d = Math.hypot(p[0] - q[0], p[1] - q[1]);
    if (!best || d < best.d) best = { d, from: flip ? q : p, to: flip ? p : q };
  })));
  look(plus, less, false); look(less, plus, true);
  if (!best) return null;
  const { from, to, d } = best, w = [(from[0] - to[0]) / d, (from[1] - to[1]) / d];
  return { w, b: -(w[0] * (from[0] + to[0]) + w[1] * (from[1] + to[1])) / 2, margin: d / 2 };
}

// ---- the figure --------------------------------------------------------------------------------------------------------------
register("shattering", ({ model, el, box, spec, guard }) => {
  const TRAITS = ["points", "labels", "arrangement"], G = spec.grid;
  const read = () => Object.fromEntries(TRAITS.map((t) => [t, model.get(t)]));
  const whole = (points) => points.map((p) => p.map((v) => Math.round(v * G)));
  const initial = read();
  if (!Array.isArray(initial.points) || !initial.points.length) throw new Error("it holds no points");
  let moved = false, queued = false, current = 0;

  fill(box, { role: "group", "aria-label": spec.title }, []);
  box.append(h("div", { class: "mlc-title", text: spec.title }), h("p", { class: "mlc-hidden", text: spec.alt }));
  const bar = box.appendChild(h("div", { class: "mlc-controls" }));
  const names = Object.keys(spec.menu), own = names.length;
  const menu = select(bar, {
    label: "points", name: "points", texts: [...names.map((n) => spec.menu[n].name), "your own"],
    onInput: guard((i) => (i === own ? commit({ arrangement: "own" }) : commit({ arrangement: names[i], points: spec.menu[names[i]].points, labels: spec.menu[names[i]].labels }))),
  });
  const buttons = bar.appendChild(h("div", { class: "mlc-buttons" }));
  button(buttons, "Next impossible labeling", guard(nextImpossible));
  button(buttons, "Reset", guard(() => commit(initial)));
  const out = readout(box);
  out.el.style.cssText = "margin:0 0 .7em;min-height:3.6em";
  const row = box.appendChild(h("div", { style: "display:flex;flex-wrap:wrap;gap:.4em 1.1em" }));
  const main = row.appendChild(h("div", { style: "flex:3 1 300px;min-width:0" })), side = row.appendChild(h("div", { style: "flex:2 1 260px;min-width:0" }));
  const plane = plot(main, { xlabel: "x\u2081", ylabel: "x\u2082", xlim: spec.xlim, ylim: spec.ylim, aspect: "equal" });
  const line = plane.add({ kind: "line", color: "text", width: 2.2 });
  const ties = { plus: plane.add({ kind: "line", color: "class1", width: 2, dash: "dash" }), less: plane.add({ kind: "line", color: "class0", width: 2, dash: "dash" }) };
  const badges = plane.add({ kind: "segments" }).g;
  const grips = handles(plane, {
    label: (i) => `point ${i + 1}, labeled ${model.get("labels")[i] === 1 ? "plus" : "minus"}, Enter flips it,`, size: 0,
    onMove: guard((i, at) => { moved = true; movePoint(i, at); }),
  });
  const indexOf = (target) => [...grips.group.children].findIndex((e) => e.contains(target));
  grips.group.addEventListener("pointerdown", () => { moved = false; }, true);
  grips.group.addEventListener("click", guard((e) => { const i = indexOf(e.target); if (!moved && i >= 0) flip(i); }), true);
  grips.group.addEventListener("keydown", guard((e) => {        // one grid step per arrow, before the handle moves it by pixels
    const i = indexOf(e.target), d = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key], k = (e.shiftKey ? 5 : 1) / G;
    if (i < 0 || !(d || e.key === "Enter" || e.key === " ")) return;
    e.preventDefault(); e.stopPropagation();
    const p = model.get("points")[i];
    if (d) movePoint(i, [p[0] + k * d[0], p[1] + k * d[1]]); else flip(i);
  }), true);
  const head = side.appendChild(h("div", { style: "font-size:13px;font-weight:600;margin:.2em 0 .5em" }));
  const tiles = side.appendChild(h("div", { role: "group", "aria-label": "all labelings", style: "display:grid;grid-template-columns:repeat(8,minmax(0,1fr));gap:5px;max-width:380px" }));
  tiles.addEventListener("keydown", guard((e) => {
    const n = tiles.children.length, i = [...tiles.children].indexOf(e.target.closest("button")), step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[e.key];
    if (!step || i < 0) return;
    e.preventDefault(); e.stopPropagation();
    tiles.children[(i + step + n) % n].focus();
  }));
  box.append(h("p", { class: "mlc-hint", style: "margin:.5em 0 0;color:var(--mlc-soft);font-size:13px", text: "Drag a point, click it to flip its label, click a small picture to try that labeling. By keyboard: Tab to a point, arrow keys move it, Enter flips it." }));

  // ---- actions ---------------------------------------------------------------------------------------------------------------
  function commit(changes) { for (const t in changes) model.set(t, changes[t]); model.save_changes(); redrawSoon(); }
  function snapped(v, [lo, hi]) { return Math.round(Math.max(lo, Math.min(hi, v)) * G) / G + 0; }
  function movePoint(i, [x, y]) {
    const at = [snapped(x, spec.xlim), snapped(y, spec.ylim)], old = model.get("points")[i];
    if (at[0] !== old[0] || at[1] !== old[1]) commit({ arrangement: "own", points: model.get("points").map((p, j) => (j === i ? at : p)) });
  }
  function flip(i) { commit({ labels: model.get("labels").map((s, j) => (j === i ? -s : s)) }); }
  function maskOf(labels) { return labels.reduce((m, s, i) => m | (s === 1 ? 1 << i : 0), 0); }
  function labelsOf(mask) { return model.get("points").map((_, i) => (mask >> i & 1 ? 1 : -1)); }
  function nextImpossible() {
    const n = 2 ** model.get("points").length, possible = possibleMasks(whole(model.get("points"))), now = maskOf(model.get("labels"));
    for (let k = 1; k <= n; k++) if (!possible.has((now + k) % n)) return commit({ labels: labelsOf((now + k) % n) });
    out.set("Every labeling of these points is possible: they are shattered.");
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------------------
  const badgePool = pool(badges, (i) => svg("g", {}, svg("path", { style: "stroke:var(--mlc-back);stroke-width:1.5" }),
    svg("path", { style: "stroke:#fff;stroke-width:2.4;fill:none" }), svg("text", { class: "mlc-words", x: 13, y: -9, text: String(i + 1), style: "fill:var(--mlc-text);font-size:12px;font-weight:700" })));
  function drawBadges() {
    const { points, labels } = read();
    badgePool(points.length).forEach((e, i) => {
      const plus = labels[i] === 1, [body, mark] = e.children;
      e.setAttribute("transform", `translate(${plane.X(points[i][0])} ${plane.Y(points[i][1])})`);
      body.setAttribute("d", shape(plus ? "circle" : "square", 0, 0, plus ? 10 : 9));
      body.style.fill = classPaint(plus ? 1 : 0);
      mark.setAttribute("d", plus ? "M-5 0H5M0 -5V5" : "M-5 0H5");
    });
  }
  function picture(P, mask) {                            // a small drawing of one labeling
    const xs = P.map((p) => p[0]), ys = P.map((p) => p[1]), mid = (v) => (Math.min(...v) + Math.max(...v)) / 2;
    const k = 24 / Math.max(1, Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
    return svg("svg", { viewBox: "-19 -19 38 38", width: "100%", height: "100%", "aria-hidden": "true", style: "display:block" }, ...P.map(([x, y], i) => {
      const plus = mask >> i & 1;
      return svg("path", { d: shape(plus ? "circle" : "square", k * (x - mid(xs)), -k * (y - mid(ys)), plus ? 3.8 : 3.2), style: plus ? `fill:${classPaint(1)}` : `fill:none;stroke:${classPaint(0)};stroke-width:1.6` });
    }));
  }
  function drawTiles(P, possible, now) {
    const focused = tiles.contains(document.activeElement), n = 2 ** P.length;
    const signs = (mask) => P.map((_, i) => (mask >> i & 1 ? "plus" : "minus")).join(" ");
    const made = Array.from({ length: n }, (_, mask) => {
      const can = possible.has(mask), b = h("button", {
        type: "button", ...KEYS, tabindex: mask === now ? 0 : -1, "aria-pressed": String(mask === now), "aria-label": `${signs(mask)}: ${can ? "possible" : "impossible"}`, onclick: guard(() => commit({ labels: labelsOf(mask) })),
        style: `position:relative;padding:0;aspect-ratio:1;cursor:pointer;border-radius:5px;background:${can ? "transparent" : "color-mix(in srgb,var(--mlc-error) 16%,transparent)"};border:${can ? "2px solid var(--mlc-truth)" : "2px dashed var(--mlc-error)"};outline:${mask === now ? "2.5px solid var(--mlc-text)" : "none"};outline-offset:1px`,
      }, picture(P, mask));
      if (!can) b.firstChild.append(svg("path", { d: "M-17 -17L17 17M-17 17L17 -17", style: "stroke:var(--mlc-error);stroke-width:1.4;opacity:.75" }));
      return b;
    });
    tiles.replaceChildren(...made);
    if (focused) tiles.children[now].focus({ preventScroll: true });
  }
  function list(indices) { const names = indices.map((i) => i + 1); return names.length < 3 ? names.join(" and ") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`; }
  function reason(labels, { plus, less }) {
    if (plus.length === 1 && less.length === 1) return `points ${list([...plus, ...less].sort())} share one place and have different labels.`;
    if (plus.length === 2 && less.length === 2) return `the segment between the + points ${list(plus)} crosses the segment between the ${SIGN[-1]} points ${list(less)}.`;
    const many = plus.length > 1 ? plus : less, one = plus.length > 1 ? less : plus, s = SIGN[labels[many[0]]];
    return `point ${one[0] + 1} (${SIGN[labels[one[0]]]}) lies ${many.length === 2 ? `on the segment between the ${s} points` : `inside the triangle of the ${s} points`} ${list(many)}.`;
  }
  function words(P, labels, possible, block) {
    const n = 2 ** P.length, all = possible.size === n;
    const count = `${P.length} point${P.length > 1 ? "s" : ""}: ${possible.size} of ${n} labelings are possible, so the set is ${all ? "shattered" : "not shattered"}.`;
    const signs = labels.map((s) => SIGN[s]).join(" ");
    const verdict = block ? `No line gives the labels ${signs}: ${reason(labels, block)}`
      : new Set(labels).size < 2 ? `The labels ${signs} need only a line with all points on one side.` : `A line gives the labels ${signs}; the widest gap is drawn.`;
    return `${count} ${verdict}`;
  }
  const redraw = guard(() => {
    queued = false;
    const { points, labels, arrangement } = read(), P = whole(points), possible = possibleMasks(P);
    current = maskOf(labels);
    const can = possible.has(current), block = can ? null : obstacle(P, labels), cut = can ? widestLine(points, labels) : null;
    menu.set(names.includes(arrangement) ? names.indexOf(arrangement) : own);
    if (cut) {
      const at = [-cut.b * cut.w[0], -cut.b * cut.w[1]], far = 12;
      line.set({ x: [at[0] - far * cut.w[1], at[0] + far * cut.w[1]], y: [at[1] + far * cut.w[0], at[1] - far * cut.w[0]] });
    } else line.set({ x: [], y: [] });
    for (const s of ["plus", "less"]) {
      const ring = !block ? [] : block[s].length < 3 ? block[s] : [...block[s], block[s][0]];
      ties[s].set({ x: ring.map((i) => points[i][0]), y: ring.map((i) => points[i][1]) });
    }
    drawBadges();
    grips.set(points);
    drawTiles(P, possible, current);
    head.textContent = `${possible.size} possible, ${2 ** P.length - possible.size} impossible`;
    plane.setAlt(`${P.length} points labeled ${labels.map((s) => SIGN[s]).join(" ")}, ${can ? "separable by a line" : "not separable by a line"}.`);
    out.set(words(P, labels, possible, block));
  });
  function redrawSoon() { if (!queued) { queued = true; queueMicrotask(redraw); } }
  for (const t of TRAITS) model.on("change:" + t, redrawSoon);
  plane.onLayout(drawBadges);
  redraw();
  el.mlcoreRedraw = redraw;
  el.mlcoreState = () => {
    const s = read(), P = whole(s.points), possible = possibleMasks(P);
    return { ...s, possible: [...possible].sort((a, b) => a - b), separable: possible.has(maskOf(s.labels)), line: possible.has(maskOf(s.labels)) ? widestLine(s.points, s.labels) : null, obstacle: possible.has(maskOf(s.labels)) ? null : obstacle(P, s.labels) };
  };
  return () => { for (const t of TRAITS) model.off("change:" + t, redrawSoon); plane.destroy(); };
});
