// The shell: a kernel for the processes of a script, as package compile/shell is
// one. The shell and jq are the frozen guest; the tools are a module beside it.
// Processes take turns: one that has to wait is suspended where it stands, which
// browsers can do since they have WebAssembly.Suspending.
import { binary, bytesFrom } from "./block.mjs";
import { clean, errno, Tree } from "./files.mjs";
import { languages } from "./languages.mjs";
import { Exit, Halt, LimitError, Quota, Trap } from "./limits.mjs";
import { Machine } from "./machine.mjs";
import { latin1, readOutput } from "./output.mjs";
import { file, given, nothing, Pipe, Stream } from "./streams.mjs";
import { fromBase64, textOf } from "./value.mjs";

const maxLive = 64, maxDepth = 12;
const openRead = 1, openWrite = 2, openCreate = 4, openTruncate = 8, openAppend = 16;
const noCommand = 1000, tooMany = 1001, tooDeep = 1002;
const troubles = { [noCommand]: "command not found", [tooMany]: "too many processes", [tooDeep]: "commands start each other too deeply" };
const shells = ["sh", "bash", "dash", "ash", "jq"]; // and jq: what the guest is
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

// Texts are binary here (see block.mjs): words of a script are bytes.

function putStrings(list) {
  const uvarint = (n) => n < 128 ? String.fromCharCode(n) : String.fromCharCode(n % 128 + 128) + uvarint(Math.floor(n / 128));
  return uvarint(list.length) + list.map((s) => uvarint(s.length) + s).join("");
}

// Words reads lists of strings, each behind its length.
class Words {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  number() {
    let n = 0, scale = 1;
    for (;;) {
      const b = this.bytes[this.at++] ?? 0;
      n += (b & 127) * scale;
      if (b < 128) return n;
      scale *= 128;
    }
  }

  list() {
    return Array.from({ length: this.number() }, () => {
      const n = this.number();
      this.at += n;
      return latin1(this.bytes.subarray(this.at - n, this.at));
    });
  }
}

// Scratch is the tree of a run: where it has no directory tmp, a private one is
// grafted onto it, out of which nothing can be moved.
class Scratch extends Tree {
  constructor(tree) {
    super();
    this.root = tree.root;
    const tmp = this.root.children.get("tmp");
    this.grafted = !tmp?.dir;
    if (this.grafted) {
      this.root.children.delete("tmp");
      this.put("tmp", null);
    }
  }

  isPoint(name) { return this.grafted && (name === "tmp" || name === "."); }
  isInside(name) { return this.grafted && name.startsWith("tmp/"); }

  remove(name) {
    if (this.isPoint(name)) throw errno.perm;
    super.remove(name);
  }

  rename(from, to) {
    if (this.isPoint(from) || this.isPoint(to)) throw errno.perm;
    if (this.isInside(from) !== this.isInside(to)) throw errno.xdev;
    super.rename(from, to);
  }
}

// Growth counts what all processes of a run together add to its files.
class Growth extends Quota {
  charge(n) {
    if (n > 0 && this.limit >= 0 && this.used + n > this.limit) throw errno.nospc;
    this.used = Math.max(0, this.used + n);
  }

  entries() {}
  cut() {}
}

class Process {
  handles = new Map();
  next = 3;
  children = new Map();
  captured = new Uint8Array(0);

  constructor(kernel, { argv, env = [], dir = "/", depth = 0, streams }) {
    Object.assign(this, { kernel, argv, env, dir, depth, streams });
  }

  get memory() { return this.machine.memory; }
  put32(at, n) { new DataView(this.memory.buffer).setUint32(at, n, true); }
  bytes(at, n) { return at + n <= this.memory.length ? this.memory.subarray(at, at + n) : null; }

  copyOut(at, room, bytes) {
    if (bytes.length <= room) this.memory.set(bytes, at);
    return bytes.length;
  }

