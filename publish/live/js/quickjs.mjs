// JavaScript: QuickJS as the host starts it, restored from the same image, with
// the functions that package compile/js gives it. JavaScript values are handles;
// a machine runs one program.
import { sha256 } from "./digest.mjs";
import { clean, errno, Tree } from "./files.mjs";
import { languages } from "./languages.mjs";
import { Halt, LimitError } from "./limits.mjs";
import { readCellText } from "./output.mjs";
import { Random, seedOf } from "./random.mjs";
import { Members, isFloat, isInt, isList, json, jsonText, parseJSON, textOf } from "./value.mjs";

const blockFile = "block.js";
const evalScript = 0, evalModule = 1;
const pending = 0, rejected = 2;

const utf8 = new TextEncoder();
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

// decode reads UTF-8; half a surrogate pair, as QuickJS writes it, becomes one
// U+FFFD like any other part that is wrong.
function decode(bytes) {
  for (let at = bytes.indexOf(0xed); at >= 0; at = bytes.indexOf(0xed, at + 1)) {
    if (bytes[at + 1] >= 0xa0 && bytes[at + 1] <= 0xbf && (bytes[at + 2] & 0xc0) === 0x80) {
      bytes = bytes.slice();
      bytes.set([0xef, 0xbf, 0xbd], at);
    }
  }
  return lenient.decode(bytes);
}

// GuestError is thrown in the guest as an Error.
class GuestError extends Error {
  constructor(message, code = "") {
    super(message);
    this.code = code;
  }
}

// Thrown is an exception of the program.
class Thrown extends Error {
  constructor({ name = "", message = "", stack = "", class: made = "", cause = "" }, handle = 0) {
    super(message === "" ? name : `${name}: ${message}`);
    Object.assign(this, { kind: name, text: message, trace: stack, made, origin: cause, handle });
  }
}

// Quit is a program that asked to end.
class Quit extends Halt {
  constructor(code) {
    super(`exited with code ${code}`);
    this.code = code;
  }
}

// What the tree's errors are called in node.
const fileErrors = {
  [errno.isdir]: ["EISDIR", "illegal operation on a directory"],
  [errno.notdir]: ["ENOTDIR", "not a directory"],
  [errno.notempty]: ["ENOTEMPTY", "directory not empty"],
  [errno.noent]: ["ENOENT", "no such file or directory"],
  [errno.exist]: ["EEXIST", "file already exists"],
  [errno.inval]: ["EINVAL", "invalid argument"],
};

// QuickJS is one virtual machine and the program it runs.
export class QuickJS {
  rejected = [];

  constructor(recipe, inputs, { stdout, stderr, tree }) {
    this.recipe = recipe;
    this.image = recipe.image.landmarks;
    this.program = recipe.program;
    this.inputs = inputs;
    this.stdout = stdout;
    this.stderr = stderr;
    this.tree = tree;
    this.left = recipe.limits.output;
    this.room = recipe.limits.files;
    this.random = new Random(seedOf());
  }

  // world is what the module has of the system interface: nothing. The host
  // functions below are its way out.
  world = { tree: new Tree(), stdout: () => {}, stderr: () => {} };

  // imports are what the module wants of the host.
  get imports() {
    const own = (work) => (...args) => {
      try {
        return work(...args);
      } catch (e) {
        return this.throw(e);
      }
    };
    return {
      env: {
        host_get_timezone_offset: () => 0,
        host_interrupt: () => 0,
        host_promise_rejection: (promise, reason, handled) => this.promiseRejection(promise, reason, handled !== 0),
        host_module_normalize: own((base, name) => this.alloc(this.locate(this.cstring(base), this.cstring(name), "import"))),
        host_module_load: own((name, lengthAt) => {
          const source = this.moduleSource(this.cstring(name));
          this.charge(utf8.encode(source).length);
          const p = this.alloc(source);
          this.words.setUint32(lengthAt, utf8.encode(source).length, true);
          return p;
        }),
        host_call: own((at, length, _this, argc, argv) => {
          const name = lenient.decode(this.memory.subarray(at >>> 0, (at >>> 0) + length));
          const f = hostFunctions[name];
          if (!f) throw new GuestError(`no host function ${JSON.stringify(name)}`);
          const args = new Array(Math.max(argc, 4)).fill(0);
          for (let i = 0; i < argc; i++) args[i] = this.words.getUint32((argv >>> 0) + 4 * i, true);
          return f.call(this, args) || this.call("qjs_dup_value", this.image.undefined);
        }),
      },
    };
  }

