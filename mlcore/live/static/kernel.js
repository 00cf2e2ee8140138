// ---- one kernel for one page, over Jupyter's documented protocol --------------------------------------------------------
function decodeMessage(data) {                    // text, or (with binary buffers) offsets, JSON, buffers
  if (typeof data === "string") return { buffers: [], ...JSON.parse(data) };
  const view = new DataView(data), n = view.getUint32(0), at = Array.from({ length: n }, (_, i) => view.getUint32(4 * (i + 1)));
  at.push(data.byteLength);
  const message = JSON.parse(new TextDecoder().decode(data.slice(at[0], at[1])));
  return { ...message, buffers: at.slice(1, -1).map((from, i) => new DataView(data.slice(from, at[i + 2]))) };
}

class Kernel {
  // told(state, words): every change of "starting", "ready", "running", "lost", "gone"
  constructor(path, told) {
    Object.assign(this, { path, told, session: uid(), id: null, sessionId: null, socket: null, jobs: new Map(), turns: new Map(), queue: [], current: null, expected: false, waking: false });
    this.widgets = new Widgets(this);
  }
  get connected() { return Boolean(this.socket) && this.socket.readyState === WebSocket.OPEN; }

  async start() {
    this.told("starting", "Starting a kernel …");
    const answer = await ask("api/sessions", "POST", { name: this.path, path: `${this.path}#${this.session}`, type: "page", kernel: { name: "python3" } });
    this.sessionId = answer.id;
    this.id = answer.kernel.id;
    await this.connect();
    this.told("ready", "The kernel is ready.");
  }
  connect() {
    return new Promise((done, failed) => {
      const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}${LIVE.base}api/kernels/${this.id}/channels?session_id=${this.session}`);
      socket.binaryType = "arraybuffer";
      socket.onopen = () => { this.socket = socket; done(); };
      socket.onerror = () => failed(new ServerError("the connection to the kernel was refused", 0));
      socket.onmessage = (event) => this.take(decodeMessage(event.data));
      socket.onclose = () => { if (this.socket === socket) { this.socket = null; this.reconnect(); } };
    });
  }
  // The connection broke although nobody asked: the server may be busy, restarted, or gone.
  async reconnect() {
    if (this.expected) return;
    for (const seconds of [0.5, 1, 2, 4, 8, 8, 8, 8]) {
      this.told("lost", "The connection to the server was lost; trying again …");
      await pause(1000 * seconds);
      if (this.expected) return;
      try {
        await ask(`api/kernels/${this.id}`);
        await this.connect();
        this.told(this.current ? "running" : "ready", "Connected again; variables are kept.");
        this.settleOld();
        this.widgets.flush();
        return;
      } catch (error) {
        if (error.status === 404) return this.fail("The server was started again and this page's kernel is gone. Start a new one; your edits are kept.");
        if (error.status === 403 || error.status === 401) return this.fail("The server was started again: open the address it printed. Your edits are kept in this browser.");
      }
    }
    return this.fail("The server does not answer. Is it still running? Your edits are kept in this browser.");
  }
  // The server kept what the kernel said meanwhile and sends it now. The kernel answers in order: when it has answered a question
  // asked after all that, whatever still waits for an answer will get none.
  settleOld() {
    const jobs = [...this.jobs], turns = [...this.turns];
    const answered = () => {
      for (const [id, job] of jobs) if (this.jobs.delete(id)) { if (job.form) job.form.remove(); job.done("lost"); }
      for (const [id, done] of turns) if (this.turns.delete(id)) done();
    };
    this.asked().then(answered);
  }
  asked() {                                       // resolves to "ok" when the kernel has answered
    const id = uid();
    return new Promise((done) => {
      this.jobs.set(id, { output: null, done, reply: null, idle: false, form: null });
      this.send("shell", "kernel_info_request", {}, id);
    });
  }
  // A kernel that is only just beginning may miss what it is sent: ask until it answers, and let the cells wait.
  async awake() {
    for (let answer = null; answer !== "ok" && this.id;) {
      answer = await Promise.race([this.connected ? this.asked() : null, pause(1000)]);
      if (answer === null) await pause(1000);
    }
    return Boolean(this.id);
  }
  fail(words) {
    this.id = null;
    this.widgets.forget();
    this.endAll("gone");
    this.told("gone", words);
  }

  send(channel, type, content, id = uid()) {
    this.socket.send(JSON.stringify({ channel, content, metadata: {}, parent_header: {}, buffers: [],
      header: { msg_id: id, session: this.session, username: "", msg_type: type, version: "5.3", date: new Date().toISOString() } }));
    return id;
  }
  comm(comm_id, data) {                           // resolves when the kernel has dealt with it
    const id = uid();
    const turn = new Promise((done) => this.turns.set(id, done));
    this.send("shell", "comm_msg", { comm_id, data }, id);
    return turn;
  }
  take(message) {
    const kind = message.header.msg_type, parent = (message.parent_header || {}).msg_id, job = this.jobs.get(parent);
    if (kind === "status") {
      const state = message.content.execution_state;
      if (state === "restarting" || state === "dead" || state === "autorestarting") { this.died(state); return; }
      if (state === "idle") {
        if (this.turns.has(parent)) { this.turns.get(parent)(); this.turns.delete(parent); }
        if (job) { job.idle = true; this.settle(parent, job); }
      }
    } else if (kind.startsWith("comm_")) this.widgets.take(message);
    else if (kind === "input_request" && job) {
      job.form = job.output.question(message.content.prompt, message.content.password, (value) => { job.form = null; this.send("stdin", "input_reply", { value, status: "ok" }); });
    } else if ((kind === "execute_reply" || kind === "kernel_info_reply") && job) {
      job.reply = message.content.status;
      for (const page of message.content.payload || []) if (page.source === "page") job.output.rich({ data: { "text/plain": page.data["text/plain"] } });
      this.settle(parent, job);
    } else if (job && job.output && message.channel === "iopub") job.output.take(message);
  }
  settle(id, job) { if (job.idle && job.reply) { this.jobs.delete(id); if (job.form) job.form.remove(); job.done(job.reply); } }
  endAll(how) {
    this.queue.splice(0).forEach((entry) => entry.done("skipped"));
    for (const [id, job] of this.jobs) { this.jobs.delete(id); if (job.form) job.form.remove(); job.done(how); }
    for (const done of this.turns.values()) done();
    this.turns.clear();
  }
  async died(state) {
    if (this.expected === "restart" || this.waking) return;
    const running = this.current;
    this.widgets.forget();
    this.endAll("died");
    if (running) running.output.note("The kernel died while this cell ran. Most often the memory was used up.");
    if (state === "dead") { this.fail("The kernel died and could not be started again. Start a new one; your edits are kept."); return; }
    this.waking = true;
    this.told("starting", "The kernel died; a new one is starting …");
    const alive = await this.awake();
    this.waking = false;
    if (alive) this.told("ready", "The kernel died and was started again: all variables are gone. Run the cells above first.");
    this.next();
  }

  // Cells run one after the other; after an error the rest of a group is left out.
  run(cell, group) {
    return new Promise((done) => { this.queue.push({ cell, group, done }); this.next(); });
  }
  async next() {
    if (this.current || this.waking || !this.queue.length) return;
    if (!this.connected) { this.endAll("gone"); return; }
    const entry = this.queue.shift();
    this.current = entry.cell;
    this.told("running", this.queue.length ? `Running; ${this.queue.length} more waiting.` : "Running …");
    entry.cell.begin();
    const status = await new Promise((done) => {
      this.widgets.flush();
      const id = uid();
      this.jobs.set(id, { output: entry.cell.output, done, reply: null, idle: false, form: null });
      this.send("shell", "execute_request", { code: entry.cell.code, silent: false, store_history: true, user_expressions: {}, allow_stdin: true, stop_on_error: true }, id);
    });
    this.current = null;
    entry.cell.end(status);
    entry.done(status);
    if (status !== "ok") this.queue = this.queue.filter((e) => { if (e.group !== entry.group) return true; e.done("skipped"); return false; });
    if (this.queue.length) this.next();
    else if (status === "ok") this.told("ready", "The kernel is ready.");
    else if (status === "error" || status === "aborted") this.told("ready", "A cell stopped with an error; the kernel is ready.");
    else if (status === "lost") this.told("ready", "The connection broke and took the end of a cell with it: run that cell again. Variables are kept.");
  }
  async interrupt() {
    this.queue.splice(0).forEach((entry) => entry.done("skipped"));
    if (this.current) this.told("running", "Interrupting …");
    await ask(`api/kernels/${this.id}/interrupt`, "POST");
  }
  async restart() {
    this.expected = "restart";
    this.told("starting", "Starting the kernel again …");
    try {
      this.widgets.forget();
      this.endAll("restarted");
      await ask(`api/kernels/${this.id}/restart`, "POST");
    } finally { this.expected = false; }
    this.told("ready", "The kernel was started again: all variables are gone.");
  }
  async stop(leaving = false) {
    this.expected = "stop";
    if (this.sessionId) {
      const gone = ask(`api/sessions/${this.sessionId}`, "DELETE", undefined, leaving);
      if (!leaving) await gone; else gone.catch(() => {});
    }
    this.sessionId = this.id = null;
    if (this.socket) this.socket.close();
    this.endAll("gone");
  }
}