  handle(h) { return h >= 0 && h < 3 ? this.streams[h] : this.handles.get(h); }

  add(stream) {
    this.handles.set(this.next, stream);
    return this.next++;
  }

  // imports are what the guest and the tools ask of the host. Some may wait.
  get imports() {
    const imports = {};
    for (const [name, call] of Object.entries(calls)) {
      imports[name] = (...args) => {
        const unsigned = args.map((a) => a >>> 0);
        try {
          const code = call.apply(this, unsigned);
          return code instanceof Promise ? code.catch(errorNumber) : code;
        } catch (e) {
          return errorNumber(e);
        }
      };
      if (waits.has(name)) imports[name] = new WebAssembly.Suspending(imports[name]);
    }
    return { wb: imports };
  }

  // run runs the program to its end and gives its exit status.
  async run(isGuest, seed) {
    const { kernel } = this;
    let exit = 0, failed = null;
    try {
      this.machine = kernel.machine(this, isGuest, seed);
      await this.machine.start({ initialize: false });
      exit = isGuest ? await this.machine.callWaiting("run") | 0 : await this.machine.toItsEndWaiting("_start");
    } catch (e) {
      failed = e;
    }
    kernel.account(this.machine);
    for (const s of this.handles.values()) s.drop();
    this.handles.clear();
    for (const child of this.children.values()) await child.done;
    return failed ? this.broke(failed) : exit;
  }

  // broke turns what ended a process into a status. A broken limit ends the run; a
  // trap is the program's own failure.
  broke(e) {
    if (e instanceof Trap) {
      const text = `${this.argv[0]}: ${this.machine.name}: trap: ${e.reason}${e.frames.length > 0 ? ` in ${e.frames[0]}` : ""}\n`;
      Promise.resolve(this.streams[2]?.write(bytesFrom(text))).catch(() => {});
      return 134;
    }
    this.kernel.fail(e instanceof LimitError && e.kind === "fuel" ? this.kernel.outOfFuel() : e);
    return 137;
  }

  // child starts a program beside this one.
  child(program) {
    const { kernel } = this;
    const c = new Process(kernel, program);
    kernel.spawn(c);
    return c;
  }

  // overspent ends a process whose children used up what it shares with them.
  overspent() {
    const { fuel, limits } = this.kernel;
    if (limits.fuel > 0 && fuel + this.machine.meter.used > limits.fuel) throw this.kernel.outOfFuel();
  }
}

function errorNumber(e) {
  if (typeof e === "number") return e;
  throw e;
}

// transfer is the common part of reading and writing guest memory.
function transfer(p, h, at, n, work) {
  const s = p.handle(h | 0);
  if (!s) throw errno.badf;
  const bytes = p.bytes(at, n);
  if (!bytes) throw errno.fault;
  return work(s, bytes);
}

