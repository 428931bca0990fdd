// One run of a published component: what its lane's Run does on the host, from
// the recipe that the same lane wrote.
import { Frame, lift, wholeOf } from "./abi.mjs";
import { explain } from "./crash.mjs";
import { Tree } from "./files.mjs";
import { Exit, LimitError, Trap } from "./limits.mjs";
import { languages } from "./languages.mjs";
import { Machine } from "./machine.mjs";
import { readOutput } from "./output.mjs";
import { Members, fit, fromBase64, isText, bytesOf, json, parseJSON, shownText, textOf } from "./value.mjs";

const utf8 = new TextEncoder();

// Sink keeps what a stream is given.
class Sink {
  parts = [];
  size = 0;

  write = (bytes) => {
    this.parts.push(bytes);
    this.size += bytes.length;
  };

  // dropLine takes the last line back.
  dropLine() {
    const all = this.bytes;
    this.size = all.lastIndexOf(10, all.length - 2) + 1;
    this.parts = [all.subarray(0, this.size)];
  }

  get bytes() {
    const all = new Uint8Array(this.size);
    let at = 0;
    for (const p of this.parts) {
      all.set(p, at);
      at += p.length;
    }
    this.parts = [all];
    return all;
  }
}

// streamText is a value on a stream: text raw, anything else as JSON.
const streamText = (v) => isText(v) ? bytesOf(v) : utf8.encode(json(v));

// feed puts changed inputs where the program takes them: on standard input, or
// in front of its function.
function feed(recipe, inputs) {
  switch (recipe.feed) {
    case "stream":
      return streamText(inputs[0][1]);
    case "object":
      return utf8.encode(json(new Members(inputs)));
    case "text":
      return bytesOf(inputs[0][1]);
  }
  return fromBase64(recipe.stdin ?? "");
}

// argumentsFor checks the inputs of a call against its signature.
function argumentsFor(sig, inputs) {
  const params = sig.params ?? [];
  const byName = inputs.every(([name]) => params.some((p) => p.name === name));
  if (!byName && inputs.length !== params.length) throw new TypeError(`${sig.name} takes ${params.length} inputs, got ${inputs.length}`);
  return params.map((p, i) => {
    const found = byName ? inputs.find(([name]) => name === p.name) : inputs[i];
    if (!found && p.type.kind !== "option") throw new TypeError(`${sig.name}: input ${p.name} is missing`);
    try {
      return fit(p.name, p.type, found ? found[1] : null);
    } catch (e) {
      throw new TypeError(`${sig.name}: ${e.message}`);
    }
  });
}

// run runs a recipe with inputs, a list of pairs of name and value, and gives
// {value, stdout, stderr, exit, error, fuel, memory}; value is undefined when
// there is none.
export async function run(recipe, program, inputs, tick, beside = {}) {
  const stdout = new Sink(), stderr = new Sink();
  const tree = new Tree();
  for (const [name, content] of Object.entries(recipe.files ?? {})) tree.put(name, content === null ? null : fromBase64(content));
  const out = { exit: 0, error: "", value: undefined };
  let machine = null;
  try {
    const started = { ...recipe, stdin: feed(recipe, inputs) };
    const language = recipe.entry === "machine" ? new languages[recipe.machine](started, inputs, { stdout, stderr, tree }) : null;
    const world = language?.world ?? { tree, stdout: stdout.write, stderr: stderr.write };
    machine = language?.boot?.({ program, beside, tick }) ?? new Machine(language?.recipe ?? started, { program, ...world, tick, imports: language?.imports });
    await entries[recipe.entry](machine, started, inputs, out, stdout, language, stderr);
  } catch (e) {
    fail(recipe, e, out, stderr);
  }
  return { ...out, stdout: stdout.bytes, stderr: stderr.bytes, fuel: machine?.meter.used ?? 0, memory: machine?.memory.length ?? 0 };
}

// fail puts an error where the lane would: a trap of a program is on its
// standard error, everything else ends the run without an outcome.
function fail(recipe, e, out, stderr) {
  if (e instanceof Trap && recipe.entry === "machine") {
    out.error = `${recipe.name}: trap: ${e.reason}${e.frames.length > 0 ? ` in ${e.frames[0]}` : ""}`;
    return;
  }
  if (e instanceof Trap) {
    const { text, exit, replaces } = explain(recipe.crash, e, shownText(textOf(stderr.bytes)));
    if (replaces) stderr.dropLine();
    if (recipe.entry === "start" || recipe.crash?.style !== "c") {
      if (text) stderr.write(utf8.encode(text + "\n"));
      out.exit = exit;
      return;
    }
    out.error = text;
    return;
  }
  if (e instanceof Exit && recipe.crash?.style === "go") {
    out.exit = Math.max(1, e.code);
    return;
  }
  if (e instanceof Exit) {
    out.error = `${recipe.name}: ${e.message}`;
    return;
  }
  out.error = e.message;
  if (e instanceof LimitError) out.limit = e.kind;
}

