// Dynamic programming on a grid under the reader's hand. The rules are those of mlcore.control.markov_decision_processes: states are the
// squares that are no walls, row by row; on a tie the first of up, right, down, left wins. The absorbing state has the value 0 and is left out.
const MOVES = [[-1, 0], [0, 1], [1, 0], [0, -1]], WAYS = ["up", "right", "down", "left"];
const TIE = 1e-10;                                       // values that differ by less than TIE (1 + |value|) are tied; mlcore shrinks the 1 to the
                                                         // largest value where all are smaller, which the rewards of the figure do not need
const RUN_MAX = 5000, BEAT = 60;                         // sweeps per run and in the history; milliseconds between pictures of a run
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRTUVWXYZ0123456789@&%";      // one for each of 64 squares, without S

// ---- the algorithms --------------------------------------------------------------------------------------------------------
function worldOf({ rows, exits, living_reward, slip, gamma }) {
  const cells = [], index = new Map();
  rows.forEach((row, i) => [...row].forEach((square, j) => { if (square !== "#") { index.set(i * 100 + j, cells.length); cells.push([i, j]); } }));
  const exit = cells.map(([i, j]) => rows[i][j] in exits), reward = cells.map(([i, j], s) => (exit[s] ? exits[rows[i][j]] : living_reward));
  const next = cells.map(([i, j], s) => MOVES.map(([di, dj]) => index.get((i + di) * 100 + j + dj) ?? s));
  return { cells, exit, reward, next, slip, gamma };
}
function chances(w, s, a) {                              // [[state, probability], ...] of one move; an exit leads to the absorbing state
  return w.exit[s] ? [] : [[w.next[s][a], 1 - w.slip], [w.next[s][(a + 1) % 4], w.slip / 2], [w.next[s][(a + 3) % 4], w.slip / 2]];
}
function actionValue(w, V, s, a) {
  if (w.exit[s]) return w.reward[s];
  const n = w.next[s];
  return w.reward[s] + w.gamma * ((1 - w.slip) * V[n[a]] + w.slip / 2 * (V[n[(a + 1) % 4]] + V[n[(a + 3) % 4]]));
}
function bestValue(w, V, s) { return Math.max(actionValue(w, V, s, 0), actionValue(w, V, s, 1), actionValue(w, V, s, 2), actionValue(w, V, s, 3)); }
function bestActions(w, V, s, tie = TIE) {
  const q = WAYS.map((_, a) => actionValue(w, V, s, a)), top = Math.max(...q);
  return [0, 1, 2, 3].filter((a) => q[a] >= top - tie * (1 + Math.abs(top)));
}
function greedy(w, V, tie) { return w.cells.map((_, s) => bestActions(w, V, s, tie)[0]); }
function backup(w, V) { return w.cells.map((_, s) => bestValue(w, V, s)); }
function farthest(U, V) { return U.reduce((most, u, s) => Math.max(most, Math.abs(u - V[s])), 0); }
function policyValue(w, policy) {                        // (I - gamma P) V = R
  const A = w.cells.map((_, s) => {
    const row = new Array(w.cells.length).fill(0);
    row[s] = 1;
    for (const [t, p] of chances(w, s, policy[s])) row[t] -= w.gamma * p;
    return row;
  });
  return solveQR(qr(A), w.reward);
}
const SWEEPS = {
  "value iteration": (w, V) => backup(w, V),
  "in-place value iteration": (w, V) => { const U = V.slice(); U.forEach((_, s) => { U[s] = bestValue(w, U, s); }); return U; },
  "policy iteration": (w, V) => policyValue(w, greedy(w, V)),
  "modified policy iteration": (w, V, k) => {            // no slack in the choice: it would leave an error that never vanishes
    const policy = greedy(w, V, 0);
    for (let i = 0; i < k; i++) { const old = V; V = old.map((_, s) => actionValue(w, old, s, policy[s])); }
    return V;
  },
};
function optimum(w, V) {                                 // V*, by policy iteration from V
  for (let i = 0; i < 200; i++) {
    V = policyValue(w, greedy(w, V));
    if (farthest(backup(w, V), V) <= 1e-11 * (1 + Math.max(...V.map(Math.abs)))) break;
  }
  return V;
}
// What is known about the largest error of V. A sweep of value iteration, also in place, is a gamma-contraction: its change bounds the error.
// For everything else, and after an edit, the change that one more backup would make does.
function errorBound(w, V, contraction, change) {
  return contraction ? w.gamma / (1 - w.gamma) * change : farthest(backup(w, V), V) / (1 - w.gamma);
}
function contracts(algorithm) { return algorithm === "value iteration" || algorithm === "in-place value iteration"; }

