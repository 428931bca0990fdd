// Lua: the interpreter as the host freezes it, asked as package compile/lua asks
// it, with its readings of values and places.
import { binary, Block, scalar } from "./block.mjs";
import { languages } from "./languages.mjs";
import { trim } from "./output.mjs";
import { Reactor, Unwind } from "./reactor.mjs";
import { isInt, isList, json, Members, parseJSON, rule } from "./value.mjs";

const utf8 = new TextEncoder();

const letter = (c) => /[0-9A-Za-z_]/.test(c ?? "");

// wordIn is where a line has a word that is not part of another, or -1.
function wordIn(line, word) {
  for (let from = 0; ;) {
    const i = line.indexOf(word, from);
    if (i < 0) return -1;
    if (!(i > 0 && letter(line[i - 1]) && letter(word[0])) && !(letter(line[i + word.length]) && letter(word.at(-1)))) return i;
    from = i + 1;
  }
}

const token = /(?:near|global|local|field|method|upvalue|constant|label|function) '([^']+)'/;

// firstBig finds an integer above 2^63-1 in a value.
function firstBig(v) {
  if (isInt(v)) return v >= 1n << 63n ? v : undefined;
  const items = isList(v) ? v : v instanceof Members ? v.list.map(([, item]) => item) : [];
  for (const item of items) {
    const big = firstBig(item);
    if (big !== undefined) return big;
  }
}

// ending is a request's arguments and what follows them: boot.lua is told of
// floats that JSON has no number for.
function ending(args) {
  const big = firstBig(args), text = json(args);
  if (big !== undefined) throw new Error(`an input holds ${big}, and Lua's integers end at 2^63-1: pass it as text`);
  return text + (text.includes(`{"$float":`) ? `,"floats":true}` : "}");
}

class Lua extends Reactor {
  block = new Block(this.program);
  code = binary(this.program.code).split("\n");

  // setjmp and longjmp.
  get imports() {
    return {
      wb: {
        try: (f, state, data) => this.attempt("wb_protected", f, state, data),
        throw: () => {
          throw new Unwind();
        },
      },
    };
  }

  start() {
    const { program } = this;
    const a = this.ask(program.shape === "component" ? program.request + ending(this.inputs.map(([, v]) => v)) : program.request);
    if (a.failure) return this.fail(this.report(a.failure));
    if (program.shape === "component") return parseJSON(a.json);
    return program.shape === "babel" && !program.output ? this.value(a) : null;
  }

  ask(request) {
    const bytes = utf8.encode(request);
    this.give(this.call("wb_room", bytes.length) >>> 0, bytes);
    const status = this.call("wb_run", bytes.length);
    const at = this.call("wb_answer") >>> 0, text = this.text(at, this.call("wb_answer_len") >>> 0);
    const a = status !== 0 ? { failure: { message: text } } : JSON.parse(text);
    if (a.failure?.message === "not enough memory" && this.machine.refused) throw this.machine.memoryLimit();
    return a;
  }

  // value is what Emacs makes of what the block returned; tables stay tables.
  value({ n, text, json: table }) {
    if (this.program.discard) return null;
    if (this.program.text || n !== 1) return text;
    if (!table) return scalar(text);
    const v = parseJSON(table);
    if (!isList(v)) return text;
    return v.some(isList) ? v.map((row) => row ?? rule) : v;
  }

  // position is a line of the code as a place in the workbook. The column is
  // that of what the message is about.
  position(line, message) {
    const { skip = 0, lines } = this.program;
    line -= skip;
    if (line < 1) return this.block.at(1);
    line = Math.min(line, lines.length);
    const text = this.code[line + skip - 1] ?? "";
    let col = text.length - text.replace(/^[ \t]+/, "").length;
    const about = token.exec(message);
    const found = about ? wordIn(text, binary(about[1])) : -1;
    if (found >= 0) col = found;
    else if (message.includes("<eof>")) col = text.length;
    return this.block.at(line, col + 1);
  }

  place(message) {
    let line = 0;
    for (let m; (m = /^block:(\d+):/.exec(message));) { // each coroutine.wrap on the way puts its place before the message
      line = Number(m[1]);
      message = trim(message.slice(m[0].length));
    }
    return [line === 0 ? this.block.at(1) : this.position(line, message), message];
  }

  report({ message: said, stack }) {
    let [pos, message] = this.place(said);
    const calls = isList(stack) ? stack : [];
    if (!said.startsWith("block:")) {
      const m = calls.map((line) => /\bblock:(\d+):/.exec(line)).find(Boolean); // the innermost place in the block
      if (m) pos = this.position(Number(m[1]), message);
    }
    const trace = calls.length > 1 ? calls.map((line) => `  ${line.replace(/\bblock:(\d+):/g, (_, n) => `${this.position(Number(n), "")}:`)}\n`) : [];
    return `${pos}: ${message}\n${trace.join("")}`;
  }
}

languages.lua = Lua;
