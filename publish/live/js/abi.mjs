// Typed calls into a program and back: the values of a signature as C data in
// the guest's memory, laid out as package compile/abi does it.
import { Members, bytesOf, textOf } from "./value.mjs";

const maxResult = 2 ** 30;
const valueCost = 160;

const up = (n, align) => Math.ceil(n / align) * align;
const fieldTypes = (params) => (params ?? []).map((p) => p.type);

// layoutOf is a type's size and alignment in bytes.
function layoutOf(t) {
  switch (t.kind) {
    case "bool":
      return { size: 1, align: 1 };
    case "s32": case "u32": case "f32": case "string":
      return { size: 4, align: 4 };
    case "s64": case "u64": case "f64":
      return { size: 8, align: 8 };
    case "list":
      return { size: 8, align: 4 };
    case "option":
      return t.args[0].kind === "list" ? { size: 8, align: 4 } : { size: 4, align: 4 };
    case "result":
      return resultLayout(t).whole;
    case "tuple":
      return structOf(t.args).whole;
    case "record":
      return structOf(fieldTypes(t.fields)).whole;
  }
  throw new Error(`no layout for type ${t.kind}`);
}

const padded = (l) => ({ size: up(l.size, l.align), align: l.align });

// structOf is the layout of a struct and where its members lie.
function structOf(types) {
  let size = 0, align = 1;
  const offsets = types.map((t) => {
    const l = layoutOf(t);
    const at = up(size, l.align);
    size = at + l.size;
    align = Math.max(align, l.align);
    return at;
  });
  return { offsets, whole: padded({ size, align }) };
}

function resultLayout(t) {
  const ok = layoutOf(t.args[0]), failed = layoutOf(t.args[1]);
  const union = padded({ size: Math.max(ok.size, failed.size), align: Math.max(ok.align, failed.align) });
  const offset = up(1, union.align);
  return { offset, whole: padded({ size: offset + union.size, align: union.align }) };
}

// Frame is the memory of one call: arguments, result, and what the arguments
// point to, with pointers relative to its own start until it has a place.
export class Frame {
  buffer = new Uint8Array(256);
  size = 0;
  pointers = [];

  constructor(sig, args) {
    const types = fieldTypes(sig.params);
    const { offsets, whole } = structOf(types);
    const start = this.reserve(whole);
    this.result = this.reserve(structOf(fieldTypes(sig.results)).whole);
    types.forEach((t, i) => {
      try {
        this.put(start + offsets[i], t, args[i]);
      } catch (e) {
        throw new TypeError(`${sig.name}: ${sig.params[i].name}: ${e.message}`);
      }
    });
  }

  // at gives the bytes for a base address.
  at(base) {
    const view = new DataView(this.buffer.buffer);
    for (const p of this.pointers) view.setUint32(p, base + view.getUint32(p, true), true);
    this.pointers = [];
    return this.buffer.subarray(0, this.size);
  }

  grow(size) {
    if (size > maxResult) throw new TypeError(`the arguments exceed ${maxResult} bytes`);
    if (size > this.buffer.length) {
      const next = new Uint8Array(Math.max(size, 2 * this.buffer.length));
      next.set(this.buffer.subarray(0, this.size));
      this.buffer = next;
    }
    this.size = size;
  }

  reserve({ size, align }) {
    const at = up(this.size, align);
    this.grow(at + size);
    return at;
  }

  view() { return new DataView(this.buffer.buffer); }

  point(at, to) {
    this.view().setUint32(at, to, true);
    this.pointers.push(at);
  }

  put(at, t, v) {
    switch (t.kind) {
      case "bool":
        this.buffer[at] = v ? 1 : 0;
        return;
      case "s32": case "u32":
        this.view().setUint32(at, Number(BigInt.asUintN(32, v)), true);
        return;
      case "s64": case "u64":
        this.view().setBigUint64(at, BigInt.asUintN(64, v), true);
        return;
      case "f32":
        this.view().setFloat32(at, v, true);
        return;
      case "f64":
        this.view().setFloat64(at, v, true);
        return;
      case "string": {
        const bytes = bytesOf(v);
        if (bytes.includes(0)) throw new TypeError("the text contains a NUL byte, which ends a C string");
        const to = this.size;
        this.grow(to + bytes.length + 1);
        this.buffer.set(bytes, to);
        this.buffer[to + bytes.length] = 0;
        this.point(at, to);
        return;
      }
      case "list": {
        const element = padded(layoutOf(t.args[0]));
        const to = this.reserve({ size: v.length * element.size, align: element.align });
        this.point(at, to);
        this.view().setUint32(at + 4, v.length, true);
        v.forEach((item, i) => this.put(to + i * element.size, t.args[0], item));
        return;
      }
      case "option": {
        if (v === null) return;
        const inner = t.args[0];
        if (inner.kind === "string" || inner.kind === "list") {
          this.put(at, inner, v);
          return;
        }
        const to = this.reserve(layoutOf(inner));
        this.point(at, to);
        this.put(to, inner, v);
        return;
      }
      case "result": {
        const { offset } = resultLayout(t);
        const [[name, inner]] = v.list;
        if (name === "err") this.buffer[at] = 1;
        this.put(at + offset, t.args[name === "ok" ? 0 : 1], inner);
        return;
      }
      case "tuple":
        structOf(t.args).offsets.forEach((o, i) => this.put(at + o, t.args[i], v[i]));
        return;
      case "record":
        structOf(fieldTypes(t.fields)).offsets.forEach((o, i) => this.put(at + o, t.fields[i].type, v.get(t.fields[i].name)));
    }
  }
}