// ---- drawing of one square -------------------------------------------------------------------------------------------------
const turned = (points, a) => points.map(([x, y]) => [[x, y], [-y, x], [-x, -y], [y, -x]][a].join(" "));
function arrow(a, alone) {                               // pointing up, then turned
  const [p, q, l, t, r] = turned(alone ? [[0, 8], [0, -8], [-5, -3], [0, -8], [5, -3]] : [[0, 0], [0, -9], [-3, -6], [0, -9], [3, -6]], a);
  return `M${p}L${q}M${l}L${t}L${r}`;
}
const ARROWS = [false, true].map((alone) => WAYS.map((_, a) => arrow(a, alone)));
function arrowsOf(ways) { return ways.length === 4 ? "M-2 0a2 2 0 1 0 4 0a2 2 0 1 0 -4 0" : ways.map((a) => ARROWS[+(ways.length === 1)][a]).join(""); }
function short(v) { const a = Math.abs(v); return minus(v.toFixed(a < 9.995 ? 2 : a < 99.95 ? 1 : 0)); }
function signed(v) { return (v > 0 ? "+" : "") + show(v, 4); }
const TILE = "position:relative;aspect-ratio:1;padding:0;margin:0;min-width:0;cursor:pointer;font:inherit;font-variant-numeric:tabular-nums;color:var(--mlc-text);text-align:center;border-radius:4px;outline-offset:1px";
const WALL = "repeating-linear-gradient(45deg,color-mix(in srgb,var(--mlc-neutral) 55%,var(--mlc-back)) 0 5px,color-mix(in srgb,var(--mlc-neutral) 85%,var(--mlc-back)) 5px 7px)";
function tint(t) { return `color-mix(in srgb,var(--mlc-${t < 0 ? "data" : "estimate"}) ${Math.round(50 * Math.min(1, Math.abs(t)))}%,var(--mlc-back))`; }

