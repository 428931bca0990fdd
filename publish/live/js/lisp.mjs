// What Python shows of lists, tuples, strings and numbers, read the way
// org-babel does (org-babel-script-escape), as package compile/python does:
// brackets become parentheses, commas blanks and quotes double quotes, and what is
// then a Lisp form is read.
import { readCellText } from "./output.mjs";
import { rule } from "./value.mjs";

const maxDepth = 1600; // max-lisp-eval-depth

// NoForm is text that is none.
class NoForm extends Error {}

const none = () => {
  throw new NoForm();
};

// readEscaped reads the text of a value.
export function readEscaped(text) {
  const bracketed = text.length >= 2 && "[] {} ()".includes(text[0] + text.at(-1));
  const quoted = text.length > 2 && (text[0] === "'" || text[0] === `"`) && text.at(-1) === text[0];
  if (!bracketed && !quoted) return text !== "" && "('`[".includes(text[0]) ? text : readCellText(text);
  let form;
  try {
    form = lispForm(text);
    const reader = new Reader(form);
    const v = reader.read();
    reader.blanks();
    return quoted && reader.at < form.length ? form : v; // several strings
  } catch (e) {
    if (!(e instanceof NoForm)) throw e;
    if (form === undefined) return text; // Emacs gives up with an error here
    return bracketed ? `'${form}` : form;
  }
}

// lispForm is org-babel--script-escape-inner.
function lispForm(text) {
  let out = "", single = false, double = false, backslash = false;
  for (const c of text) {
    const inside = single || double;
    if (backslash) {
      backslash = false;
      if (single && c === "'") out += c;
      else if (c === `"`) out += single ? `\\\\\\"` : `\\"`;
      else out += c === "\\" ? "\\\\" : `\\\\${c}`;
    } else if (!inside && (c === "[" || c === "{")) {
      out += "(";
    } else if (!inside && (c === "]" || c === "}")) {
      out += ")";
    } else if (!inside && c === ",") {
      out += " ";
    } else if (c === "'" && !double) {
      single = !single;
      out += `"`;
    } else if (c === `"` && single) {
      out += `\\"`;
    } else if (c === `"`) {
      double = !double;
      out += `"`;
    } else if (c === "\\") {
      if (!inside) none();
      backslash = true;
    } else {
      out += c;
    }
  }
  return single || double ? none() : out;
}

// Reader reads lists, strings, numbers and symbols. Symbols become text, nil an
// empty value, and None in a list at the top a rule.
class Reader {
  at = 0;
  depth = 0;

  constructor(text) {
    this.text = text;
  }

  get next() { return this.text[this.at]; }

  blanks() {
    while (this.at < this.text.length && (this.next <= " " || this.next === "\u00a0")) this.at++;
  }

  read() {
    this.blanks();
    if (this.at >= this.text.length || ")#`;'".includes(this.next)) none();
    if (this.next === "(") return this.list();
    if (this.next === `"`) return this.string();
    return this.next === "?" ? this.character() : this.atom();
  }

  list() {
    if (++this.depth > maxDepth) none();
    this.at++;
    const items = [];
    for (;;) {
      this.blanks();
      if (this.at >= this.text.length) none();
      if (this.next === ")") break;
      items.push(this.read());
    }
    this.at++;
    this.depth--;
    return items.length === 0 ? null : items;
  }

  string() {
    let out = "";
    for (this.at++; this.at < this.text.length; this.at++) {
      if (this.next === `"`) {
        this.at++;
        return out;
      }
      if (this.next === "\\") this.at++;
      out += this.next ?? "";
    }
    return none();
  }

  // character reads ?x, which is a number.
  character() {
    const [first, second] = this.text.slice(this.at + 1);
    if (first === undefined || second !== undefined && !" \n\t()\"'`,;[]?".includes(second)) none();
    this.at += 1 + first.length;
    return BigInt(first.codePointAt(0));
  }

  atom() {
    const [word] = /^[^\x00-\x20"';()[\]`,#][^\x00-\x20"';()[\]`,]*|^/.exec(this.text.slice(this.at));
    this.at += word.length;
    if (word === "" || word === ".") none();
    if (/^[-+]?[0-9]+\.?$/.test(word)) {
      const digits = word.replace(/^\+|\.$/g, ""), i = BigInt(digits);
      return i >= -(1n << 63n) && i < 1n << 64n ? i : digits;
    }
    if (/^[-+]?([0-9]*\.[0-9]+([eE][-+]?[0-9]+)?|[0-9]+\.?[eE][-+]?[0-9]+)$/.test(word)) return Number(word);
    if (word === "nil") return null;
    return word === "None" && this.depth === 1 ? rule : word;
  }
}