  get memory() { return this.machine.memory; }
  get words() { return new DataView(this.memory.buffer); }
  call(name, ...args) { return this.machine.call(name, ...args) >>> 0; }
  charge(n) { this.machine.meter.burn(Math.floor(n / 8) + 16); }

  // ---- values ----

  allocBytes(bytes) {
    const p = this.call("wasm_malloc", bytes.length + 1);
    if (p === 0 || p + bytes.length + 1 > this.memory.length) throw this.machine.memoryLimit();
    this.memory.set(bytes, p);
    this.memory[p + bytes.length] = 0;
    return p;
  }

  alloc(text) { return this.allocBytes(utf8.encode(text)); }
  free(p) { this.call("wasm_free", p); }
  release(v) { this.call("qjs_free_value", v); }

  newString(text) {
    const bytes = utf8.encode(text);
    const p = this.allocBytes(bytes);
    const v = this.call("qjs_new_string", p, bytes.length);
    this.free(p);
    return v;
  }

  newBytes(bytes) {
    const p = this.allocBytes(bytes);
    const v = this.call("qjs_new_uint8_array", p, bytes.length);
    this.free(p);
    return v;
  }

  // text reads a value as a string; null when it has none.
  text(v) {
    const p = this.call("qjs_get_string_len", v, this.image.scratch);
    if (p === 0) return null;
    const length = this.words.getUint32(this.image.scratch, true);
    const text = decode(this.memory.slice(p, p + length));
    this.call("qjs_free_cstring", p);
    return text;
  }

  wantText(v) {
    const text = this.text(v);
    if (text === null) throw new Error("quickjs: a value has no text");
    return text;
  }

  bytes(v) {
    const at = this.image.scratch;
    const buffer = this.call("qjs_get_typed_array_buffer", v, at, at + 4, at + 8);
    try {
      this.check(buffer);
      const offset = this.words.getUint32(at, true), length = this.words.getUint32(at + 4, true);
      const p = this.call("qjs_get_array_buffer", buffer, at);
      return length === 0 ? new Uint8Array(0) : this.memory.slice(p + offset, p + offset + length);
    } finally {
      this.release(buffer);
    }
  }

  data(v) { return this.is(v, "string") ? utf8.encode(this.wantText(v)) : this.bytes(v); }
  is(v, what) { return v !== 0 && this.call(`qjs_is_${what}`, v) !== 0; }
  truth(v) { return v !== 0 && this.call("qjs_get_bool", v) !== 0; }
  number(v) { return this.machine.call("qjs_get_float64", v); }

  cstring(p) {
    p >>>= 0;
    const end = this.memory.indexOf(0, p);
    return decode(this.memory.slice(p, end < 0 ? p : end));
  }

  property(object, name) {
    const p = this.alloc(name);
    const v = this.call("qjs_get_prop_string", object, p);
    this.free(p);
    return v;
  }

  setProperty(object, name, v) {
    const p = this.alloc(name);
    this.call("qjs_set_prop_string", object, p, v);
    this.free(p);
  }

  list(...values) {
    const a = this.call("qjs_new_array");
    values.forEach((v, i) => this.call("qjs_set_prop_uint32", a, i, v));
    return a;
  }

  // ---- exceptions ----

  // throw raises an error in the guest and gives the null that says so. What is
  // no affair of the guest's passes.
  throw(e) {
    if (e instanceof Thrown && e.handle !== 0) {
      this.call("qjs_throw", e.handle);
      return 0;
    }
    if (!(e instanceof GuestError) && !(e instanceof Thrown)) throw e;
    const error = this.call("qjs_new_error");
    for (const [name, text] of [["message", e.message], ["code", e.code]]) {
      if (text) this.setProperty(error, name, this.newString(text));
    }
    this.call("qjs_throw", error);
    this.release(error);
    return 0;
  }

  check(v) {
    if (this.call("qjs_is_exception", v) === 0) return v;
    throw this.describe(this.call("qjs_get_exception"));
  }

