// Explorer: frames computed by Python for every setting of the controls; here they are only looked up and drawn.
register("explorer", ({ model, el, box, spec, guard }) => {
  const grid = spec.controls.filter((c) => c.kind !== "play"), dims = grid.map((c) => c.texts.length), data = {};
  for (const k in spec.arrays) data[k] = decode(spec.arrays[k], dims);
  const words = (t, index) => (typeof t === "string" ? t : t.items[cell(t.dep, dims, index)]);
  const move = (i, v) => { const ix = model.get("index").slice(); ix[i] = v; model.set("index", ix); model.save_changes(); };

  fill(box, { role: "group", "aria-label": spec.title || spec.alt }, []);
  if (spec.title) box.append(h("div", { class: "mlc-title", text: spec.title }));
  box.append(h("p", { class: "mlc-hidden", text: spec.alt }));
  const bar = box.appendChild(h("div", { class: "mlc-controls" })), build = { slider, menu: select, toggle };
  const inputs = grid.map((c, i) => build[c.kind](bar, { ...c, onInput: (v) => { stop(); move(i, v); } }));
  const buttons = bar.appendChild(h("div", { class: "mlc-buttons" }));

  let timer = 0;
  const play = spec.controls.find((c) => c.kind === "play"), target = play && grid.findIndex((c) => c.name === play.name);
  const status = { el: null, set() {} };
  function step() {
    const i = model.get("index")[target], last = dims[target] - 1;
    if (i < last) move(target, i + 1); else if (play.loop) move(target, 0);
    if (model.get("index")[target] === last && !play.loop) stop();
  }
  function stop() {
    clearInterval(timer); timer = 0;
    if (runner) runner.textContent = idle();
    if (status.el) status.el.setAttribute("aria-live", "polite");
  }
  function toggleRun() {
    if (timer) return stop();
    if (model.get("index")[target] === dims[target] - 1) { move(target, 0); if (reducedMotion()) return; }
    if (reducedMotion()) return step();
    runner.textContent = "⏸ Pause";
    status.el.setAttribute("aria-live", "off");  // one announcement at the end instead of one per step
    timer = setInterval(guard(step), play.interval);
  }
  const idle = () => "▶ " + (reducedMotion() ? "Step" : play.label);
  const runner = play && button(buttons, idle(), guard(toggleRun));
  button(buttons, "Reset", () => { stop(); model.set("index", grid.map((c) => c.index)); model.save_changes(); });

  const row = box.appendChild(h("div", { class: "mlc-panels mlc-of" + spec.panels.length }));
  const panels = spec.panels.map((p) => {
    const view = plot(row, { ...p, title: "", alt: "" });
    return { p, view, marks: p.marks.map((m) => ({ m, handle: view.add(m), deps: depsOf(m), key: "" })) };
  });
  Object.assign(status, readout(box));

  function draw(force) {
    const index = model.get("index");
    grid.forEach((c, i) => inputs[i].set(index[i]));
    for (const { p, view, marks } of panels) {
      view.setTitle(words(p.title, index));
      view.setAlt(words(p.alt, index) || spec.alt);
      view.leave();
      for (const mark of marks) {
        const key = mark.deps.map((d) => index[d]).join();
        if (key === mark.key && force !== true) continue;              // nothing it shows has changed
        mark.key = key;
        mark.handle.set(valuesOf(mark.m, index));
      }
    }
    status.set(words(spec.readout, index));
  }
  function depsOf(m) {                           // the controls on which what a mark shows depends
    const text = m.text && (m.text.lines || m.text), deps = Object.values(m.arrays).filter((k) => typeof k === "string").flatMap((k) => data[k].dep);
    return [...new Set(text && text.dep ? deps.concat(text.dep) : deps)];
  }
  function valuesOf(m, index) {
    const v = {};
    for (const f in m.arrays) v[f] = typeof m.arrays[f] === "string" ? frameOf(data[m.arrays[f]], dims, index) : m.arrays[f];
    if (m.text !== undefined) v.text = m.text.lines === undefined ? words(m.text, index) : words(m.text.lines, index).split("\n");
    return v;
  }
  const update = guard(draw);
  model.on("change:index", update);
  draw(true);
  el.mlcoreRedraw = () => draw(true);            // for timing
  return () => { stop(); model.off("change:index", update); panels.forEach(({ view }) => view.destroy()); };
});
