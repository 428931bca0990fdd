// Values as package value has them: what components take and return. Integers
// are BigInts and floats numbers, since programs tell 2 from 2.0; text is a
// string, or Bytes where it is no UTF-8; lists are arrays; objects keep the
// order of their members.

// Bytes is text that is no UTF-8.
export class Bytes {
  constructor(bytes) {
    this.bytes = bytes;
  }
}

// Members is an object: pairs of name and value in order.
export class Members {
  constructor(list = []) {
    this.list = list;
  }

  get(name) { return this.list.find(([n]) => n === name)?.[1]; }
  has(name) { return this.list.some(([n]) => n === name); }
}

// Blob names bytes that are kept elsewhere.
export class Blob {
  constructor(fields) {
    this.fields = fields;
  }
}

// rule is a horizontal line between the rows of a table.
export const rule = Symbol("hline");

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

// textOf makes a text value of bytes.
export function textOf(bytes) {
  try {
    return strict.decode(bytes);
  } catch {
    return new Bytes(bytes.slice());
  }
}

// shownText is text for people, whatever it is.
export const shownText = (v) => v instanceof Bytes ? lenient.decode(v.bytes) : v;
export const bytesOf = (v) => v instanceof Bytes ? v.bytes : encoder.encode(v);

export const isInt = (v) => typeof v === "bigint";
export const isFloat = (v) => typeof v === "number";
export const isNumber = (v) => isInt(v) || isFloat(v);
export const isText = (v) => typeof v === "string" || v instanceof Bytes;
export const isList = Array.isArray;

// isTable reports whether all items of a list are lists or rules.
export const isTable = (v) => isList(v) && v.some(isList) && v.every((row) => isList(row) || row === rule);

// ---- writing JSON ----

export const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const base64 = (bytes) => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));

function floatText(f) {
  if (!Number.isFinite(f)) return `{"$float":"${f}"}`;
  const text = Object.is(f, -0) ? "-0" : String(f);
  return /[.e]/.test(text) ? text : text + ".0";
}

// json writes a value as programs read it; exact loses nothing and is what
// results are compared by.
export function json(v, exact = false) {
  if (v === null || v === undefined) return "null";
  if (v === rule) return `{"$hline":true}`;
  if (typeof v === "boolean") return String(v);
  if (isInt(v)) return v.toString();
  if (isFloat(v)) return floatText(v);
  if (typeof v === "string") return JSON.stringify(v);
  if (v instanceof Bytes) return exact ? `{"$bytes":"${base64(v.bytes)}"}` : JSON.stringify(lenient.decode(v.bytes));
  if (isList(v)) return `[${v.map((item) => json(item, exact)).join(",")}]`;
  if (v instanceof Blob) return `{"$blob":${json(v.fields, exact)}}`;
  return `{${v.list.map(([name, item]) => `${JSON.stringify(name)}:${json(item, exact)}`).join(",")}}`;
}