  // describe reads something thrown, with as little of the guest's help as its
  // state allows.
  describe(e) {
    const known = {};
    for (const name of ["name", "message", "stack"]) known[name] = this.text(this.property(e, name)) ?? "";
    const thrown = new Thrown(known, e);
    if (known.name === "SyntaxError") return thrown;
    try {
      return new Thrown(JSON.parse(this.controlText("describe", e)), e);
    } catch (failed) {
      if (!(failed instanceof Thrown)) throw failed;
      return known.name === "" ? new Thrown({ ...known, name: "Uncaught", message: "null" }, e) : thrown;
    }
  }

  outOfMemory(t) {
    return this.machine.refused && (t.kind === "InternalError" && t.text === "out of memory" || t.kind === "Uncaught" && t.text === "null");
  }

  // ---- calling ----

  eval(source, file, flags) {
    const bytes = utf8.encode(source);
    const code = this.allocBytes(bytes), name = this.alloc(file);
    const v = this.call("qjs_eval", code, bytes.length, name, flags);
    this.free(code);
    this.free(name);
    return this.check(v);
  }

  apply(f, self, ...args) {
    const argv = this.call("wasm_malloc", 4 * args.length + 4);
    args.forEach((a, i) => this.words.setUint32(argv + 4 * i, a, true));
    const v = this.call("qjs_call", f, self, args.length, argv);
    this.free(argv);
    return this.check(v);
  }

  control(name, ...args) { return this.apply(this.image.control[name], this.image.undefined, ...args); }

  controlText(name, ...args) {
    const v = this.control(name, ...args);
    const text = this.wantText(v);
    this.release(v);
    return text;
  }

  controlBool(name, ...args) {
    const v = this.control(name, ...args);
    const yes = this.call("qjs_get_bool", v) !== 0;
    this.release(v);
    return yes;
  }

  // ---- the event loop ----

  promiseRejection(promise, reason, handled) {
    const address = this.call("qjs_get_value_ptr", promise);
    if (handled) {
      this.rejected = this.rejected.filter((r) => r.address !== address);
      this.release(reason);
    } else {
      this.rejected.push({ address, reason });
    }
    this.release(promise);
  }

  jobs() {
    for (let ran = false; ; ran = true) {
      if (this.call("qjs_is_job_pending") === 0) return ran;
      if ((this.call("qjs_execute_pending_job") | 0) < 0) throw this.describe(this.call("qjs_get_exception"));
    }
  }

  turn() {
    for (;;) {
      const ticked = this.controlBool("tick"), ran = this.jobs();
      if (!ticked && !ran) break;
    }
    if (this.rejected.length > 0) throw this.describe(this.rejected[0].reason);
  }

  drain() {
    do {
      this.turn();
    } while (this.controlBool("fire"));
  }

  settle(promise) {
    this.call("qjs_promise_mark_as_handled", promise);
    for (;;) {
      this.turn();
      const state = this.call("qjs_promise_state", promise);
      if (state !== pending) {
        const v = this.call("qjs_promise_result", promise);
        if (state === rejected) throw this.describe(v);
        return v;
      }
      if (!this.controlBool("fire")) {
        throw new Thrown({ name: "Error", message: "a promise that is waited for never settles: nothing is left that could settle it" });
      }
    }
  }

  // ---- modules ----

  // locate finds what a module means by a name: a module of node's.
  locate(_base, name, verb) {
    const bare = name.replace(/^node:/, "");
    if (this.image.builtins[bare]) return `node:${bare}`;
    const refused = this.image.refused[bare];
    if (refused) throw new GuestError(`${verb} ${JSON.stringify(name)}: ${refused}`, "MODULE_NOT_FOUND");
    if (bare !== name) throw new GuestError(`${verb} ${JSON.stringify(name)}: node has no such module`, "ERR_UNKNOWN_BUILTIN_MODULE");
    throw new GuestError(`${verb} ${JSON.stringify(name)}: no such file`, "MODULE_NOT_FOUND");
  }

  moduleSource(file) {
    const name = file.replace(/^node:/, "");
    const names = this.image.builtins[name];
    if (!names) throw new GuestError(`import ${JSON.stringify(file)}: no such module`);
    return `const m = require(${JSON.stringify(name)});\nexport default m;\nexport const {${names.join(", ")}} = m;\n`;
  }

  // ---- output and files ----