// toolName is what /bin/sed and the like stand for.
const toolName = (name) => name.replace(/^\/(?:usr\/(?:local\/)?)?bin\//, "");

const waits = new Set(["read", "read_until", "write", "wait", "tool_run"]);

// The host functions, called with the process as this.
const calls = {
  config(to, room) { return this.copyOut(to, room, bytesFrom(putStrings(this.argv) + putStrings(this.env) + putStrings([this.dir]))); },

  open(at, n, flags, out) {
    const path = this.bytes(at, n);
    if (!path) return errno.fault;
    const name = clean(lenient.decode(path.slice())), { tree, storage } = this.kernel;
    let node = null;
    try {
      node = tree.find(name);
    } catch { /* it is made, or the error told, below */ }
    if (node?.dir) return errno.isdir;
    const opened = tree.open(name, { create: (flags & openCreate) !== 0, truncate: (flags & openTruncate) !== 0 });
    const rights = { readable: (flags & openRead) !== 0 || (flags & openWrite) === 0, writable: (flags & openWrite) !== 0, append: (flags & openAppend) !== 0 };
    this.put32(out, this.add(new Stream(file(opened, rights, storage))));
    return 0;
  },

  pipe(unbounded, out) {
    const pipe = new Pipe(this.kernel, unbounded !== 0);
    this.put32(out, this.add(new Stream(pipe.reader)));
    this.put32(out + 4, this.add(new Stream(pipe.writer)));
    return 0;
  },

  bytes(at, n, out) {
    const data = this.bytes(at, n);
    if (!data) return errno.fault;
    this.put32(out, this.add(new Stream(given(data.slice()))));
    return 0;
  },

  read(h, at, n, out) {
    this.put32(out, 0);
    return this.told(transfer(this, h, at, n, (s, b) => s.read(b)), out);
  },

  read_until(h, delim, at, n, out) {
    this.put32(out, 0);
    return this.told(transfer(this, h, at, n, (s, b) => s.readUntil(delim & 255, b)), out);
  },

  write(h, at, n) {
    const done = transfer(this, h, at, n, (s, b) => s.write(b.slice()));
    const code = (k) => k < n ? errno.pipe : 0;
    return done instanceof Promise ? done.then(code) : code(done);
  },

  close(h) {
    h |= 0;
    const s = this.handles.get(h) ?? (h >= 0 && h < 3 ? this.streams[h] : null);
    if (!s) return;
    if (!this.handles.delete(h)) this.streams[h] = null;
    s.drop();
  },

  spawn(at, n, out) {
    const request = this.bytes(at, n)?.slice();
    if (!request || n < 13) return errno.fault;
    const view = new DataView(request.buffer);
    const streams = [0, 4, 8].map((o) => this.handle(view.getInt32(o, true))?.keep() ?? null);
    const words = new Words(request.subarray(12));
    const argv = words.list(), env = words.list(), [dir] = words.list();
    if (argv.length === 0 || dir === undefined) return noCommand;
    const c = this.child({ argv, env, dir, depth: this.depth + (this.kernel.isGuest(argv[0]) ? 1 : 0), streams });
    let pid = this.children.size + 1;
    while (this.children.has(pid)) pid++;
    this.children.set(pid, c);
    this.put32(out, pid);
    return 0;
  },

  async wait(pid) {
    const c = this.children.get(pid | 0);
    if (!c) return 127;
    const status = await c.done;
    this.children.delete(pid | 0);
    this.overspent();
    return status;
  },

  known(at, n) {
    const name = latin1(this.bytes(at, n) ?? new Uint8Array(0));
    return this.kernel.knows(name) ? 1 : 0;
  },

  mode(at, n) { return this.kernel.modeOf(latin1(this.bytes(at, n) ?? new Uint8Array(0))); },

  tool_mode(at, n) { return this.kernel.modeOf(latin1(this.bytes(at, n) ?? new Uint8Array(0))); },

  tool_chmod(at, n, mode) {
    const name = latin1(this.bytes(at, n) ?? new Uint8Array(0));
    if (this.kernel.modeOf(name) < 0) return errno.noent;
    this.kernel.modes.set(clean(name), mode & 0o777);
    return 0;
  },

  tool_utime() { return 0; }, // the page shows no times

  tool_dup(fd, least) {
    const { wasi } = this.machine;
    try {
      return wasi.dup(fd, least);
    } catch (e) {
      return -errorNumber(e);
    }
  },

  tools(to, room) { return this.copyOut(to, room, bytesFrom(this.kernel.program.tools.join(" "))); },

  async tool_run(at, n, from, length, flags) {
    const words = this.bytes(at, n);
    if (!words || n === 0) return 127;
    const argv = latin1(words).replace(/\0$/, "").split("\0");
    argv[0] = toolName(argv[0]);
    const streams = this.streams.map((s) => s?.keep() ?? null);
    if (flags & 1) {
      const data = this.bytes(from, length);
      if (!data) return 126;
      streams[0]?.drop();
      streams[0] = new Stream(given(data.slice()));
    }
    let kept = null;
    this.captured = new Uint8Array(0);
    if (flags & 2) {
      kept = new Pipe(this.kernel, true);
      streams[1]?.drop();
      streams[1] = new Stream(kept.writer);
    }
    let c;
    try {
      c = this.child({ argv, env: this.env, dir: this.dir, depth: this.depth + 1, streams });
    } catch (e) {
      if (!troubles[e]) throw e;
      await this.streams[2]?.write(bytesFrom(`${this.argv[0]}: ${argv[0]}: ${troubles[e]}\n`));
      return e === noCommand ? 127 : 126;
    }
    const status = await c.done;
    if (kept) {
      this.captured = kept.data;
      kept.reader.close();
    }
    this.overspent();
    return status;
  },

  tool_output(to, room) { return this.copyOut(to, room, this.captured); },

  tool_environ(at, n) {
    const block = this.bytes(at, n);
    if (!block) return;
    this.env = latin1(block).split("\0").filter((kv) => kv !== "");
    const pwd = this.env.find((kv) => kv.startsWith("PWD=/")); // where the tool is by now
    if (pwd) this.dir = pwd.slice(4);
  },
};

// told writes how many bytes were read.
Process.prototype.told = function told(done, out) {
  const write = (n) => {
    this.put32(out, n);
    return 0;
  };
  return done instanceof Promise ? done.then(write) : write(done);
};

class Shell {
  modes = new Map(); // what chmod has set, by name
  fuel = 0; // burnt by processes that have ended
  largest = 0; // memory of any process
  live = 0;
  started = 0;
  held = 0; // bytes in unbounded pipes
  output = 0;
  running = new Set();

  constructor(recipe, _inputs, { stdout, stderr, tree }) {
    this.recipe = recipe;
    this.program = recipe.program;
    this.limits = recipe.limits;
    this.stdout = stdout;
    this.stderr = stderr;
    this.tree = new Scratch(tree);
    this.storage = new Growth("files", this.limits.files);
    this.failed = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.failed.catch(() => {}); // also when nobody waits any more
  }

  // boot takes the modules; the machine of a script is its kernel.
  boot({ program, beside, tick }) {
    if (!WebAssembly.Suspending) throw new Halt("this browser cannot run a shell: it cannot suspend WebAssembly (JavaScript Promise Integration)");
    this.tick = tick;
    this.guest = program;
    this.beside = beside;
    return this;
  }

  start() {}

  get meter() { return { used: [...this.running].reduce((n, m) => n + m.meter.used, this.fuel) }; }
  get memory() { return { length: this.largest }; }

  outOfFuel() { return new LimitError("fuel", this.limits.fuel); }

  // modeOf is the permissions of a file, or -1 where there is none.
  modeOf(name) {
    try {
      const node = this.tree.find(clean(name));
      return this.modes.get(clean(name)) ?? (node.dir ? 0o755 : 0o644);
    } catch {
      return -1;
    }
  }

  // programOf is the module that has a tool: most are in the toolbox.
  programOf(name) { return this.program.from?.[name] ?? "toolbox"; }

  // machine makes the one a process runs in.
  machine(p, isGuest, seed) {
    const { limits } = this;
    const left = limits.fuel > 0 ? limits.fuel - this.fuel : limits.fuel;
    if (limits.fuel > 0 && left <= 0) throw this.outOfFuel();
    const m = new Machine(
      { name: isGuest ? this.recipe.name : this.programOf(p.argv[0]), args: p.argv, env: p.env, dir: p.dir, stdin: p.streams[0] ?? nothing,
        limits: { fuel: left, memory: limits.memory, output: -1, files: -1 }, image: isGuest ? this.recipe.image : null },
      { program: isGuest ? this.guest : this.beside[this.programOf(p.argv[0])], tree: this.tree, storage: this.storage, seed, binary: true, imports: p.imports,
        stdout: sink(p.streams[1], isGuest), stderr: sink(p.streams[2], isGuest), tick: () => this.tick?.(this.meter.used) });
    for (const name of ["fd_read", "fd_write"]) {
      const { wasi_snapshot_preview1: wasi } = m.imports;
      wasi[name] = new WebAssembly.Suspending(wasi[name]);
    }
    this.running.add(m);
    return m;
  }

  // account adds what an ended process used.
  account(m) {
    if (!m) return;
    this.running.delete(m);
    this.fuel += m.meter.used;
    this.largest = Math.max(this.largest, m.memory.length);
    if (this.limits.fuel > 0 && this.fuel > this.limits.fuel) this.fail(this.outOfFuel());
  }

  reserve(n) {
    this.held += n;
    if (this.limits.memory >= 0 && this.held > this.limits.memory) {
      const e = new LimitError("memory", this.limits.memory);
      this.fail(e);
      throw e;
    }
  }

  release(n) { this.held -= n; }

  isGuest(name) { return shells.includes(name); }
  knows(name) { return this.isGuest(name) || this.program.tools.includes(name) || this.program.hosted.includes(name); }

  // spawn starts a program beside the others. It takes over one reference to each
  // stream.
  spawn(p) {
    const trouble = !this.knows(p.argv[0]) ? noCommand : this.live >= maxLive ? tooMany : p.depth > maxDepth ? tooDeep : 0;
    if (trouble) {
      for (const s of p.streams) s?.drop();
      throw trouble;
    }
    if (!this.isGuest(p.argv[0]) && !this.program.tools.includes(p.argv[0])) throw new Halt(`${p.argv[0]} runs only where wb runs it, not in a browser`);
    this.live++;
    const seed = BigInt(++this.started);
    p.done = p.run(this.isGuest(p.argv[0]), seed).finally(() => {
      this.live--;
      for (const s of p.streams) s?.drop();
    });
    p.done.catch((e) => this.fail(e));
  }

  // stream is an output of the run.
  out(to) {
    return {
      read: () => 0,
      write: (bytes) => {
        const { output: limit } = this.limits;
        const room = limit < 0 ? bytes.length : Math.min(bytes.length, Math.max(0, limit - this.output));
        this.output += bytes.length;
        to.write(bytes.slice(0, room));
        if (room === bytes.length) return room;
        this.fail(new LimitError("output", limit));
        throw errno.pipe;
      },
    };
  }

  async run() {
    const main = new Process(this, {
      argv: this.program.argv.map((word) => latin1(fromBase64(word))), dir: binary(this.recipe.dir || "/"),
      streams: [given(this.recipe.stdin), this.out(this.stdout), this.out(this.stderr)].map((end) => new Stream(end)),
    });
    this.spawn(main);
    const exit = await Promise.race([main.done, this.failed]);
    // What failed and what ended may be settled together; failing counts.
    await Promise.race([this.failed, Promise.resolve()]);
    return { value: this.value(this.stdout.bytes), exit };
  }

  // value is what the script printed; with :results value its last line, which is
  // the exit status.
  value(printed) {
    const { shape, status, read } = this.program;
    if (shape === "command") return textOf(printed);
    if (!status) return readOutput(printed, { read });
    const last = latin1(printed).split("\n").filter((line) => line !== "").at(-1);
    return last === undefined ? null : readOutput(bytesFrom(last), { read });
  }
}

// brokenPipe ends a tool that writes to a pipe nobody reads any more, as SIGPIPE does.
function brokenPipe(e) {
  throw e === errno.pipe ? new Exit(141) : e;
}

// sink is a stream as the system interface writes to it.
function sink(stream, isGuest) {
  if (!stream) return () => {};
  if (isGuest) return (bytes) => stream.write(bytes);
  return (bytes) => {
    try {
      const done = stream.write(bytes);
      return done instanceof Promise ? done.catch(brokenPipe) : done;
    } catch (e) {
      return brokenPipe(e);
    }
  };
}

languages.shell = Shell;