// lift reads the result of a call from guest memory. The guest is not trusted.
export function lift(bytes, sig, at) {
  const lifter = new Lifter(bytes);
  const types = fieldTypes(sig.results);
  const { offsets } = structOf(types);
  if (types.length === 0) return null;
  if (types.length === 1 && sig.results[0].name === "") return lifter.get("result", at, types[0]);
  return new Members(types.map((t, i) => [sig.results[i].name, lifter.get(sig.results[i].name, at + offsets[i], t)]));
}

class Lifter {
  budget = maxResult;

  constructor(bytes) {
    this.bytes = bytes;
    this.data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  fail(path, what) {
    throw new Error(`${path}: the function returned ${what}`);
  }

  // need checks that n bytes lie in memory and pays for them.
  need(path, at, n) {
    this.budget -= n + valueCost;
    if (this.budget < 0) this.fail(path, `more than ${maxResult >> 20} MiB of values`);
    if (at + n > this.bytes.length) this.fail(path, "a pointer outside its memory");
  }

  word(path, at) {
    this.need(path, at, 4);
    return this.data.getUint32(at, true);
  }

  get(path, at, t) {
    switch (t.kind) {
      case "string":
        return this.text(path, this.word(path, at));
      case "list":
        return this.list(path, at, t.args[0]);
      case "option": {
        const to = this.word(path, at), inner = t.args[0];
        if (to === 0) return null;
        if (inner.kind === "string") return this.text(path, to);
        if (inner.kind === "list") return this.list(path, at, inner.args[0]);
        return this.get(path, to, inner);
      }
      case "result": {
        this.need(path, at, 1);
        const side = this.bytes[at] === 0 ? 0 : 1, name = ["ok", "err"][side];
        return new Members([[name, this.get(`${path}.${name}`, at + resultLayout(t).offset, t.args[side])]]);
      }
      case "tuple":
        return structOf(t.args).offsets.map((o, i) => this.get(`${path}[${i}]`, at + o, t.args[i]));
      case "record":
        return new Members(structOf(fieldTypes(t.fields)).offsets.map((o, i) => [t.fields[i].name, this.get(`${path}.${t.fields[i].name}`, at + o, t.fields[i].type)]));
    }
    this.need(path, at, layoutOf(t).size);
    return this.scalar(at, t.kind);
  }

  scalar(at, kind) {
    switch (kind) {
      case "bool":
        return this.bytes[at] !== 0;
      case "s32":
        return BigInt(this.data.getInt32(at, true));
      case "u32":
        return BigInt(this.data.getUint32(at, true));
      case "f32":
        return this.data.getFloat32(at, true);
      case "f64":
        return this.data.getFloat64(at, true);
    }
    return wholeOf(this.data.getBigUint64(at, true), kind);
  }

  text(path, at) {
    if (at === 0) this.fail(path, "a null string");
    if (at >= this.bytes.length) this.fail(path, "a pointer outside its memory");
    const end = this.bytes.indexOf(0, at);
    if (end < 0) this.fail(path, "a string without an end");
    this.need(path, at, end - at);
    return textOf(this.bytes.subarray(at, end));
  }

  list(path, at, t) {
    this.need(path, at, 8);
    const to = this.data.getUint32(at, true), length = this.data.getUint32(at + 4, true);
    const { size } = padded(layoutOf(t));
    if (to + length * size > this.bytes.length) this.fail(path, `a list of ${length} elements, more than its memory holds`);
    if (length > this.budget / valueCost) this.fail(path, `a list of ${length} elements, more than ${maxResult >> 20} MiB of values`);
    return Array.from({ length }, (_, i) => this.get(`${path}[${i}]`, to + i * size, t));
  }
}

// wholeOf is a 64-bit word as a value.
export function wholeOf(word, kind) {
  return kind === "u64" ? BigInt.asUintN(64, word) : BigInt.asIntN(64, word);
}