  write(sink, bytes) {
    const cut = this.left >= 0 && bytes.length > this.left;
    const part = cut ? bytes.subarray(0, Math.max(this.left, 0)) : bytes;
    this.left -= part.length;
    sink.write(part.slice());
    if (cut) throw new LimitError("output", this.recipe.limits.output);
  }

  // name turns a path of the guest into a name in the tree.
  name(path) { return clean(path.startsWith("/") ? path : `${this.recipe.dir || "/"}/${path}`); }

  // onFile does something with the tree; failures are node's.
  onFile(call, path, work) {
    try {
      return work(this.name(path));
    } catch (e) {
      if (typeof e !== "number") throw e;
      const [code, text] = fileErrors[e] ?? ["EIO", `error ${e}`];
      throw new GuestError(`${code}: ${text}, ${call} '${path}'`, code);
    }
  }

  take(n) {
    if (this.room >= 0 && n > this.room) throw new LimitError("files", this.recipe.limits.files);
    this.room -= Math.max(n, 0);
  }

  remove(name, all) {
    if (all) {
      const node = this.tree.find(name);
      if (node.dir) {
        for (const [child] of this.tree.list(name)) this.remove(name === "." ? child : `${name}/${child}`, true);
      }
    }
    this.tree.remove(name);
  }

  answer(text) {
    this.charge(utf8.encode(text).length);
    return this.newString(text);
  }

  // ---- the program ----

  // run runs it and gives its value and exit code.
  run(machine) {
    this.machine = machine;
    this.exit = 0;
    try {
      const value = this.start();
      return { value, exit: this.exit };
    } catch (e) {
      if (e instanceof Quit) return { value: this.printed(), exit: e.code };
      if (!(e instanceof Thrown)) throw e;
      if (this.outOfMemory(e)) throw this.machine.memoryLimit();
      this.write(this.stderr, utf8.encode(`${this.place(e)}: ${e.message}\n${this.stack(e)}`));
      return { value: this.printed(), exit: 1 };
    }
  }

  start() {
    const { program } = this;
    const begin = `{"args":${jsonText(this.recipe.args ?? [])},"dir":${jsonText(this.recipe.dir || "/")},"random":false}`;
    this.control("begin", this.newString(begin));
    if (program.shape === "component") return this.component();
    if (program.shape === "babel" && !program.module) return this.babel();
    this.settle(this.eval(program.script, blockFile, evalModule));
    this.end();
    return this.printed();
  }

  component() {
    const namespace = this.settle(this.eval(this.program.script, blockFile, evalModule));
    const request = this.newString(this.request());
    const result = this.settle(this.control("call", namespace, request));
    return parseJSON(this.wantText(result));
  }

  // request is the call as the guest's bridge reads it.
  request() {
    const args = this.inputs.map(([, v]) => v);
    const big = holdsBig(args);
    return json(new Members([["func", this.program.func], ["outs", this.program.outs], ["args", big ? markBig(args) : args], ["big", big]]));
  }

  babel() {
    const { program } = this;
    const body = this.eval(program.script, blockFile, evalScript);
    const flag = this.call(program.output ? "qjs_get_false" : "qjs_get_true");
    const v = this.control("main", body, flag);
    if (program.output) {
      this.end();
      return this.printed();
    }
    const shown = parseJSON(this.wantText(v));
    const before = this.stdout.size;
    this.end();
    const all = this.stdout.bytes;
    const alone = before === 0 && all.length === 0;
    const text = shown.get("text");
    if (program.discard) return null;
    if (program.text || !alone) {
      const parts = [all.subarray(0, before), utf8.encode(text), all.subarray(before)];
      const joined = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
      parts.reduce((at, p) => (joined.set(p, at), at + p.length), 0);
      return textOf(joined);
    }
    return shown.has("cells") ? shown.get("cells") : readCellText(text);
  }

  end() {
    this.drain();
    this.exit = Number(this.controlText("end"));
  }

  // printed is the value of a program that is its output.
  printed() {
    const text = textOf(this.stdout.bytes);
    switch (this.program.shape) {
      case "command":
        return text;
      case "babel":
        if (this.program.discard) return null;
        return this.program.text || typeof text !== "string" || text.includes("\n") ? text : readCellText(text);
    }
    return null;
  }

  // ---- places ----

