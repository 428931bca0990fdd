// Ruby: the interpreter as the host freezes it, asked as package compile/ruby
// asks it, with its readings of values and places.
import { binary, Block, scalar } from "./block.mjs";
import { languages } from "./languages.mjs";
import { Reactor } from "./reactor.mjs";
import { json, jsonText, parseJSON, rule } from "./value.mjs";

const utf8 = new TextEncoder(), lenient = new TextDecoder("utf-8", { ignoreBOM: true });

// The functions ruby.wasm exports, by their names in its interface description.
const fnEval = "rb-eval-string-protect: func(str: string) -> tuple<handle<rb-abi-value>, s32>";
const fnString = "rstring-ptr: func(value: handle<rb-abi-value>) -> string";

const quote = (text) => `'${text.replace(/[\\']/g, "\\$&")}'`;

class Ruby extends Reactor {
  block = new Block(this.program);
  code = binary(this.program.code).split("\n");

  // Handles of Ruby's values are the values themselves; what concerns JavaScript is
  // refused, as on the host.
  get imports() {
    const same = (v) => v;
    const refused = new Proxy({}, {
      get: (_, name) => () => {
        if (name === "rb_wasm_throw_prohibit_rewind_exception") throw new Error("ruby: a fiber switched where it must not");
        throw new Error(`JavaScript is not available here (${name.split(":")[0]})`);
      },
    });
    return {
      canonical_abi: { "resource_drop_js-abi-value": () => {}, "resource_get_rb-abi-value": same, "resource_new_rb-abi-value": same },
      "rb-js-abi-host": refused,
    };
  }

  start() {
    const { program } = this;
    const args = program.shape === "component" ? this.inputs.map(([, v]) => v) : [];
    const a = this.ask(`${program.request}${jsonText(lenient.decode(this.recipe.stdin))},"args":${json(args)}}`);
    const exit = a.get("exit") ?? null, failure = a.get("failure");
    if (exit !== null) {
      this.exit = Number(exit);
      return null;
    }
    if (failure) return this.fail(this.report(failure));
    if (program.shape === "component") return a.get("value");
    return program.shape === "babel" && !program.output ? this.value(a) : null;
  }

  ask(request) {
    const source = utf8.encode(`WB.serve(${quote(request)})\0`);
    const code = this.give(this.call("cabi_realloc", 0, 0, 4, source.length) >>> 0, source);
    const result = this.call(fnEval, code, source.length) >>> 0;
    const handle = this.word(result), status = this.word(result + 4);
    if (status !== 0) throw new Error(`ruby: status ${status}`);
    const at = this.call(fnString, handle) >>> 0;
    const a = parseJSON(this.text(this.word(at), this.word(at + 4)));
    if (a.get("failure")?.get("memory") === true && this.machine.refused) throw this.machine.memoryLimit();
    return a;
  }

  // value is what Emacs makes of what the block returned.
  value(a) {
    const { discard, text } = this.program;
    if (discard) return null;
    if (text) return a.get("text");
    const cells = a.get("cells");
    return cells ? cells.map((cell) => cell ?? rule) : scalar(a.get("text"));
  }

  // position is a line of the body as a place in the workbook; without a column it
  // is that of the line's first word.
  position(line, col) {
    const { skip = 0, lines } = this.program;
    if (line < 1 || line > lines.length) return this.block.at(1);
    if (col > 0) return this.block.at(line, col);
    const text = this.code[line + skip - 1] ?? "";
    return this.block.at(line, 1 + text.length - text.replace(/^[ \t]+/, "").length);
  }

  report(failure) {
    const stack = (failure.get("stack") ?? []).map((f) => ({ path: f.get("path"), line: Number(f.get("line") ?? 0), label: f.get("label") }));
    const top = stack.find((f) => f.path === "block");
    const pos = top ? this.position(top.line, Number(failure.get("col") ?? 0)) : this.block.at(1);
    const kind = failure.get("class");
    const calls = stack.length > 1 ? stack.map((f) => `  ${f.path === "block" ? this.position(f.line, 0) : `${f.path}:${f.line}`}: in ${f.label}\n`) : [];
    return `${pos}: ${failure.get("message")}${kind && kind !== "RuntimeError" ? ` (${kind})` : ""}\n${calls.join("")}`;
  }
}

languages.ruby = Ruby;
