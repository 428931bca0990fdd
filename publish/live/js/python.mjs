// Python: the interpreter as the host freezes it, asked as package compile/python
// asks it, with its readings of values and places.
import { Block, placeText } from "./block.mjs";
import { LibraryTree, clean } from "./files.mjs";
import { languages } from "./languages.mjs";
import { Exit, LimitError } from "./limits.mjs";
import { readEscaped } from "./lisp.mjs";
import { Reactor } from "./reactor.mjs";
import { isList, json, parseJSON, plain, rule, textOf } from "./value.mjs";

const utf8 = new TextEncoder(), lenient = new TextDecoder();

// bare puts null where a value has rules between its rows.
const bare = (v) => v === rule ? null : isList(v) ? v.map(bare) : v;

class Python extends Reactor {
  block = new Block(this.program);

  constructor(recipe, inputs, streams) {
    super(recipe, inputs, streams);
    const { dir, library } = recipe.image;
    this.world = { tree: new LibraryTree(streams.tree, dir, library), stdout: streams.stdout.write, stderr: streams.stderr.write };
  }

  run(machine) {
    this.machine = machine;
    const { program } = this;
    const a = this.ask(program.shape === "component" ? this.request() : program.request);
    const exit = Number(a.get("exit") ?? 0), chain = plain(a.get("error") ?? []);
    if (chain.length > 0) {
      if (chain.at(-1).type === "MemoryError" && machine.refused) throw machine.memoryLimit();
      this.stderr.write(utf8.encode(this.report(chain, a.get("body"))));
    }
    return { value: this.value(a, exit), exit };
  }

  // request is the call; its texts are escaped as Go's encoding/json does it.
  request() {
    const inputs = json(this.inputs.map(([, v]) => bare(v)), true);
    return `${this.program.request}${inputs.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)}}`;
  }

  ask(request) {
    const bytes = utf8.encode(request);
    const at = this.call("wb_alloc", bytes.length + 1) >>> 0;
    if (at === 0 || at + bytes.length + 1 > this.machine.memory.length) throw this.machine.memoryLimit();
    this.machine.memory.set(bytes, at);
    this.machine.memory[at + bytes.length] = 0;
    this.serve(at, bytes.length);
    const result = this.call("wb_result") >>> 0;
    const text = this.text(this.word(result), this.word(result + 4));
    this.call("wb_free", at);
    return parseJSON(text);
  }

  // serve asks; what Python itself has said is part of the message when it fails.
  serve(at, length) {
    const said = () => lenient.decode(this.stderr.bytes).trim();
    let failed;
    try {
      failed = this.call("wb_request", at, length) !== 0;
    } catch (e) {
      if (this.stderr.size === 0) throw e;
      const message = e instanceof Exit ? `${this.recipe.name}: ${e.message}` : e.message;
      throw Object.assign(new Error(`wb_request: ${message}: ${said()}`), e instanceof LimitError ? { kind: e.kind } : {});
    }
    if (!failed) return;
    throw new Error(this.stderr.size === 0 ? "python: the interpreter no longer works: the program has changed or removed what it needs" : `wb_request: ${said()}`);
  }

  // value is the component's, or what Emacs makes of the text a block leaves: what
  // it printed, or its value as Python shows it.
  value(a, exit) {
    const { shape, printed, discard, text } = this.program;
    const shown = a.get("shown") ?? null;
    if (shape === "component") return exit === 0 ? a.get("value") ?? null : null;
    const all = textOf(this.stdout.bytes);
    if (shape === "command") return all;
    if (shown === null && !printed || discard) return null;
    const left = shown ?? all;
    if (text || typeof left !== "string") return left;
    const bare = printed ? left.replace(/\n+$/, "") : left;
    return bare.startsWith("{") ? bare : readEscaped(bare);
  }

  // ---- places ----

  // position is a line of a file as Python names it, and whether it is of the block.
  position({ file, line, col }, body) {
    const { skip = 0, lines } = this.program;
    if (file === body) {
      const at = line - skip, here = at >= 1 && at <= lines.length;
      return { ...this.block.place(here ? at : 1, here ? col : 1), here };
    }
    if (file.startsWith("<block")) return { file: "an earlier block of the session", line, col };
    return { file: file.startsWith("<") ? file.replace(/^[<>]+|[<>]+$/g, "") : clean(file), line, col };
  }

  // place is a syntax error's own, else that of the innermost frame in the block.
  place({ syntax, frames }, body) {
    const spots = [...(syntax ? [syntax] : []), ...(frames ?? []).filter((f) => f.file === body).reverse()];
    const found = spots.map((spot) => this.position(spot, body)).find((pos) => pos.here);
    return found ? placeText(found) : this.block.at(1);
  }

  report(chain, body) {
    const last = chain.at(-1);
    const [message, ...notes] = last.final.split("\n");
    let out = `${this.place(last, body)}: ${message}\n`;
    if (notes.join("\n") !== "") out += `${notes.join("\n")}\n`;
    if (last.hint) out += `  hint: ${last.hint}\n`;
    chain.forEach((e, i) => {
      out += this.trace(e.frames ?? [], body);
      if (i < chain.length - 1) out += `${e.final}\n\n${e.link}\n\n`;
    });
    return out;
  }

  // trace is the calls that were under way, outermost first.
  trace(frames, body) {
    if (frames.length === 0) return "";
    return `Traceback (most recent call last):\n${frames.map((call) => {
      if (call.left_out > 0) return `  [${call.left_out} more]\n`;
      const { file, line } = this.position(call, body);
      return `  File ${JSON.stringify(file)}, line ${line}, in ${call.name}\n${call.text ?? ""}`;
    }).join("")}`;
  }
}

languages.python = Python;
