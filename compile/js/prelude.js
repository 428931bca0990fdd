// prelude(host, inspect) prepares a fresh VM: it gives user code the globals
// people expect and returns the object through which the host drives it. It
// keeps its own references to what it needs, so that code which overwrites
// globals only hurts itself.
((host, makeInspect) => {
  'use strict';
  const { parse, stringify } = JSON;
  const global = globalThis;
  const then = Function.prototype.call.bind(Promise.prototype.then);
  const define = (name, value) => Object.defineProperty(global, name, { value, writable: true, configurable: true, enumerable: false });

  // The state of promises is not visible from inside: those that were watched
  // are remembered.
  const watched = new WeakMap();
  const watch = p => {
    if (!watched.has(p)) {
      const state = { pending: true };
      watched.set(p, state);
      then(p, v => Object.assign(state, { pending: false, ok: true, value: v }), e => Object.assign(state, { pending: false, ok: false, value: e }));
    }
    return watched.get(p);
  };
  const inspect = makeInspect(watch);

  // console
  function format(...args) {
    if (typeof args[0] !== 'string') return args.map(show).join(' ');
    let i = 1;
    let text = args.length === 1 ? args[0] : args[0].replace(/%[sdifjoOc%]/g, spec => {
      if (spec === '%%') return '%';
      if (i >= args.length) return spec;
      const arg = args[i++];
      switch (spec) {
        case '%s': return typeof arg === 'string' ? arg : typeof arg === 'object' && arg !== null ? inspect(arg) : typeof arg === 'bigint' ? `${arg}n` : String(arg);
        case '%d': return typeof arg === 'bigint' ? `${arg}n` : typeof arg === 'symbol' ? 'NaN' : String(Number(arg));
        case '%i': return typeof arg === 'bigint' ? `${arg}n` : typeof arg === 'symbol' ? 'NaN' : String(parseInt(arg));
        case '%f': return typeof arg === 'symbol' ? 'NaN' : String(parseFloat(arg));
        case '%j': try { return stringify(arg); } catch { return '[Circular]'; }
        case '%c': return '';
        default: return inspect(arg);
      }
    });
    for (; i < args.length; i++) text += ' ' + show(args[i]);
    return text;
  }
  const show = v => typeof v === 'string' ? v : inspect(v);
  let group = '';
  const say = stream => (...args) => { host(stream, (group + format(...args)).replaceAll('\n', '\n' + group) + '\n'); };
  const out = say('1'), err = say('2');
  const counts = new Map(), noop = () => {};
  define('console', {
    log: out, info: out, debug: out, warn: err, error: err, dir: v => out(inspect(v)),
    trace: (...args) => err('Trace: ' + format(...args)),
    assert: (ok, ...args) => { if (!ok) err('Assertion failed' + (args.length ? ': ' + format(...args) : '')); },
    group: (...args) => { if (args.length) out(...args); group += '  '; }, groupEnd: () => { group = group.slice(2); },
    count: (name = 'default') => { counts.set(name, (counts.get(name) ?? 0) + 1); out(`${name}: ${counts.get(name)}`); },
    table: rows => out(table(rows)), time: noop, timeEnd: noop, timeLog: noop,
  });

  function table(rows) {
    if (rows === null || typeof rows !== 'object') return show(rows);
    const entries = Object.entries(rows), names = [], bare = entries.some(([, r]) => r === null || typeof r !== 'object');
    for (const [, r] of entries) if (r !== null && typeof r === 'object') for (const k of Object.keys(r)) if (!names.includes(k)) names.push(k);
    const head = ['(index)', ...names, ...(bare ? ['Values'] : [])];
    const grid = entries.map(([k, r]) => {
      const object = r !== null && typeof r === 'object';
      return [k, ...names.map(n => object && n in r ? inspect(r[n]) : ''), ...(bare ? [object ? '' : inspect(r)] : [])];
    });
    const width = head.map((h, i) => Math.max(h.length, ...grid.map(row => row[i].length)));
    const line = row => '│ ' + row.map((c, i) => c.padEnd(width[i])).join(' │ ') + ' │';
    const rule = (a, b, c) => a + width.map(w => '─'.repeat(w + 2)).join(b) + c;
    return [rule('┌', '┬', '┐'), line(head), rule('├', '┼', '┤'), ...grid.map(line), rule('└', '┴', '┘')].join('\n');
  }
  define('print', (...args) => { host('1', args.map(String).join(' ') + '\n'); });

  // Bytes travel between host and guest as strings of code units below 256.
  const toBytes = s => { const b = new Uint8Array(s.length); for (let i = 0; i < b.length; i++) b[i] = s.charCodeAt(i); return b; };
  const fromBytes = b => { let s = ''; for (let i = 0; i < b.length; i += 4096) s += String.fromCharCode.apply(null, b.subarray(i, i + 4096)); return s; };
  let stdin = null, at = 0;
  const input = () => stdin ??= toBytes(host('0', ''));
  define('Javy', { IO: {
    readSync(fd, buffer) {
      if (fd !== 0) throw new Error(`Javy.IO.readSync: only file descriptor 0 can be read, not ${fd}`);
      const n = Math.min(buffer.length, input().length - at);
      buffer.set(input().subarray(at, at + n));
      at += n;
      return n;
    },
    writeSync(fd, buffer) {
      if (fd !== 1 && fd !== 2) throw new Error(`Javy.IO.writeSync: only file descriptors 1 and 2 can be written, not ${fd}`);
      host(fd === 1 ? 'b1' : 'b2', fromBytes(buffer));
      return buffer.length;
    },
  } });

  // TextEncoder and TextDecoder, UTF-8 only.
  define('TextEncoder', class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text = '') {
      const bytes = [];
      for (const c of String(text).toWellFormed()) {
        const p = c.codePointAt(0);
        if (p < 0x80) bytes.push(p);
        else if (p < 0x800) bytes.push(0xc0 | p >> 6, 0x80 | p & 63);
        else if (p < 0x10000) bytes.push(0xe0 | p >> 12, 0x80 | p >> 6 & 63, 0x80 | p & 63);
        else bytes.push(0xf0 | p >> 18, 0x80 | p >> 12 & 63, 0x80 | p >> 6 & 63, 0x80 | p & 63);
      }
      return new Uint8Array(bytes);
    }
  });
  define('TextDecoder', class TextDecoder {
    #fatal;
    constructor(label = 'utf-8', { fatal = false } = {}) {
      if (!/^utf-?8$/i.test(label)) throw new RangeError(`TextDecoder: only utf-8 is supported, not ${label}`);
      this.#fatal = fatal;
    }
    get encoding() { return 'utf-8'; }
    decode(data = new Uint8Array(0)) {
      const b = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
      let s = '', i = b[0] === 0xef && b[1] === 0xbb && b[2] === 0xbf ? 3 : 0;
      while (i < b.length) {
        const c = b[i];
        if (c < 0x80) { s += String.fromCharCode(c); i++; continue; }
        const need = c >= 0xc2 && c <= 0xdf ? 1 : c >= 0xe0 && c <= 0xef ? 2 : c >= 0xf0 && c <= 0xf4 ? 3 : 0;
        let p = need === 1 ? c & 31 : need === 2 ? c & 15 : c & 7, n = 0;
        while (n < need && (b[i + 1 + n] & 0xc0) === 0x80) {
          if (n === 0 && (c === 0xe0 && b[i + 1] < 0xa0 || c === 0xed && b[i + 1] > 0x9f || c === 0xf0 && b[i + 1] < 0x90 || c === 0xf4 && b[i + 1] > 0x8f)) break;
          p = p << 6 | b[i + 1 + n++] & 63;
        }
        if (need && n === need) s += String.fromCodePoint(p);
        else if (this.#fatal) throw new TypeError('The encoded data was not valid for encoding utf-8');
        else s += '\ufffd';
        i += n + 1;
      }
      return s;
    }
  });

  // base64
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  define('btoa', text => {
    text = String(text);
    let s = '';
    for (let i = 0; i < text.length; i += 3) {
      const [a, b, c] = [text.charCodeAt(i), text.charCodeAt(i + 1), text.charCodeAt(i + 2)];
      if (a > 255 || b > 255 || c > 255) throw new RangeError('btoa: the string holds characters above U+00FF');
      s += alphabet[a >> 2] + alphabet[(a & 3) << 4 | b >> 4] + (i + 1 < text.length ? alphabet[(b & 15) << 2 | c >> 6] : '=') + (i + 2 < text.length ? alphabet[c & 63] : '=');
    }
    return s;
  });
  define('atob', text => {
    const clean = String(text).replace(/[\t\n\f\r ]/g, '').replace(/={1,2}$/, '');
    if (clean.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(clean)) throw new RangeError('atob: the string is not base64');
    let s = '', bits = 0, n = 0;
    for (const c of clean) {
      bits = bits << 6 | alphabet.indexOf(c);
      n += 6;
      if (n >= 8) { n -= 8; s += String.fromCharCode(bits >> n & 255); }
    }
    return s;
  });

  define('structuredClone', v => {
    const seen = new Map();
    const clone = x => {
      if (typeof x === 'function' || typeof x === 'symbol') throw new TypeError(`structuredClone: ${String(x)} cannot be cloned`);
      if (x === null || typeof x !== 'object') return x;
      if (seen.has(x)) return seen.get(x);
      const keep = y => (seen.set(x, y), y);
      if (x instanceof Date) return keep(new Date(x));
      if (x instanceof RegExp) return keep(new RegExp(x));
      if (x instanceof ArrayBuffer) return keep(x.slice(0));
      if (ArrayBuffer.isView(x)) return keep(new x.constructor(clone(x.buffer), x.byteOffset, x.length));
      if (x instanceof Map) { const m = keep(new Map()); for (const [k, y] of x) m.set(clone(k), clone(y)); return m; }
      if (x instanceof Set) { const s = keep(new Set()); for (const y of x) s.add(clone(y)); return s; }
      if (x instanceof Error) { const e = keep(new (global[x.name] ?? Error)(x.message)); e.stack = x.stack; return e; }
      const y = keep(Array.isArray(x) ? new Array(x.length) : {});
      for (const k of Object.keys(x)) y[k] = clone(x[k]);
      return y;
    };
    return clone(v);
  });

  // Timers run on virtual time: nothing waits, order is by due time.
  let now = 0, nextTimer = 1;
  const timers = [];
  const schedule = (f, delay, args, every) => {
    if (typeof f !== 'function') throw new TypeError('a timer needs a function');
    delay = Math.max(1, Math.trunc(Number(delay)) || 0);
    const timer = { id: nextTimer++, due: now + delay, f, args, every: every ? delay : 0 };
    insert(timer);
    return timer.id;
  };
  const insert = timer => {
    let i = timers.length;
    while (i > 0 && timers[i - 1].due > timer.due) i--;
    timers.splice(i, 0, timer);
  };
  const cancel = id => { const i = timers.findIndex(t => t.id === id); if (i >= 0) timers.splice(i, 1); };
  define('setTimeout', (f, delay, ...args) => schedule(f, delay, args, false));
  define('setInterval', (f, delay, ...args) => schedule(f, delay, args, true));
  define('setImmediate', (f, ...args) => schedule(f, 0, args, false));
  for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate']) define(name, cancel);
  define('queueMicrotask', f => { then(Promise.resolve(), () => f()); });
  const start = Date.now();
  define('performance', { now: () => Date.now() - start + now });

  // require, for programs written for node: what makes sense without a host.
  const modules = {
    util: { inspect, format, isDeepStrictEqual: (a, b) => inspect(a) === inspect(b), types: {} },
    process: { stdout: { write: s => { host('1', String(s)); return true; } }, stderr: { write: s => { host('2', String(s)); return true; } },
      argv: ['node', 'block.js'], env: {}, platform: 'wasi', exit: code => { throw new Exit(code ?? 0); }, cwd: () => '/', nextTick: (f, ...a) => { then(Promise.resolve(), () => f(...a)); }, hrtime: () => [0, now * 1e6], exitCode: 0 },
    assert: Object.assign((ok, message) => { if (!ok) throw new Error(message ?? 'assertion failed'); }, {
      equal: (a, b, m) => { if (a != b) throw new Error(m ?? `${inspect(a)} == ${inspect(b)}`); },
      strictEqual: (a, b, m) => { if (!Object.is(a, b)) throw new Error(m ?? `Expected values to be strictly equal:\n\n${inspect(a)} !== ${inspect(b)}\n`); },
      deepStrictEqual: (a, b, m) => { if (inspect(a) !== inspect(b)) throw new Error(m ?? `Expected values to be strictly deep-equal:\n${inspect(a)}\n${inspect(b)}`); },
      throws: (f, m) => { try { f(); } catch { return; } throw new Error(typeof m === 'string' ? m : 'Missing expected exception.'); },
    }),
  };
  class Exit extends Error { constructor(code) { super(`process.exit(${code})`); this.code = code; } }
  define('process', modules.process);
  define('require', name => {
    const bare = String(name).replace(/^node:/, '');
    if (Object.hasOwn(modules, bare)) return modules[bare];
    throw new Error(`require('${name}'): the sandbox has no such module; there are ${Object.keys(modules).join(', ')}`);
  });
  define('global', global);

  // URL and URLSearchParams, enough for http(s) addresses.
  define('URLSearchParams', class URLSearchParams {
    #pairs = [];
    constructor(init = '') {
      if (typeof init === 'string') {
        for (const part of init.replace(/^\?/, '').split('&')) if (part) {
          const [k, ...v] = part.split('=');
          this.#pairs.push([decode(k), decode(v.join('='))]);
        }
      } else for (const [k, v] of typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init)) this.#pairs.push([String(k), String(v)]);
    }
    get(k) { return this.#pairs.find(p => p[0] === k)?.[1] ?? null; }
    getAll(k) { return this.#pairs.filter(p => p[0] === k).map(p => p[1]); }
    has(k) { return this.#pairs.some(p => p[0] === k); }
    append(k, v) { this.#pairs.push([String(k), String(v)]); }
    set(k, v) { const i = this.#pairs.findIndex(p => p[0] === k); if (i < 0) this.append(k, v); else { this.#pairs[i][1] = String(v); this.#pairs = this.#pairs.filter((p, j) => j <= i || p[0] !== k); } }
    delete(k) { this.#pairs = this.#pairs.filter(p => p[0] !== k); }
    keys() { return this.#pairs.map(p => p[0]).values(); }
    values() { return this.#pairs.map(p => p[1]).values(); }
    entries() { return this.#pairs.map(p => [...p]).values(); }
    forEach(f) { for (const [k, v] of this.#pairs) f(v, k, this); }
    get size() { return this.#pairs.length; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map(p => p.map(encode).join('=')).join('&'); }
  });
  const decode = s => { try { return decodeURIComponent(s.replaceAll('+', ' ')); } catch { return s; } };
  const encode = s => encodeURIComponent(s).replace(/%20/g, '+').replace(/[!'()~]/g, c => '%' + c.charCodeAt(0).toString(16).toUpperCase());
  define('URL', class URL {
    constructor(text, base) {
      let m = /^([a-z][a-z0-9+.-]*:)\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^:/?#]*)(?::(\d+))?([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(String(text).trim());
      if (!m && base !== undefined) {
        const b = new URL(base), t = String(text).trim();
        const path = t.startsWith('/') ? t : t.startsWith('?') || t.startsWith('#') || t === '' ? b.pathname + (t.startsWith('#') ? b.search : '') + t : b.pathname.replace(/[^/]*$/, '') + t;
        m = /^([a-z][a-z0-9+.-]*:)\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^:/?#]*)(?::(\d+))?([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(b.origin + path);
      }
      if (!m) throw new TypeError('Invalid URL');
      this.protocol = m[1].toLowerCase();
      this.username = m[2] ?? ''; this.password = m[3] ?? ''; this.hostname = m[4].toLowerCase();
      this.port = m[5] && m[5] !== { 'http:': '80', 'https:': '443' }[this.protocol] ? m[5] : '';
      const parts = [];
      for (const part of (m[6] || '/').split('/').slice(1)) { if (part === '..') parts.pop(); else if (part !== '.') parts.push(part); }
      this.pathname = '/' + parts.join('/'); this.hash = m[8] === '#' ? '' : m[8] ?? '';
      this.searchParams = new URLSearchParams(m[7] ?? '');
      this.search = m[7] === '?' ? '' : m[7] ?? '';
    }
    get host() { return this.hostname + (this.port && ':' + this.port); }
    get origin() { return `${this.protocol}//${this.host}`; }
    get href() {
      const query = this.searchParams.toString();
      const search = this.search && new URLSearchParams(this.search).toString() === query ? this.search : query && '?' + query;
      return `${this.protocol}//${this.username ? this.username + (this.password && ':' + this.password) + '@' : ''}${this.host}${this.pathname}${search}${this.hash}`;
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
  });

  // encode turns a result into JSON. What JSON does not have is an error that
  // says where it is, not a silent null.
  function toJSON(v) {
    const seen = [];
    const walk = (x, path) => {
      switch (typeof x) {
        case 'undefined': return 'null';
        case 'boolean': return String(x);
        case 'number':
          if (!Number.isFinite(x)) throw new TypeError(`${path || 'the result'} is ${x}, which is no JSON number`);
          return Object.is(x, -0) ? '0' : String(x);
        case 'bigint': return String(x);
        case 'string': return stringify(x.toWellFormed());
        case 'function': case 'symbol': throw new TypeError(`${path || 'the result'} is a ${typeof x}, which has no JSON form`);
      }
      if (x === null) return 'null';
      if (x instanceof Promise) throw new TypeError(`${path || 'the result'} is a promise: await it`);
      if (seen.includes(x)) throw new TypeError(`${path || 'the result'} refers back to itself`);
      if (typeof x.toJSON === 'function') return walk(x.toJSON(), path);
      if (x instanceof Number || x instanceof String || x instanceof Boolean) return walk(x.valueOf(), path);
      seen.push(x);
      let text;
      if (Array.isArray(x) || x instanceof Set || ArrayBuffer.isView(x) && !(x instanceof DataView)) text = '[' + Array.from(x, (y, i) => walk(y, `${path}[${i}]`)).join(',') + ']';
      else {
        const entries = x instanceof Map ? [...x].map(([k, y]) => [String(k), y]) : Object.entries(x);
        text = '{' + entries.filter(([, y]) => y !== undefined).map(([k, y]) => stringify(k.toWellFormed()) + ':' + walk(y, path ? `${path}.${k}` : k)).join(',') + '}';
      }
      seen.pop();
      return text;
    };
    return walk(v, '');
  }

  const describe = e => e instanceof Exit ? { exit: e.code } :
    e instanceof Error ? { name: String(e.name), message: String(e.message), stack: String(e.stack ?? '') } :
    { name: 'Uncaught', message: show(e), stack: '' };

  let state = null;
  const settle = (p, finish) => then(Promise.resolve(p), v => { try { state = finish(v); } catch (e) { state = { error: describe(e) }; } }, e => { state = { error: describe(e) }; });

  // pick finds the function a component offers.
  function pick(ns, want) {
    const offered = Object.keys(ns).filter(k => typeof ns[k] === 'function');
    if (want && typeof ns[want] === 'function') return ns[want];
    if (typeof ns.default === 'function') return ns.default;
    if (offered.length === 1) return ns[offered[0]];
    if (offered.length === 0) throw new TypeError('the block exports no function: write export function ' + (want || 'name') + '(…)');
    throw new TypeError(`which function is meant? The block exports ${offered.join(', ')}; ${want ? `none is called ${want}` : 'name the block after one of them'}`);
  }

  // unwrap reads a component's return value as its outputs.
  function unwrap(v, outs) {
    if (outs.length === 0) return v;
    const object = v !== null && typeof v === 'object' && !Array.isArray(v) && !(v instanceof Map);
    if (outs.length === 1) return object && Object.hasOwn(v, outs[0]) && Object.keys(v).length === 1 ? v[outs[0]] : v;
    if (!object) throw new TypeError(`the function must return an object with ${outs.join(', ')}, got ${show(v).slice(0, 80)}`);
    const missing = outs.filter(k => !Object.hasOwn(v, k));
    if (missing.length) throw new TypeError(`the returned object has no ${missing.join(', ')}`);
    return Object.fromEntries(outs.map(k => [k, v[k]]));
  }

  return {
    // call runs a component: ns is the promise of its module's namespace.
    call(ns, request) {
      const { func, outs, args } = parse(request);
      settle(then(ns, m => pick(m, func)(...args)), v => ({ json: toJSON(unwrap(v, outs)) }));
    },
    // wait settles when the program's module has been evaluated.
    wait(ns) { settle(ns, () => ({ json: 'null' })); },
    // value runs the body of a babel block and shows what it returns.
    value(body) {
      try {
        const v = body();
        state = { text: inspect(v), list: Array.isArray(v), string: typeof v === 'string', json: Array.isArray(v) || typeof v === 'string' ? cells(v) : 'null' };
      } catch (e) { state = { error: describe(e) }; }
    },
    global(name, json) { define(name, parse(json)); },
    // poll gives the outcome as JSON, "" while there is none.
    poll() { return state === null ? '' : stringify(state); },
    // tick runs the timers that are due next and says whether there were any.
    tick() {
      const timer = timers.shift();
      if (timer === undefined) return '';
      now = timer.due;
      if (timer.every) insert({ ...timer, due: now + timer.every });
      try { timer.f(...timer.args); } catch (e) { state = { error: describe(e) }; }
      return '1';
    },
  };

  // cells is an array as table cells: nested arrays stay, the rest is shown.
  function cells(v) {
    if (Array.isArray(v)) return '[' + v.map(cells).join(',') + ']';
    if (typeof v === 'number' && Number.isFinite(v)) return String(v);
    return stringify((typeof v === 'string' ? v : inspect(v)).toWellFormed());
  }
})
