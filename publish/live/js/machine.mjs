// A metered module in the reader's engine, with what package sandbox puts
// around it: fuel, a memory limit, the system interface, and failures in the
// sandbox's words.
import { Tree } from "./files.mjs";
import { Exit, Halt, LimitError, Meter, Trap } from "./limits.mjs";
import { Wasi } from "./wasi.mjs";

const pageSize = 65536;

// reasons are what engines call the traps, and what the sandbox does.
const reasons = [
  [/unreachable/i, "unreachable"],
  [/remainder by zero|division? by zero|divide by zero/i, "integer divide by zero"],
  [/integer overflow|divide result unrepresentable|integer result unrepresentable|unrepresentable in integer range|out of bounds.*trunc|invalid conversion/i, ""],
  [/indirect call|call_indirect|signature mismatch|null function|undefined element|table index|uninitialized element/i, "invalid table access"],
  [/table.*(out of bounds|bounds)/i, "invalid table access"],
  [/memory|out of bounds|out-of-bounds/i, "out of bounds memory access"],
];

function reasonOf(message) {
  if (/divide result unrepresentable/i.test(message)) return "integer overflow";
  if (/float unrepresentable|unrepresentable in integer range/i.test(message)) return "integer overflow";
  if (/signature mismatch/i.test(message)) return "indirect call type mismatch";
  for (const [pattern, reason] of reasons) {
    if (pattern.test(message)) return reason || "integer overflow";
  }
  return message;
}

// V8 keeps ten frames, which the runtime of C++ exceptions fills by itself.
Error.stackTraceLimit = 50;

// framesOf are the functions that were active, innermost first. Two imports
// stand before the functions of the module.
function framesOf(error) {
  const frames = [];
  for (const line of String(error.stack ?? "").split("\n")) {
    const chrome = /^\s*at (?:(.+) \()?wasm:\/\/[^)]*wasm-function\[(\d+)\]/.exec(line);
    const firefox = /^([^@]*)@.*:wasm-function\[(\d+)\]/.exec(line);
    const m = chrome ?? firefox;
    if (!m) continue;
    const name = m[1]?.replace(/^[\w.-]*wasm-\w+\.|^.*\.wasm\./, "").trim();
    frames.push(name && !/^wasm-function/.test(name) ? name : `function ${m[2] - 2}`);
  }
  return frames;
}

// Machine is one guest. call calls an exported function and gives what it
// returns; failures are LimitErrors, Traps and Exits.
export class Machine {
  refused = false; // the guest asked for more memory than it may have

  // The program is what compiled (program.mjs) gives.
  constructor(recipe, { program, tree = new Tree(), tick, imports = {}, ...world }) {
    const limits = recipe.limits;
    this.name = recipe.name;
    this.limits = limits;
    this.meter = new Meter(limits.fuel);
    this.image = recipe.image ?? null;
    this.program = program;
    const { most, min, max } = program;
    if (most >= 0 && min * pageSize > most) throw this.memoryLimit();
    this.wasi = new Wasi({
      args: recipe.args ?? [], env: recipe.env ?? [], dir: recipe.dir, stdin: recipe.stdin, tree, limits, meter: this.meter, ...world,
    });
    this.imports = {
      ...imports,
      wasi_snapshot_preview1: this.wasi.imports,
      "wb:fuel": {
        yield: (left) => {
          tick?.(this.meter.used);
          return this.meter.refill(left);
        },
        grown: (result) => {
          if (result === -1 && most >= 0 && max * pageSize > most) this.refused = true;
          return result;
        },
      },
    };
  }

  // start makes the instance; a program without _start is initialized.
  async start({ initialize = true } = {}) {
    const { module } = this.program;
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      if (!this.imports[from]?.[name]) throw new Error(`${this.name}: imports ${from}.${name}, which nothing provides`);
    }
    const instance = await WebAssembly.instantiate(module, this.imports).catch((e) => {
      throw this.inWords(e);
    });
    this.exports = instance.exports;
    this.wasi.memory = this.exports["wb:memory"] ?? this.exports.memory ?? null;
    this.meter.counter = this.exports["wb:fuel"];
    if (this.image) this.restore();
    else if (initialize && this.exports._initialize) this.toItsEnd("_initialize");
  }

  // restore puts memory and globals into the state of the image.
  restore() {
    const { memory, size, globals } = this.image;
    const missing = size - this.memory.length;
    if (missing > 0) this.wasi.memory.grow(missing / pageSize);
    this.memory.fill(0);
    this.memory.set(memory);
    for (const [name, bits] of Object.entries(globals)) {
      const global = this.exports[name], word = BigInt(bits);
      const view = new DataView(new ArrayBuffer(8));
      view.setBigUint64(0, word, true);
      if (typeof global.value === "bigint") global.value = BigInt.asIntN(64, word);
      else if (Number.isInteger(global.value)) global.value = view.getInt32(0, true);
      else throw new Error(`${this.name}: global ${name} is no whole number`);
    }
  }

  get memory() { return new Uint8Array(this.wasi.memory?.buffer ?? new ArrayBuffer(0)); }

  call(name, ...args) {
    const f = this.exports[name];
    if (typeof f !== "function") throw new Error(`${this.name}: no exported function ${JSON.stringify(name)}`);
    return this.guarded(() => f(...args));
  }

  // callWaiting is call for a guest whose imports may have to wait; they are
  // those made with WebAssembly.Suspending.
  async callWaiting(name, ...args) {
    try {
      return await WebAssembly.promising(this.exports[name])(...args);
    } catch (e) {
      throw this.inWords(e);
    }
  }

  // toItsEnd runs a start function, for which exiting is a normal end, and
  // gives the exit code.
  toItsEnd(name) {
    try {
      this.call(name);
    } catch (e) {
      return this.ended(e);
    }
    return 0;
  }

  async toItsEndWaiting(name) {
    try {
      await this.callWaiting(name);
    } catch (e) {
      return this.ended(e);
    }
    return 0;
  }

  // ended is the exit code in what ended a program. One that failed after it had
  // run into a limit failed because of that.
  ended(e) {
    if (!(e instanceof Exit)) throw e;
    const limit = e.code === 0 ? null : this.verdict();
    if (limit) throw Object.assign(limit, { exit: e.code });
    return e.code;
  }

  verdict() {
    if (this.refused) return this.memoryLimit();
    if (this.wasi.storage.hit) return this.wasi.storage.error();
    return null;
  }

  memoryLimit() { return new LimitError("memory", this.limits.memory); }
  stackLimit() { return new LimitError("stack", 0); }

  guarded(work) {
    try {
      return work();
    } catch (e) {
      throw this.inWords(e);
    }
  }

  // inWords puts what the engine says into the sandbox's words.
  inWords(e) {
    if (e instanceof Halt) return e;
    if (e instanceof RangeError || e.name === "InternalError") return this.stackLimit();
    if (!(e instanceof WebAssembly.RuntimeError)) return e;
    const reason = reasonOf(e.message);
    const top = this.exports?.["wb:g0"]?.value;
    if (reason === "stack overflow" || reason === "out of bounds memory access" && typeof top === "number" && top < 0) return this.stackLimit();
    return this.verdict() ?? new Trap(reason, framesOf(e));
  }
}
