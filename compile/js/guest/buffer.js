// Buffer: bytes with text encodings, as programs written for node use it.
(kit => {
  'use strict';
  const { host, define, bytesOf } = kit;
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

  const codeUnits = (bytes, mask) => {
    let text = '';
    for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode.apply(null, bytes.subarray(i, i + 4096).map(b => b & mask));
    return text;
  };
  function base64(bytes, url) {
    let text = '';
    for (let i = 0; i < bytes.length; i += 3) {
      const n = bytes[i] << 16 | (bytes[i + 1] ?? 0) << 8 | (bytes[i + 2] ?? 0);
      text += digits[n >> 18] + digits[n >> 12 & 63] + (i + 1 < bytes.length ? digits[n >> 6 & 63] : '=') + (i + 2 < bytes.length ? digits[n & 63] : '=');
    }
    return url ? text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') : text;
  }
  function unbase64(text) {
    const out = [];
    let bits = 0, n = 0;
    for (const c of text) {
      const d = digits.indexOf(c === '-' ? '+' : c === '_' ? '/' : c);
      if (c === '=') break;
      if (d < 0) continue;
      bits = (bits << 6 | d) & 0xffffff;
      n += 6;
      if (n >= 8) { n -= 8; out.push(bits >> n & 255); }
    }
    return out;
  }

  const encodings = {
    'utf8': { to: b => host.decode(b, false), from: t => host.encode(t) },
    'latin1': { to: b => codeUnits(b, 0xff), from: t => Array.from(t, c => c.charCodeAt(0) & 0xff) },
    'ascii': { to: b => codeUnits(b, 0x7f), from: t => Array.from(t, c => c.charCodeAt(0) & 0xff) },
    'hex': { to: b => Array.from(b, x => x.toString(16).padStart(2, '0')).join(''), from: t => (/^([0-9a-fA-F]{2})*/.exec(t)[0].match(/../g) ?? []).map(h => parseInt(h, 16)) },
    'base64': { to: b => base64(b, false), from: unbase64 },
    'base64url': { to: b => base64(b, true), from: unbase64 },
    'utf16le': {
      to: b => { let t = ''; for (let i = 0; i + 1 < b.length; i += 2) t += String.fromCharCode(b[i] | b[i + 1] << 8); return t; },
      from: t => { const out = []; for (let i = 0; i < t.length; i++) out.push(t.charCodeAt(i) & 255, t.charCodeAt(i) >> 8); return out; },
    },
  };
  const aliases = { 'utf-8': 'utf8', 'binary': 'latin1', 'ucs2': 'utf16le', 'ucs-2': 'utf16le', 'utf-16le': 'utf16le' };
  const encoding = (name = 'utf8') => {
    const key = `${name}`.toLowerCase();
    const found = encodings[aliases[key] ?? key];
    if (found === undefined) throw Object.assign(new TypeError(`Unknown encoding: ${name}`), { code: 'ERR_UNKNOWN_ENCODING' });
    return found;
  };

  class Buffer extends Uint8Array {
    static from(data, coding, length) {
      if (typeof data === 'string') return kit.toBuffer(data, coding);
      if (data instanceof ArrayBuffer || data instanceof SharedArrayBuffer) return new Buffer(data, coding, length);
      if (ArrayBuffer.isView(data)) return wrap(Uint8Array.from(data));
      if (data?.type === 'Buffer' && Array.isArray(data.data)) return wrap(Uint8Array.from(data.data));
      if (data !== null && typeof data === 'object') return wrap(Uint8Array.from(data));
      throw new TypeError('The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object.');
    }
    static alloc(size, fill, coding) { const b = new Buffer(size); return fill === undefined ? b : b.fill(fill, coding); }
    static allocUnsafe(size) { return new Buffer(size); }
    static isBuffer(b) { return b instanceof Buffer; }
    static isEncoding(name) { try { encoding(name); return true; } catch { return false; } }
    static byteLength(data, coding) { return typeof data === 'string' ? encoding(coding).from(data).length : data.byteLength; }
    static concat(list, total = list.reduce((n, b) => n + b.length, 0)) {
      const out = Buffer.alloc(total);
      let at = 0;
      for (const b of list) {
        if (at >= total) break;
        out.set(b.subarray(0, total - at), at);
        at += b.length;
      }
      return out;
    }
    static compare(a, b) {
      for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
      return Math.sign(a.length - b.length);
    }
    toString(coding, from = 0, to = this.length) { return encoding(coding).to(new Uint8Array(this.buffer, this.byteOffset, this.length).subarray(Math.max(0, from), Math.max(0, to))); }
    toJSON() { return { type: 'Buffer', data: Array.from(this) }; }
    equals(b) { return Buffer.compare(this, b) === 0; }
    compare(b) { return Buffer.compare(this, b); }
    write(text, at = 0, length = this.length - at, coding = 'utf8') {
      const bytes = encoding(coding).from(text).slice(0, Math.min(length, this.length - at));
      this.set(bytes, at);
      return bytes.length;
    }
    copy(into, at = 0, from = 0, to = this.length) {
      const part = super.subarray(from, Math.min(to, from + into.length - at));
      into.set(part, at);
      return part.length;
    }
    slice(from, to) { return this.subarray(from, to); }
    fill(what, from, to) {
      if (typeof what !== 'string') return super.fill(what, from, to);
      const bytes = Buffer.from(what, typeof from === 'string' ? from : 'utf8');
      for (let i = 0; i < this.length && bytes.length > 0; i++) this[i] = bytes[i % bytes.length];
      return this;
    }
    indexOf(what, from = 0, coding) {
      if (typeof what === 'number') return super.indexOf(what, from);
      const bytes = typeof what === 'string' ? Buffer.from(what, coding) : what;
      for (let i = from; i + bytes.length <= this.length; i++) if (bytes.every((b, j) => this[i + j] === b)) return i;
      return -1;
    }
    includes(what, from, coding) { return this.indexOf(what, from, coding) >= 0; }
    [Symbol.for('nodejs.util.inspect.custom')]() {
      const more = this.length - 50;
      return `<${this.constructor.name}${Array.from(this.subarray(0, 50), b => ' ' + b.toString(16).padStart(2, '0')).join('')}${more > 0 ? ` ... ${more} more byte${more > 1 ? 's' : ''}` : ''}>`;
    }
  }
  const wrap = bytes => new Buffer(bytes.buffer, bytes.byteOffset, bytes.length);

  // readUInt16LE and its relatives.
  const view = b => new DataView(b.buffer, b.byteOffset, b.length);
  for (const [name, method, size] of [['UInt8', 'Uint8', 1], ['Int8', 'Int8', 1], ['UInt16', 'Uint16', 2], ['Int16', 'Int16', 2], ['UInt32', 'Uint32', 4], ['Int32', 'Int32', 4],
    ['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigInt64', 'BigInt64', 8], ['BigUInt64', 'BigUint64', 8]]) {
    for (const order of size === 1 ? [''] : ['LE', 'BE']) {
      const methods = {
        [`read${name}${order}`](at = 0) { return view(this)[`get${method}`](at, order === 'LE'); },
        [`write${name}${order}`](v, at = 0) { view(this)[`set${method}`](at, v, order === 'LE'); return at + size; },
      };
      for (const [key, f] of Object.entries(methods)) {
        for (const alias of [key, key.replace('UInt', 'Uint')]) Object.defineProperty(Buffer.prototype, alias, { value: f, writable: true, configurable: true });
      }
    }
  }

  define('Buffer', Buffer);
  // toBuffer is a buffer on the bytes of a string or of another view.
  kit.toBuffer = (data, coding) => {
    if (typeof data !== 'string') return wrap(bytesOf(data));
    const bytes = encoding(coding).from(data);
    return wrap(bytes instanceof Uint8Array ? bytes : Uint8Array.from(bytes));
  };
  kit.encoding = encoding;
})
