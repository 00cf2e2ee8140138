// ---- interactive figures of a live kernel: the widget messages that anywidget needs, and no more ---------------------------
// A change goes to Python at once, the next one when Python has taken it (a slider moves faster than a kernel answers).
const MODULES = new Map();                        // script text -> promise of its module
function moduleOf(text) {
  if (!MODULES.has(text)) {
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    MODULES.set(text, import(address).finally(() => URL.revokeObjectURL(address)));
  }
  return MODULES.get(text);
}
function putBuffers(state, paths = [], buffers = []) {
  paths.forEach((path, i) => {
    let at = state;
    path.slice(0, -1).forEach((k) => { at = at[k]; });
    at[path[path.length - 1]] = buffers[i];
  });
  return state;
}

class WidgetModel {
  constructor(manager, id, state) { Object.assign(this, { manager, id, state, subs: {}, changed: {}, waiting: null }); }
  get(name) { return this.state[name]; }
  set(name, value) {
    if (typeof name === "object") { for (const k in name) this.set(k, name[k]); return; }
    if (this.state[name] === value) return;
    this.state[name] = this.changed[name] = value;
    this.fire(`change:${name}`, value);
    this.fire("change");
  }
  on(names, f) { for (const name of names.split(/\s+/)) (this.subs[name] = this.subs[name] || []).push(f); }
  off(names, f) { for (const name of (names || Object.keys(this.subs).join(" ")).split(/\s+/)) this.subs[name] = f ? (this.subs[name] || []).filter((g) => g !== f) : []; }
  fire(name, ...values) { (this.subs[name] || []).slice().forEach((f) => f(...values)); }
  send(content) { if (this.manager.connected) this.manager.send(this.id, { method: "custom", content }); }
  save_changes(now = false) {
    if (!Object.keys(this.changed).length || (this.waiting && !now) || !this.manager.connected) return;
    const state = this.changed;
    this.changed = {};
    const turn = this.manager.send(this.id, { method: "update", state, buffer_paths: [] });
    this.waiting = turn;
    turn.then(() => { if (this.waiting === turn) { this.waiting = null; this.save_changes(); } });
  }
  receive(data, buffers) {
    if (data.method === "custom") return this.fire("msg:custom", data.content, buffers);
    if (data.method !== "update") return undefined;      // echoes of our own changes
    for (const [name, value] of Object.entries(putBuffers(data.state, data.buffer_paths, buffers))) {
      if (name in this.changed || JSON.stringify(this.state[name]) === JSON.stringify(value)) continue;
      this.state[name] = value;
      this.fire(`change:${name}`, value);
      this.fire("change");
    }
    return undefined;
  }
}

class Widgets {
  constructor(kernel) { this.kernel = kernel; this.models = new Map(); this.styles = new Set(); }
  knows(id) { return this.models.has(id) && Boolean(this.models.get(id).get("_esm")); }
  get connected() { return this.kernel.connected; }
  send(id, data) { return this.kernel.comm(id, data); }
  flush() { for (const model of this.models.values()) model.save_changes(true); }      // before a cell runs: it must see the last change
  forget() { this.models.clear(); }
  take(message) {
    const c = message.content, kind = message.header.msg_type;
    if (kind === "comm_open" && c.target_name === "jupyter.widget") {
      this.models.set(c.comm_id, new WidgetModel(this, c.comm_id, putBuffers(c.data.state, c.data.buffer_paths, message.buffers)));
    } else if (kind === "comm_msg" && this.models.has(c.comm_id)) this.models.get(c.comm_id).receive(c.data, message.buffers);
    else if (kind === "comm_close") this.models.delete(c.comm_id);
  }
  show(id, box) {                                 // draws the figure; returns what undoes it
    const model = this.models.get(id), css = model.get("_css"), cleanups = [];
    let gone = false;
    if (css && !this.styles.has(css)) { this.styles.add(css); document.head.append(el("style", { text: css })); }
    const draw = async () => {
      const module = await moduleOf(model.get("_esm"));
      const widget = typeof module.default === "function" ? await module.default() : module.default;
      for (const step of [widget.initialize, widget.render]) {
        if (!step || gone) continue;
        const undo = await step({ model, el: box, experimental: {} });
        if (typeof undo === "function") cleanups.push(undo);
      }
    };
    draw().catch((error) => { box.append(el("p", { class: "live-note", text: `This figure could not be drawn: ${error.message}` })); });
    return () => { gone = true; cleanups.forEach((f) => f()); };
  }
}