// printed is the value of a program that is its output.
const printed = (recipe, stdout) => readOutput(stdout.bytes, recipe);

// The ways a program is entered.
const entries = {
  async machine(machine, _recipe, _inputs, out, _stdout, language) {
    await machine.start({ initialize: false });
    Object.assign(out, await language.run(machine));
  },

  async start(machine, recipe, _inputs, out, stdout) {
    try {
      await machine.start({ initialize: false });
      out.exit = machine.toItsEnd("_start");
    } finally {
      out.value = printed(recipe, stdout);
    }
  },

  async abi(machine, recipe, inputs, out, _stdout, _language, stderr) {
    const args = argumentsFor(recipe.sig, recipe.json ? inputs.map(([name, v]) => [name, json(v)]) : inputs);
    await machine.start();
    const frame = new Frame(recipe.sig, args);
    const base = machine.call("wb_alloc", frame.size) >>> 0;
    if (base === 0 || base + frame.size > machine.memory.length) throw new Error(`${recipe.sig.name}: no memory for ${frame.size} bytes of arguments`);
    machine.memory.set(frame.at(base), base);
    machine.call("wb_call", base, base + frame.result);
    try {
      out.value = lift(machine.memory, recipe.sig, base + frame.result);
    } catch (e) {
      throw new Error(`${recipe.sig.name}: ${e.message}`);
    }
    if (recipe.fails) settle(recipe, out, stderr);
  },

  async func(machine, recipe, inputs, out) {
    const { sig } = recipe;
    const args = argumentsFor(sig, inputs);
    await machine.start();
    let got = machine.call(recipe.func, ...args.map((a, i) => word(a, sig.params[i].type.kind)));
    if (!Array.isArray(got)) got = sig.results?.length > 0 ? [got] : [];
    const values = got.map((w, i) => unword(w, sig.results[i].type.kind));
    if (values.length === 0) out.value = null;
    else if (values.length === 1) [out.value] = values;
    else out.value = recipe.listed ? values : new Members(values.map((v, i) => [sig.results[i].name, v]));
  },

  async kernel(machine, recipe, _inputs, out, stdout) {
    const input = recipe.stdin;
    await machine.start();
    const [at, to] = recipe.placed ? [machine.call("wb_in") >>> 0, machine.call("wb_out") >>> 0] : [recipe.layout.in, recipe.layout.out];
    if (input.length > to - at) throw new Error(`kernel: input of ${input.length} bytes does not fit before the output, there is room for ${to - at}`);
    if (at + input.length > machine.memory.length) throw new Error(`kernel: its memory of ${machine.memory.length} bytes ends before the input at ${at}`);
    machine.memory.set(input, at);
    const n = machine.call("process", input.length) | 0;
    if (n < 0 || to + n > machine.memory.length) throw new Error(`kernel: process returned ${n}, its memory has ${machine.memory.length} bytes`);
    const bytes = machine.memory.slice(to, to + n);
    out.value = textOf(bytes);
    stdout.parts = [bytes];
    stdout.size = n;
  },
};

// settle reads {"ok": …} as the value and {"err": …} as having failed.
function settle(recipe, out, stderr) {
  const { crash, fails } = recipe, result = out.value;
  out.value = result.get("ok") ?? null;
  if (result.has("err")) {
    out.exit = 1;
    stderr.write(utf8.encode(`${crash.at}: ${crash.style === "go" ? "" : "error: "}${fails}: ${shownText(result.get("err"))}\n`));
  }
  if (recipe.json && out.value !== null) out.value = parseJSON(shownText(out.value));
}

// word is a value as a WebAssembly function takes it.
function word(v, kind) {
  switch (kind) {
    case "bool":
      return v ? 1 : 0;
    case "s32": case "u32":
      return Number(BigInt.asIntN(32, v));
    case "s64": case "u64":
      return BigInt.asIntN(64, v);
  }
  return v;
}

function unword(w, kind) {
  switch (kind) {
    case "bool":
      return w !== 0;
    case "s32":
      return BigInt(w | 0);
    case "u32":
      return BigInt(w >>> 0);
    case "s64": case "u64":
      return wholeOf(BigInt.asUintN(64, w), kind);
  }
  return w;
}