// jsonText is text as Go's encoding/json writes it.
export const jsonText = (v) => JSON.stringify(v).replace(/[<>&\u2028\u2029]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

// ---- reading JSON ----

const maxDepth = 1000;
const lowest = -(1n << 63n), highest = (1n << 64n) - 1n;
const unordinary = { NaN, Infinity, "-Infinity": -Infinity };

class Parser {
  at = 0;

  constructor(source) {
    this.source = source;
  }

  fail(what) {
    throw new SyntaxError(`json at character ${this.at + 1}: ${what}`);
  }

  found() { return this.at < this.source.length ? JSON.stringify(String.fromCodePoint(this.source.codePointAt(this.at))) : "the end"; }

  peek() {
    while (" \n\t\r".includes(this.source[this.at] ?? "x")) this.at++;
    return this.source[this.at] ?? "";
  }

  take(pattern) {
    pattern.lastIndex = this.at;
    const m = pattern.exec(this.source);
    if (m) this.at += m[0].length;
    return m?.[0];
  }

  value(depth = 0) {
    const c = this.peek();
    if (c === `"`) return this.string();
    if (c === "[" || c === "{") {
      if (depth === maxDepth) this.fail(`nested deeper than ${maxDepth} levels`);
      return c === "[" ? this.list(depth) : this.object(depth);
    }
    for (const [word, v] of [["true", true], ["false", false], ["null", null]]) {
      if (this.source.startsWith(word, this.at)) {
        this.at += word.length;
        return v;
      }
    }
    const number = this.take(/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y);
    if (number === undefined) this.fail(`expected a value, found ${this.found()}`);
    if (/^[0-9]/.test(this.source.slice(this.at, this.at + 1))) this.fail("a number does not start with 0");
    if (/^-?[0-9]+$/.test(number) && number !== "-0") {
      const i = BigInt(number);
      if (i >= lowest && i <= highest) return i;
    }
    const f = Number(number);
    if (!Number.isFinite(f)) this.fail(`number ${number.slice(0, 40)} is too large`);
    return f;
  }

  string() {
    const start = this.at;
    const literal = this.take(/"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y);
    if (literal === undefined) {
      this.at = start;
      this.fail("a string that is not closed, or holds a control character or an unknown escape");
    }
    return JSON.parse(literal).toWellFormed?.() ?? JSON.parse(literal).replace(/[\ud800-\udfff]/gu, "\ufffd");
  }

  list(depth) {
    const items = [];
    this.at++;
    if (this.peek() === "]") {
      this.at++;
      return items;
    }
    for (;;) {
      items.push(this.value(depth + 1));
      const c = this.peek();
      if (c !== "," && c !== "]") this.fail(`expected "," or "]", found ${this.found()}`);
      this.at++;
      if (c === "]") return items;
    }
  }

  object(depth) {
    const members = new Map();
    this.at++;
    if (this.peek() === "}") {
      this.at++;
      return new Members();
    }
    for (;;) {
      if (this.peek() !== `"`) this.fail(`expected a member's name in quotes, found ${this.found()}`);
      const name = this.string();
      if (this.peek() !== ":") this.fail(`expected ":", found ${this.found()}`);
      this.at++;
      members.set(name, this.value(depth + 1));
      const c = this.peek();
      if (c !== "," && c !== "}") this.fail(`expected "," or "}", found ${this.found()}`);
      this.at++;
      if (c === "}") return special(new Members([...members]));
    }
  }
}

// special turns the one-member objects that stand for something else back.
function special(v) {
  if (v.list.length !== 1) return v;
  const [[name, inner]] = v.list;
  if (name === "$hline" && inner === true) return rule;
  if (name === "$float" && Object.hasOwn(unordinary, inner)) return unordinary[inner];
  if (name === "$bytes" && typeof inner === "string") {
    try {
      const t = textOf(fromBase64(inner));
      if (t instanceof Bytes) return t;
    } catch { /* not base64: an object like any other */ }
  }
  if (name === "$blob" && inner instanceof Members && /^[0-9a-f]{64}$/.test(inner.get("sha256"))) return new Blob(inner);
  return v;
}

// parseJSON reads one value and nothing after it.
export function parseJSON(source) {
  const p = new Parser(source);
  const v = p.value();
  if (p.peek() !== "") p.fail(`${p.found()} after the value`);
  return v;
}

// parseAll reads values until the end.
export function parseAll(source) {
  const p = new Parser(source), list = [];
  while (p.peek() !== "") list.push(p.value());
  return list;
}

// plain is a value without exactness, as scripts like it.
export function plain(v) {
  if (isInt(v)) return Number(v);
  if (isList(v)) return v.map(plain);
  return v instanceof Members ? Object.fromEntries(v.list.map(([name, item]) => [name, plain(item)])) : v;
}

// ---- types ----

// typeName writes a type as signatures do.
export function typeName(t) {
  if (t.kind === "record") return `record {${(t.fields ?? []).map((f) => `${f.name}: ${typeName(f.type)}`).join(", ")}}`;
  return t.args?.length ? `${t.kind}<${t.args.map(typeName).join(", ")}>` : t.kind;
}

const clip = (s) => s.length <= 60 ? s : s.slice(0, 60) + "…";

// ranges of whole numbers.
const ranges = { s32: [-(1n << 31n), (1n << 31n) - 1n], u32: [0n, (1n << 32n) - 1n], s64: [lowest, (1n << 63n) - 1n], u64: [0n, highest] };

// fit checks a value against a type and gives it as the type wants it. Errors
// start with the path to what is wrong.
export function fit(path, t, v) {
  const wrong = () => {
    throw new TypeError(`${path}: expected ${typeName(t)}, got ${clip(json(v))}`);
  };
  switch (t.kind) {
    case "bool":
      return typeof v === "boolean" ? v : wrong();
    case "s32": case "s64": case "u32": case "u64": {
      if (isFloat(v) && Number.isInteger(v) && Math.abs(v) < 2 ** 53) v = BigInt(v);
      return isInt(v) && v >= ranges[t.kind][0] && v <= ranges[t.kind][1] ? v : wrong();
    }
    case "f32":
      return isNumber(v) ? Math.fround(Number(v)) : wrong();
    case "f64":
      return isNumber(v) ? Number(v) : wrong();
    case "string":
      return isText(v) ? v : wrong();
    case "option":
      return v === null ? v : fit(path, t.args[0], v);
    case "list":
      return isList(v) ? v.map((item, i) => fit(`${path}[${i}]`, t.args[0], item)) : wrong();
    case "tuple":
      return isList(v) && v.length === t.args.length ? v.map((item, i) => fit(`${path}[${i}]`, t.args[i], item)) : wrong();
    case "result": {
      if (!(v instanceof Members) || v.list.length !== 1) return wrong();
      const [[name, inner]] = v.list;
      const side = ["ok", "err"].indexOf(name);
      return side < 0 ? wrong() : new Members([[name, fit(`${path}.${name}`, t.args[side], inner)]]);
    }
    case "record": {
      if (!(v instanceof Members)) return wrong();
      const fields = (t.fields ?? []).map((f) => {
        if (!v.has(f.name) && f.type.kind !== "option") throw new TypeError(`${path}: member ${f.name} is missing`);
        return [f.name, fit(`${path}.${f.name}`, f.type, v.get(f.name) ?? null)];
      });
      const extra = v.list.find(([name]) => !(t.fields ?? []).some((f) => f.name === name));
      if (extra) throw new TypeError(`${path}: ${typeName(t)} has no member ${extra[0]}`);
      return new Members(fields);
    }
  }
  return wrong();
}