  frames(t) {
    let making = t.made !== "";
    return t.trace.split("\n").filter((line) => {
      making &&= line.startsWith(`    at ${t.made} (`);
      return !making && !/\((wb:[a-z]+\.js|native)/.test(line) && line.trim() !== "";
    });
  }

  // position is where a place in a file stands for the author.
  position(file, line, col) {
    const { program } = this;
    if (file !== blockFile) return `${file}:${line}:${Math.max(col, 1)}`;
    if (line === 1) col -= program.lead ?? 0;
    const body = line - (program.skip ?? 0);
    if (body >= 1 && body <= program.lines.length) {
      const [at, from] = program.lines[body - 1];
      return `${program.file}:${at}:${Math.max(from, 1) + Math.max(col, 1) - 1}`;
    }
    return `${program.file}:${program.lines[0].join(":")}`;
  }

  place(t) {
    for (const line of this.frames(t)) {
      const m = frame.exec(line);
      if (m) return this.position(m[2], Number(m[3]), Number(m[4] ?? 0));
    }
    return `${this.program.file}:${this.program.lines[0].join(":")}`;
  }

  stack(t) {
    const lines = this.frames(t).map((line) => line.replace(frames, (_, open, file, at, col, close) => open + this.position(file, Number(at), Number(col ?? 0)) + close) + "\n");
    if (t.origin) lines.push(`  [cause]: ${t.origin.replaceAll("\n", "\n  ")}\n`);
    return lines.join("");
  }
}

languages.quickjs = QuickJS;

const frame = /(\(?)([^\s():]*\.[a-z]+):(\d+)(?::(\d+))?(\)?)/;
const frames = new RegExp(frame.source, "g");

const maxExact = 2n ** 53n - 1n;

function holdsBig(v) {
  if (isInt(v)) return v > maxExact || v < -maxExact;
  if (isFloat(v)) return !Number.isFinite(v);
  if (isList(v)) return v.some(holdsBig);
  return v instanceof Members && v.list.some(([, item]) => holdsBig(item));
}

// markBig marks whole numbers that a double cannot hold, and what looks like
// such a mark.
function markBig(v) {
  if (isInt(v)) return holdsBig(v) ? new Members([["$int", v.toString()]]) : v;
  if (isList(v)) return v.map(markBig);
  if (!(v instanceof Members)) return v;
  const fields = new Members(v.list.map(([name, item]) => [name, markBig(item)]));
  return fields.list.length === 1 && fields.list[0][0] === "$int" ? new Members([["$int", fields]]) : fields;
}

// elsewhere is the error of what only the host can do.
const elsewhere = (what) => {
  throw new Halt(`${what} only where wb runs it, not in a browser`);
};

// The functions of the guest's host object, called with the machine as this.
// Arguments are lent, results given away; 0 is undefined.
const hostFunctions = {
  write([fd, data]) {
    const to = this.number(fd), bytes = this.data(data);
    this.charge(bytes.length);
    this.write(to === 2 ? this.stderr : this.stdout, bytes);
    return 0;
  },
  stdin() {
    this.charge(this.recipe.stdin.length);
    return this.newBytes(this.recipe.stdin);
  },
  encode([v]) {
    const bytes = utf8.encode(this.wantText(v));
    this.charge(bytes.length);
    return this.newBytes(bytes);
  },
  decode([v, fatal]) {
    const bytes = this.bytes(v);
    this.charge(bytes.length);
    const text = textOf(bytes);
    if (typeof text !== "string" && this.truth(fatal)) return 0;
    return this.newString(decode(bytes));
  },
  kind([v]) { return this.call("qjs_get_class_name", v); },
  target([v]) { return this.is(v, "proxy") ? this.check(this.call("qjs_get_proxy_target", v)) : 0; },
  promise([p]) {
    const state = this.call("qjs_promise_state", p);
    if (state === pending) return 0;
    const first = this.call(state === rejected ? "qjs_get_false" : "qjs_get_true");
    return this.list(first, this.call("qjs_promise_result", p));
  },
  sleep([ms]) {
    const n = Math.min(this.number(ms), 2 ** 31 - 1);
    if (n > 0) this.machine.wasi.virtual += BigInt(Math.trunc(n * 1e6));
    return 0;
  },
  random([n]) {
    const want = this.number(n);
    if (!(want >= 0 && want <= 65536)) throw new GuestError("at most 65536 random bytes at a time", "QuotaExceededError");
    const bytes = new Uint8Array(Math.trunc(want));
    this.random.fill(bytes);
    this.charge(bytes.length);
    return this.newBytes(bytes);
  },
  exit([code]) { throw new Quit(Math.trunc(this.number(code)) & 255); },
  source([base, name]) { return this.locate(this.wantText(base), this.wantText(name), "require"), 0; },
  evaluate([code, file]) {
    const text = this.wantText(code);
    return this.eval(text, this.wantText(file), evalScript);
  },
  module() { return 0; },
  sourceText() { return 0; },
  sourceKind([path]) {
    const file = this.wantText(path);
    this.charge(utf8.encode(file).length);
    return this.newString(["", "/", ".", "./"].includes(file) ? "directory" : "");
  },
  dock() {
    throw new GuestError("this block was granted no capabilities of the host; it asks with :uses, and the person who runs it grants them with --grant", "ERR_DOCK");
  },
  hash([algorithm, data, key]) {
    if (algorithm === 0) return this.answer(JSON.stringify(["md5", "sha1", "sha224", "sha256", "sha3-224", "sha3-256", "sha3-384", "sha3-512", "sha384", "sha512", "sha512-224", "sha512-256"]));
    const name = this.wantText(algorithm);
    if (name !== "sha256" || key !== 0 && !this.is(key, "undefined")) elsewhere(`hashes other than SHA-256 are made`);
    const bytes = this.bytes(data);
    this.charge(32 * bytes.length);
    return this.newBytes(Uint8Array.from(sha256(bytes).match(/../g), (b) => parseInt(b, 16)));
  },
  pack() { elsewhere("data are compressed"); },
  unpack() { elsewhere("data are decompressed"); },
  readFile([path]) {
    const p = this.wantText(path);
    const file = this.onFile("open", p, (name) => this.tree.find(name));
    if (file.dir) throw new GuestError("EISDIR: illegal operation on a directory, read", "EISDIR");
    this.charge(file.size);
    return this.newBytes(file.data);
  },
  writeFile([path, data, add]) {
    const p = this.wantText(path), bytes = this.data(data);
    this.charge(bytes.length);
    const append = this.truth(add);
    this.onFile("open", p, (name) => {
      let node = null;
      try {
        node = this.tree.find(name);
      } catch { /* it is made below */ }
      if (node?.dir) throw errno.isdir;
      this.take(bytes.length);
      const file = this.tree.open(name, { create: true, truncate: !append });
      file.write(bytes, append ? file.size : 0);
    });
    return 0;
  },
  readDir([path]) {
    const list = this.onFile("scandir", this.wantText(path), (name) => this.tree.list(name));
    return this.answer(`[${list.map(([name, node]) => `{${name ? `"name":${jsonText(name)},` : ""}"dir":${node.dir},"size":0,"mtime":0}`).join(",")}]`);
  },
  stat([path]) {
    const node = this.onFile("stat", this.wantText(path), (name) => this.tree.find(name));
    return this.answer(`{"dir":${node.dir},"size":${node.dir ? 0 : node.size},"mtime":0}`);
  },
  mkdir([path, recursive]) {
    const all = this.truth(recursive);
    this.onFile("mkdir", this.wantText(path), (name) => {
      if (!all) return this.tree.mkdir(name);
      if (name === ".") return undefined;
      const parts = name.split("/");
      parts.forEach((_, i) => {
        const dir = parts.slice(0, i + 1).join("/");
        try {
          if (this.tree.find(dir).dir) return;
        } catch { /* it is made below */ }
        this.tree.mkdir(dir);
      });
      return undefined;
    });
    return 0;
  },
  remove([path, recursive, force]) {
    const p = this.wantText(path), all = this.truth(recursive), quiet = this.truth(force);
    this.onFile("unlink", p, (name) => {
      try {
        this.remove(name, all);
      } catch (e) {
        if (e !== errno.noent || !quiet) throw e;
      }
    });
    return 0;
  },
  rename([from, to]) {
    const a = this.wantText(from), b = this.wantText(to);
    this.onFile("rename", `${a}' -> '${b}`, () => this.tree.rename(this.name(a), this.name(b)));
    return 0;
  },
};
