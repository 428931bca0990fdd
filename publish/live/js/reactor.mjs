// Interpreters that are WASI programs, revived from an image and asked once: what
// package vm is there. Languages bring the calls and the reading of answers.
import { printed } from "./block.mjs";
import { Exit, Halt } from "./limits.mjs";

const utf8 = new TextEncoder();
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

// Unwind ends the innermost call that a host function made into the guest.
export class Unwind extends Halt {
  constructor() {
    super("unwound without a handler");
  }
}

const maxNested = 1000;

export class Reactor {
  nested = 0;

  constructor(recipe, inputs, { stdout, stderr }) {
    this.recipe = recipe;
    this.program = recipe.program;
    this.inputs = inputs;
    this.stdout = stdout;
    this.stderr = stderr;
  }

  // imports are what the module wants beyond WASI.
  get imports() { return {}; }

  // run asks and gives {value, exit}; a guest that ended itself has its code.
  run(machine) {
    this.machine = machine;
    this.exit = 0;
    let value = null;
    try {
      value = this.start();
    } catch (e) {
      if (!(e instanceof Exit)) throw e;
      this.exit = e.code;
    }
    if (value === null && this.program.shape !== "component") value = printed(this.program, this.stdout.bytes);
    return { value, exit: this.exit };
  }

  // fail is a program that failed: what it says is on standard error.
  fail(report) {
    this.exit = 1;
    this.stderr.write(utf8.encode(report));
    return null;
  }

  call(name, ...args) { return this.machine.call(name, ...args); }

  // give copies bytes to where the guest wants them.
  give(at, bytes) {
    if (at === 0 || at + bytes.length > this.machine.memory.length) throw new Error(`no room for ${bytes.length} bytes`);
    this.machine.memory.set(bytes, at);
    return at;
  }

  // word is a number in the guest's memory.
  word(at) { return new DataView(this.machine.memory.buffer).getUint32(at, true); }

  // text is text in the guest's memory.
  text(at, length) {
    if (at + length > this.machine.memory.length) throw new Error(`${this.recipe.name}: the answer lies outside memory`);
    return lenient.decode(this.machine.memory.slice(at, at + length));
  }

  // attempt calls back into the guest and tells whether that call was unwound,
  // in which case the guest's stack is as it was before.
  attempt(name, ...args) {
    if (this.nested >= maxNested) throw this.machine.stackLimit();
    const top = this.machine.exports["wb:g0"], saved = top?.value;
    this.nested++;
    try {
      this.call(name, ...args);
      return 0;
    } catch (e) {
      if (!(e instanceof Unwind)) throw e;
      if (top) top.value = saved;
      return 1;
    } finally {
      this.nested--;
    }
  }
}