// ---- the figure ------------------------------------------------------------------------------------------------------------
register("grid_world", ({ model, el, box, spec, guard }) => {
  const TRAITS = ["rows", "exits", "living_reward", "slip", "gamma", "algorithm", "k", "V", "sweeps", "changes", "errors", "preset"];
  const read = () => Object.fromEntries(TRAITS.map((t) => [t, model.get(t)]));
  if (!Array.isArray(model.get("rows")) || !model.get("rows").length) throw new Error("it holds no grid");
  if (!["living_reward", "slip", "gamma", "k"].every((t) => Number.isFinite(model.get(t)))) throw new Error("its settings must be numbers");
  let queued = false, timer = null, event = "", at = [0, 0], typed = false;
  let swept = null, parts = [];                          // the world, V and method of the last sweep; the sweeps after which one of them changed

  fill(box, { role: "group", "aria-label": spec.title }, []);
  box.append(h("div", { class: "mlc-title", text: spec.title }), h("p", { class: "mlc-hidden", text: spec.alt }));
  const bar = box.appendChild(h("div", { class: "mlc-controls" })), names = Object.keys(spec.menu);
  const worldMenu = select(bar, { label: "world", name: "preset", texts: [...names.map((n) => spec.menu[n].name), "edited"], onInput: guard((i) => (names[i] ? loadWorld(names[i]) : commit({ preset: "edited" }))) });
  const methodMenu = select(bar, { label: "algorithm", name: "algorithm", texts: spec.algorithms, onInput: guard((i) => { pause(); commit({ algorithm: spec.algorithms[i] }); }) });
  const nearest = (values, v) => values.reduce((best, u, i) => (Math.abs(u - v) < Math.abs(values[best] - v) ? i : best), 0);
  const sliders = box.appendChild(h("div", { class: "mlc-controls" }));
  const ranges = Object.fromEntries([["slip", "slip", spec.slips], ["gamma", "discount γ", spec.gammas], ["living_reward", "living reward", spec.living], ["k", "backups k per sweep", spec.ks]]
    .map(([name, label, values]) => [name, { values, ...slider(sliders, { label, name, texts: values.map((v) => show(v)), onInput: guard((i) => { pause(); commit({ [name]: values[i] }); }) }) }]));
  const buttons = box.appendChild(h("div", { class: "mlc-controls" })).appendChild(h("div", { class: "mlc-buttons", style: "margin-left:0" }));
  button(buttons, "One sweep", guard(() => { pause(); sweep(1); model.save_changes(); }));
  const runButton = button(buttons, "Run to convergence", guard(() => (timer ? pause() : run())));
  button(buttons, "Reset V = 0", guard(() => { pause(); event = ""; commit(fresh(model.get("rows"))); }));
  const out = readout(box);
  out.el.style.cssText = "margin:0 0 .7em;min-height:4.9em";
  const row = box.appendChild(h("div", { style: "display:flex;flex-wrap:wrap;gap:.6em 1.3em" }));
  const main = row.appendChild(h("div", { style: "flex:3 1 300px;min-width:0" })), side = row.appendChild(h("div", { style: "flex:2 1 260px;min-width:0" }));
  const frame = main.appendChild(h("div", { style: "container-type:inline-size" })), board = frame.appendChild(h("div", { role: "group" }));
  const scale = main.appendChild(h("div", { "aria-hidden": "true", style: "display:flex;gap:.5em;align-items:center;font-size:12px;margin:.4em 0 .6em" }));
  const ramp = [h("span"), h("span", { class: "mlc-ramp", style: `background:linear-gradient(90deg,${tint(-1)},var(--mlc-back),${tint(1)});border:1px solid var(--mlc-line)` }), h("span")];
  scale.append("value V:", ...ramp);
  const edit = main.appendChild(h("div", { role: "group", "aria-label": "selected square", style: "display:flex;flex-wrap:wrap;gap:.4em .5em;align-items:center" }));
  const place = edit.appendChild(h("span", { style: "font-weight:600" }));
  const kinds = Object.fromEntries(["Free", "Wall", "Exit"].map((kind) => [kind, button(edit, kind, guard(() => setKind(kind)))]));
  const rewardId = nextId(), reward = h("input", {
    type: "number", id: rewardId, name: "reward", step: 0.1, min: -spec.reward_max, max: spec.reward_max, ...KEYS,
    style: "font:inherit;width:5.5em;min-height:30px;padding:.1em .4em;color:var(--mlc-text);background:var(--mlc-raised);border:1px solid var(--mlc-line);border-radius:6px",
    oninput: guard(() => { if (reward.value !== "" && Number.isFinite(+reward.value)) { typed = true; setReward(+reward.value); } }), onblur: guard(() => { typed = false; redrawSoon(); }),
  });
  edit.append(h("span", {}, h("label", { for: rewardId, text: "reward", style: "margin:0 .45em 0 0;font-weight:400;color:var(--mlc-soft)" }), reward));
  const detail = main.appendChild(h("div", { style: "font-size:13px;margin-top:.4em;min-height:4.3em;font-variant-numeric:tabular-nums" }));
  const curve = plot(side, { title: "Change and error of V per sweep", xlabel: "sweep", xlim: [0, 10], ylim: [1e-3, 1], yscale: "log", height: 270 });
  const cuts = curve.add({ kind: "refline", color: "neutral", width: 1, dash: "dot", label: "you changed something" });
  const slope = curve.add({ kind: "line", color: "accent", dash: "dash", width: 2, label: "falls by γ per sweep" });
  const trueError = curve.add({ kind: "line", color: "truth", width: 1.8, label: "true error" });
  const changeLine = curve.add({ kind: "line", color: "data", width: 1.8 }), changeDots = curve.add({ kind: "dots", color: "data", label: "largest change" });
  box.append(h("p", { class: "mlc-hint", style: "margin:.5em 0 0;color:var(--mlc-soft);font-size:13px", text: "Click a square to select it, click it again to turn it from free to wall to exit. By keyboard: Tab to the grid, the arrow keys select, Enter turns. Every edit keeps V, so the next sweeps show its repair; Reset sets V = 0 and keeps the world." }));

  // ---- actions ---------------------------------------------------------------------------------------------------------------
  function put(changes) { for (const t in changes) model.set(t, changes[t]); redrawSoon(); }
  function commit(changes) { put(changes); model.save_changes(); }
  function fresh(rows) { swept = null; parts = []; return { V: rows.map((r) => new Array(r.length).fill(0)), sweeps: 0, changes: [], errors: [] }; }
  function loadWorld(name) {
    pause();
    const { rows, exits, living_reward, slip, gamma } = spec.menu[name];
    event = ""; at = [0, 0];
    commit({ preset: name, rows, exits, living_reward, slip, gamma, ...fresh(rows) });
  }
  function pause() { if (timer === null) return; clearInterval(timer); timer = null; runButton.textContent = "Run to convergence"; model.save_changes(); redrawSoon(); }
  const known = { key: null, w: null, best: null };      // the world and its V*, made anew when the world changes
  function current() {
    const { rows, exits, living_reward, slip, gamma } = read(), key = JSON.stringify([rows, exits, living_reward, slip, gamma]);
    if (key !== known.key) {
      const w = worldOf({ rows, exits, living_reward, slip, gamma });
      Object.assign(known, { key, w, best: optimum(w, known.best && known.best.length === w.cells.length ? known.best : w.cells.map(() => 0)) });
    }
    return known;
  }
  function onStates(w, V) { return w.cells.map(([i, j]) => V[i][j]); }
  function isCurrent() { return swept !== null && swept.key === current().key && swept.V === model.get("V"); }
  function bound() {
    const { w } = current(), { changes, V } = read();
    return errorBound(w, onStates(w, V), isCurrent() && contracts(swept.algorithm), changes[changes.length - 1]);
  }
  function converged() { return model.get("sweeps") > 0 && isCurrent() && bound() < spec.tol; }
  function sweep(most) {                                 // at most so many sweeps, fewer if V converges; true if it has
    const { w, key, best } = current(), { algorithm, k, V: table, sweeps } = read(), method = algorithm + k * (algorithm === "modified policy iteration");
    let V = onStates(w, table), done = false, n = 0;
    const changes = [], errors = [];
    if (sweeps && swept && (swept.key !== key || swept.method !== method || swept.V !== table)) parts.push(sweeps);
    while (n < most && !done) {
      const next = SWEEPS[algorithm](w, V, k), change = farthest(next, V);
      V = next; n++;
      changes.push(change); errors.push(farthest(V, best));
      done = errorBound(w, V, contracts(algorithm), change) < spec.tol;
    }
    const grid = table.map((r) => r.map(() => 0));
    w.cells.forEach(([i, j], s) => { grid[i][j] = V[s]; });
    event = "";
    put({ V: grid, sweeps: sweeps + n, changes: [...model.get("changes"), ...changes].slice(-RUN_MAX), errors: [...model.get("errors"), ...errors].slice(-RUN_MAX) });
    swept = { key, method, algorithm, V: grid };
    return done;
  }
  function run() {
    if (converged()) { event = "V has converged already. Change something and watch the repair."; redrawSoon(); return; }
    if (reducedMotion()) { sweep(RUN_MAX); model.save_changes(); return; }
    let beat = 0, left = RUN_MAX;
    const step = guard(() => {                           // single sweeps at first, then more and more per picture
      const many = Math.min(left, Math.max(1, Math.floor(1.12 ** (beat++ - 25))));
      left -= many;
      if (sweep(many) || left <= 0) pause();
    });
    runButton.textContent = "Pause";
    timer = setInterval(step, BEAT);
    step();
  }
  function squareAt([i, j]) { return model.get("rows")[i][j]; }
  function kindOf(square) { return square === "#" ? "Wall" : square in model.get("exits") ? "Exit" : "Free"; }
  function setSquare(square, exits, changes = {}) {      // writes the character and drops those no square uses any more
    const [i, j] = at, rows = model.get("rows").map((r, m) => (m === i ? r.slice(0, j) + square + r.slice(j + 1) : r)), used = new Set(rows.join(""));
    commit({ rows, exits: Object.fromEntries(Object.entries(exits).filter(([c]) => used.has(c))), preset: "edited", ...changes });
  }
  function setExit(value) {                              // squares with equal rewards share a character
    const exits = model.get("exits"), mine = squareAt(at), others = model.get("rows").map((r, i) => [...r].map((c, j) => (i === at[0] && j === at[1] ? "" : c)).join("")).join("");
    const same = Object.keys(exits).find((c) => exits[c] === value), own = mine in exits && !others.includes(mine) ? mine : [...LETTERS].find((c) => !(c in exits));
    setSquare(same ?? own, { ...exits, [same ?? own]: value });
  }
  function setReward(value) {
    const v = +Math.max(-spec.reward_max, Math.min(spec.reward_max, value)).toFixed(4) + 0;
    if (kindOf(squareAt(at)) !== "Exit" || model.get("exits")[squareAt(at)] === v) return;
    pause(); event = "";
    setExit(v);
  }
  function setKind(kind) {
    pause();
    event = "";
    const square = squareAt(at), now = kindOf(square);
    if (kind === now) return redrawSoon();
    if (kind === "Exit") return setExit(1);
    if (kind === "Free") return setSquare(".", model.get("exits"));
    if (current().w.cells.length === 1) { event = "At least one square must stay open."; return redrawSoon(); }
    setSquare("#", model.get("exits"), { V: model.get("V").map((r, i) => r.map((v, j) => (i === at[0] && j === at[1] ? 0 : v))) });
  }
  function choose(i, j, focus) {
    const { rows } = read();
    at = [Math.max(0, Math.min(rows.length - 1, i)), Math.max(0, Math.min(rows[0].length - 1, j))];
    typed = false;
    redraw();
    if (focus) tiles[at[0] * rows[0].length + at[1]].button.focus({ preventScroll: true });
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------------------
  let tiles = [], shapeOf = "";
  const turnKind = guard((i, j) => {
    if (i !== at[0] || j !== at[1]) return choose(i, j);
    setKind({ Free: "Wall", Wall: "Exit", Exit: "Free" }[kindOf(squareAt(at))]);
  });
  board.addEventListener("keydown", guard((e) => {
    const d = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[e.key];
    if (!d) return;
    e.preventDefault(); e.stopPropagation();
    choose(at[0] + d[0], at[1] + d[1], true);
  }));
  function layTiles(rows) {                              // only when the grid has another size
    const m = rows.length, n = rows[0].length;
    if (shapeOf === `${m} x ${n}`) return;
    shapeOf = `${m} x ${n}`;
    at = [Math.min(at[0], m - 1), Math.min(at[1], n - 1)];
    fill(board, { "aria-label": `the grid, ${m} rows and ${n} columns`, style: `display:grid;gap:2px;margin:0 auto;max-width:${74 * n}px;grid-template-columns:repeat(${n},minmax(0,1fr));font-size:clamp(9px,calc(${(25 / n).toFixed(2)}cqw),14px)` }, []);
    tiles = Array.from({ length: m * n }, (_, t) => {
      const path = svg("path", { style: "stroke:currentColor;stroke-width:2;fill:none;stroke-linecap:round;stroke-linejoin:round" });
      const picture = svg("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true", style: "display:block;width:52%;margin:0 auto" }, path);
      const prize = h("span", { style: "display:block;font-weight:700;font-size:115%;line-height:1.35" }), number = h("span", { style: "display:block;line-height:1.2" });
      const start = h("span", { text: "S", style: "position:absolute;left:3px;top:0;font-size:80%;font-weight:700" });
      return { path, picture, prize, number, start, button: h("button", { type: "button", ...KEYS, style: TILE, onclick: () => turnKind(Math.floor(t / n), t % n) }, picture, prize, number, start) };
    });
    board.replaceChildren(...tiles.map((t) => t.button));
  }
  function drawBoard({ rows, V }, { w }) {
    layTiles(rows);
    const values = onStates(w, V), top = Math.max(...values.map(Math.abs), ...w.reward.map((r, s) => (w.exit[s] ? Math.abs(r) : 0))) || 1, n = rows[0].length;
    ramp[0].textContent = show(-top); ramp[2].textContent = show(top);
    let s = 0;
    tiles.forEach((tile, t) => {
      const i = Math.floor(t / n), j = t % n, square = rows[i][j], kind = kindOf(square), chosen = i === at[0] && j === at[1];
      const v = kind === "Wall" ? 0 : values[s], ways = kind === "Free" ? bestActions(w, values, s) : [], prize = kind === "Exit" ? signed(w.reward[s]) : "";
      if (kind !== "Wall") s++;
      const color = kind === "Wall" ? WALL : tint(v / top);
      const look = [kind, square, ways.join(), prize, short(v), color, chosen].join();
      if (tile.look === look) return;                    // most of a redraw is saved by leaving unchanged squares alone
      tile.look = look;
      const reveal = (e, on) => { e.style.display = on ? "block" : "none"; };
      reveal(tile.picture, kind === "Free"); reveal(tile.prize, kind === "Exit"); reveal(tile.number, kind !== "Wall"); reveal(tile.start, square === "S");
      tile.path.setAttribute("d", arrowsOf(ways));
      tile.prize.textContent = prize;
      tile.number.textContent = short(v);
      const words = kind === "Wall" ? "wall" : kind === "Exit" ? `exit, reward ${prize}, value ${short(v)}`
        : `${square === "S" ? "start" : "free"}, value ${short(v)}, best ${ways.length === 4 ? "any move" : ways.map((a) => WAYS[a]).join(" or ")}`;
      fill(tile.button, { "aria-label": `row ${i + 1}, column ${j + 1}: ${words}`, "aria-pressed": String(chosen), tabindex: chosen ? 0 : -1 }, []);
      Object.assign(tile.button.style, { background: color, border: kind === "Exit" ? "2px solid var(--mlc-text)" : "1px solid var(--mlc-line)", outline: chosen ? "2.5px solid var(--mlc-text)" : "", zIndex: chosen ? 1 : "" });
    });
  }
  function drawEdit({ V }, { w }) {
    const square = squareAt(at), kind = kindOf(square), s = w.cells.findIndex(([i, j]) => i === at[0] && j === at[1]);
    place.textContent = `Row ${at[0] + 1}, column ${at[1] + 1}:`;
    for (const name in kinds) kinds[name].setAttribute("aria-pressed", String(name === kind));
    reward.disabled = kind !== "Exit";
    if (!typed) reward.value = kind === "Wall" ? "" : String(w.reward[s]);
    const values = onStates(w, V);
    detail.textContent = kind === "Wall" ? "A move into a wall stays where it is." : kind === "Exit" ? "An exit pays its reward once, at the next move, and ends the run."
      : `It pays the living reward. That plus γ times the expected V after a move: ${WAYS.map((way, a) => `${way} ${show(actionValue(w, values, s, a), 4)}`).join(", ")}.`;
  }
  let drawn = [];
  function drawCurve({ changes, errors, sweeps, gamma }) {
    const news = [changes, errors, gamma, parts.length];
    if (news.every((v, i) => v === drawn[i])) return;
    drawn = news;
    const n = changes.length, first = sweeps - n + 1, x = changes.map((_, i) => first + i), all = [...changes, ...errors].filter((v) => v > 1e-12);
    const high = all.length ? Math.max(...all) : 1, low = all.length ? Math.max(1e-12, Math.min(...all)) : 1e-3, floor = Math.min(low / 2, high / 100);
    const shown = (v) => v.map((c) => Math.max(c, floor)), last = parts.length ? parts[parts.length - 1] : 0, from = Math.max(0, last + 1 - first);
    curve.setLimits([Math.max(0, first - 1), Math.max(first + 9, sweeps + Math.ceil(n / 20))], [floor, high * 2]);
    cuts.set({ x: parts.filter((p) => p >= first).map((p) => p + .5) });
    const ends = [0, ...parts.map((p) => p + 1 - first).filter((i) => i > 0), n], pieces = (v) => ends.slice(1).map((end, i) => v.slice(ends[i], end));     // no line across a change
    changeLine.set({ x: pieces(x), y: pieces(shown(changes)) });
    changeDots.set({ x, y: shown(changes), size: n > 150 ? 0 : n > 40 ? 2 : 3.5 });
    trueError.set({ x: pieces(x), y: pieces(shown(errors)) });
    const steps = n > from && changes[from] > 0 && gamma > 0 ? x.slice(from) : [];
    slope.set({ x: steps, y: steps.map((_, i) => { const v = changes[from] * gamma ** i; return v >= floor ? v : NaN; }) });
    curve.setAlt(n ? `The largest change of V fell from ${show(changes[0])} to ${show(changes[n - 1])} in the last ${n} sweeps.` : "No sweep yet.");
  }
  function words({ sweeps, changes, V }, { w, best }) {
    const limit = bound(), now = isCurrent(), actual = farthest(onStates(w, V), best), by = now && contracts(swept.algorithm);
    const head = sweeps ? `${sweeps} sweep${sweeps === 1 ? "" : "s"}, largest change of the last one ${show(changes[changes.length - 1])}.` : onStates(w, V).some((v) => v) ? "No sweep yet." : "No sweep yet: V = 0.";
    const how = by ? "γ/(1 − γ) × change" : "what one more backup would change, divided by 1 − γ";
    const proof = `Every value is within ${show(limit)} of the optimal one (${how}); the true largest error is ${show(actual < 1e-12 ? 0 : actual)}.`;
    const state = timer !== null ? "" : event || (converged() ? "Converged." : sweeps && !now ? "Something changed since the last sweep; V was kept, so the next sweeps repair it." : "");
    return [sweeps ? head : `${head} The next sweep is one of ${read().algorithm}, with slip ${show(read().slip)} and a living reward of ${show(read().living_reward)}.`, proof, state].filter(Boolean).join("\n");
  }
  const redraw = guard(() => {
    queued = false;
    const s = read();
    if (!s.sweeps) parts = [];
    if (s.sweeps && swept === null) swept = { key: current().key, method: s.algorithm, algorithm: "", V: s.V };      // a stored state: how V came about is not known
    const c = current();
    worldMenu.set(names.includes(s.preset) ? names.indexOf(s.preset) : names.length);
    methodMenu.set(spec.algorithms.indexOf(s.algorithm));
    for (const t in ranges) {
      ranges[t].set(nearest(ranges[t].values, s[t]));
      ranges[t].el.querySelector(".mlc-value").textContent = show(s[t]);
    }
    ranges.k.el.hidden = s.algorithm !== "modified policy iteration";
    drawBoard(s, c);
    drawEdit(s, c);
    drawCurve(s);
    out.set(words(s, c));
  });
  function redrawSoon() { if (!queued) { queued = true; queueMicrotask(redraw); } }
  for (const t of TRAITS) model.on("change:" + t, redrawSoon);
  redraw();
  el.mlcoreRedraw = () => { known.key = null; drawn = []; tiles.forEach((t) => { t.look = ""; }); redraw(); };     // for timing: everything anew
  el.mlcoreState = () => {                               // what the tests compare with mlcore
    const s = read(), { w, best } = current(), V = onStates(w, s.V);
    return { ...s, values: V, q: w.cells.map((_, c) => WAYS.map((__, a) => actionValue(w, V, c, a))), policy: greedy(w, V), optimal: best, bound: bound(), selected: at };
  };
  return () => { if (timer !== null) clearInterval(timer); for (const t of TRAITS) model.off("change:" + t, redrawSoon); curve.destroy(); };
});
