// process, require and the modules of node that make sense without an
// operating system. What is missing says why.
(kit => {
  'use strict';
  const { host, define, inspect, format, formatWithOptions, now } = kit;
  const { is, getOwnPropertySymbols, getPrototypeOf, hasOwn } = Object;

  // events

  class EventEmitter {
    #listeners = new Map();
    on(event, f) { return this.#add(event, f, false); }
    prependListener(event, f) { return this.#add(event, f, true); }
    #add(event, f, first) {
      if (typeof f !== 'function') throw Object.assign(new TypeError(`The "listener" argument must be of type function. Received ${kit.show(f)}`), { code: 'ERR_INVALID_ARG_TYPE' });
      const list = this.#listeners.get(event) ?? [];
      this.#listeners.set(event, first ? [f, ...list] : [...list, f]);
      return this;
    }
    once(event, f) {
      const wrapped = (...args) => { this.off(event, wrapped); f.apply(this, args); };
      wrapped.listener = f;
      return this.on(event, wrapped);
    }
    off(event, f) {
      const list = this.#listeners.get(event) ?? [], i = list.findLastIndex(g => g === f || g.listener === f);
      if (i >= 0) this.#listeners.set(event, list.toSpliced(i, 1));
      return this;
    }
    removeAllListeners(event) { if (event === undefined) this.#listeners.clear(); else this.#listeners.delete(event); return this; }
    emit(event, ...args) {
      const list = this.#listeners.get(event) ?? [];
      if (list.length === 0 && event === 'error') throw args[0] instanceof Error ? args[0] : new Error(`Unhandled error. (${inspect(args[0])})`);
      for (const f of list) f.apply(this, args);
      return list.length > 0;
    }
    listeners(event) { return (this.#listeners.get(event) ?? []).map(f => f.listener ?? f); }
    listenerCount(event) { return (this.#listeners.get(event) ?? []).length; }
    eventNames() { return [...this.#listeners].filter(([, list]) => list.length > 0).map(([event]) => event); }
    setMaxListeners() { return this; }
  }
  EventEmitter.prototype.addListener = EventEmitter.prototype.on;
  EventEmitter.prototype.removeListener = EventEmitter.prototype.off;
  EventEmitter.EventEmitter = EventEmitter;
  EventEmitter.once = (emitter, event) => new Promise(resolve => { emitter.once(event, (...args) => resolve(args)); });

  // process

  const stream = fd => ({
    fd, isTTY: false, writable: true,
    write(data, coding, done) {
      host.write(fd, typeof data === 'string' ? data : kit.bytesOf(data));
      const f = typeof coding === 'function' ? coding : done;
      if (f) kit.nextTick(f);
      return true;
    },
    end(data) { if (data !== undefined) this.write(data); },
    on() { return this; }, once() { return this; },
  });

  // Input is process.stdin: all of it is there at once.
  class Input extends EventEmitter {
    fd = 0;
    isTTY = false;
    #coding = null;
    #taken = false;
    #told = false;
    setEncoding(coding) { this.#coding = coding; return this; }
    on(event, f) {
      super.on(event, f);
      if (!this.#told && ['data', 'end', 'readable'].includes(event)) {
        this.#told = true;
        kit.nextTick(() => this.#tell());
      }
      return this;
    }
    #tell() {
      if (!this.emit('readable')) {
        const data = this.read();
        if (data !== null) this.emit('data', data);
      }
      this.emit('end');
      this.emit('close');
    }
    read() {
      const bytes = this.#taken ? [] : host.stdin();
      this.#taken = true;
      if (bytes.length === 0) return null;
      return this.#coding === null ? kit.toBuffer(bytes) : kit.encoding(this.#coding).to(bytes);
    }
    resume() { return this.on('data', () => {}); }
    pause() { return this; }
    async *[Symbol.asyncIterator]() { const data = this.read(); if (data !== null) yield data; }
  }

  const settings = { cwd: '/', exitCode: undefined };
  const process = Object.assign(new EventEmitter(), {
    title: 'wb', platform: 'wasi', arch: 'wasm32', pid: 1, ppid: 0, version: 'v20.0.0', versions: { node: '20.0.0', quickjs: 'ng' },
    release: { name: 'quickjs' }, execArgv: [], execPath: 'wb', argv: [], argv0: 'node', env: {}, exitCode: undefined,
    stdout: stream(1), stderr: stream(2), stdin: new Input(),
    cwd: () => settings.cwd,
    chdir: () => { throw new Error('process.chdir is not there in the sandbox; use :dir'); },
    exit: (code = process.exitCode ?? 0) => { leave(code); host.exit(Number(code) & 255); },
    abort: () => host.exit(134),
    nextTick: kit.nextTick,
    uptime: () => now() / 1000,
    hrtime: Object.assign(before => {
      const ns = BigInt(Math.round(now() * 1e6)) - (before ? BigInt(before[0]) * 1000000000n + BigInt(before[1]) : 0n);
      return [Number(ns / 1000000000n), Number(ns % 1000000000n)];
    }, { bigint: () => BigInt(Math.round(now() * 1e6)) }),
    memoryUsage: Object.assign(() => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }), { rss: () => 0 }),
    emitWarning: w => kit.warn(w instanceof Error ? `${w.name}: ${w.message}` : `${w}`),
    umask: () => 0o22, getuid: () => 0, getgid: () => 0, features: {}, config: {},
  });
  let left = false;
  const leave = code => { if (!left) { left = true; process.emit('exit', Number(code)); } };
  define('process', process);
  kit.onBegin.push(({ args, dir }) => {
    process.argv = ['node', '/block.js', ...args];
    process.exitCode = undefined;
    process.stdin = new Input();
    settings.cwd = dir;
    left = false;
    define('scriptArgs', args);
  });
  // end tells a program that it is over and answers with its exit code.
  kit.control.end = () => {
    leave(process.exitCode ?? 0);
    return `${Number(process.exitCode ?? 0) & 255}`;
  };

  // util

  function deepEqual(a, b, strict, pairs = []) {
    if (strict ? is(a, b) : a == b || Number.isNaN(a) && Number.isNaN(b)) return true;
    if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
    const kind = host.kind(a);
    if (kind !== host.kind(b) || Array.isArray(a) !== Array.isArray(b) || strict && getPrototypeOf(a) !== getPrototypeOf(b)) return false;
    if (pairs.some(([x, y]) => x === a && y === b)) return true;
    pairs = [...pairs, [a, b]];
    const same = (x, y) => deepEqual(x, y, strict, pairs);
    switch (kind) {
      case 'Date': if (!is(a.getTime(), b.getTime())) return false; break;
      case 'RegExp': if (String(a) !== String(b)) return false; break;
      case 'Error': if (a.message !== b.message || a.name !== b.name) return false; break;
      case 'Number': case 'String': case 'Boolean': case 'BigInt': case 'Symbol': if (!is(a.valueOf(), b.valueOf())) return false; break;
      case 'Set': if (a.size !== b.size || ![...a].every(x => b.has(x) || [...b].some(y => same(x, y)))) return false; break;
      case 'Map': if (a.size !== b.size || ![...a].every(([k, x]) => b.has(k) ? same(x, b.get(k)) : [...b].some(([j, y]) => same(k, j) && same(x, y)))) return false; break;
      case 'ArrayBuffer': return same(new Uint8Array(a), new Uint8Array(b));
    }
    const members = o => [...Object.keys(o), ...strict ? getOwnPropertySymbols(o).filter(k => Object.prototype.propertyIsEnumerable.call(o, k)) : []];
    const keys = members(a);
    return a.length === b.length && keys.length === members(b).length && keys.every(k => hasOwn(b, k) && same(a[k], b[k]));
  }

  const isKind = (...kinds) => v => v !== null && (typeof v === 'object' || typeof v === 'function') && kinds.includes(host.kind(v));
  const types = {
    isDate: isKind('Date'), isRegExp: isKind('RegExp'), isMap: isKind('Map'), isSet: isKind('Set'), isWeakMap: isKind('WeakMap'), isWeakSet: isKind('WeakSet'),
    isPromise: isKind('Promise'), isNativeError: isKind('Error'), isArrayBuffer: isKind('ArrayBuffer'), isSharedArrayBuffer: isKind('SharedArrayBuffer'),
    isAnyArrayBuffer: isKind('ArrayBuffer', 'SharedArrayBuffer'), isDataView: isKind('DataView'), isUint8Array: isKind('Uint8Array'), isFloat64Array: isKind('Float64Array'),
    isGeneratorObject: isKind('Generator', 'AsyncGenerator'), isGeneratorFunction: isKind('GeneratorFunction', 'AsyncGeneratorFunction'),
    isAsyncFunction: isKind('AsyncFunction', 'AsyncGeneratorFunction'), isArgumentsObject: isKind('Arguments'),
    isBoxedPrimitive: isKind('Number', 'String', 'Boolean', 'BigInt', 'Symbol'), isMapIterator: isKind('Map Iterator'), isSetIterator: isKind('Set Iterator'),
    isTypedArray: v => ArrayBuffer.isView(v) && !(v instanceof DataView), isArrayBufferView: v => ArrayBuffer.isView(v),
    isProxy: v => host.target(v) !== undefined,
  };
  const promisify = f => (...args) => new Promise((resolve, reject) => { f(...args, (e, v) => e ? reject(e) : resolve(v)); });
  promisify.custom = Symbol.for('nodejs.util.promisify.custom');
  const util = {
    inspect, format, formatWithOptions, types, promisify, isDeepStrictEqual: (a, b) => deepEqual(a, b, true),
    callbackify: f => (...args) => { const done = args.pop(); f(...args).then(v => kit.nextTick(done, null, v), e => kit.nextTick(done, e)); },
    inherits: (f, base) => { Object.setPrototypeOf(f.prototype, base.prototype); f.super_ = base; },
    deprecate: f => f, debuglog: () => () => {}, isArray: Array.isArray, TextEncoder: kit.TextEncoder, TextDecoder: kit.TextDecoder,
    stripVTControlCharacters: text => text.replace(/[\u001b\u009b][[\]()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]/g, ''),
    styleText: (style, text) => text, toUSVString: text => `${text}`.toWellFormed(),
  };

  // assert

  class AssertionError extends Error {
    constructor({ message, actual, expected, operator }) {
      super(message);
      Object.assign(this, { generatedMessage: false, code: 'ERR_ASSERTION', actual, expected, operator });
    }
    get name() { return 'AssertionError'; }
  }
  const failed = (message, actual, expected, operator, text) => {
    if (message instanceof Error) throw message;
    throw new AssertionError({ message: message ?? text, actual, expected, operator });
  };
  const compare = (operator, ok, headline) => (actual, expected, message) => {
    if (ok(actual, expected)) return;
    const text = operator.startsWith('not') ? `${headline} ${inspect(expected)}` : `${headline}\n\n${inspect(actual)} !== ${inspect(expected)}\n`;
    failed(message, actual, expected, operator, text);
  };
  const assert = (v, message) => { if (!v) failed(message, v, true, '==', 'The expression evaluated to a falsy value'); };
  const matches = (e, want) => want === undefined || typeof want === 'string' || (want instanceof RegExp ? want.test(String(e))
    : typeof want === 'function' ? want.prototype !== undefined && e instanceof want || want.prototype === undefined && want(e) === true
      : Object.keys(want).every(k => want[k] instanceof RegExp && typeof e[k] === 'string' ? want[k].test(e[k]) : deepEqual(e[k], want[k], true)));
  Object.assign(assert, {
    AssertionError, ok: assert,
    equal: compare('==', (a, b) => a == b || Number.isNaN(a) && Number.isNaN(b), 'Expected values to be loosely equal:'),
    notEqual: compare('notEqual', (a, b) => a != b, 'Expected "actual" to be loosely unequal to:'),
    strictEqual: compare('strictEqual', is, 'Expected values to be strictly equal:'),
    notStrictEqual: compare('notStrictEqual', (a, b) => !is(a, b), 'Expected "actual" to be strictly unequal to:'),
    deepEqual: compare('deepEqual', (a, b) => deepEqual(a, b, false), 'Expected values to be loosely deep-equal:'),
    deepStrictEqual: compare('deepStrictEqual', (a, b) => deepEqual(a, b, true), 'Expected values to be strictly deep-equal:'),
    notDeepEqual: compare('notDeepEqual', (a, b) => !deepEqual(a, b, false), 'Expected "actual" not to be loosely deep-equal to:'),
    notDeepStrictEqual: compare('notDeepStrictEqual', (a, b) => !deepEqual(a, b, true), 'Expected "actual" not to be strictly deep-equal to:'),
    match: (text, re, message) => { if (!re.test(text)) failed(message, text, re, 'match', `The input did not match the regular expression ${re}. Input:\n\n${inspect(text)}\n`); },
    doesNotMatch: (text, re, message) => { if (re.test(text)) failed(message, text, re, 'doesNotMatch', `The input was expected to not match the regular expression ${re}. Input:\n\n${inspect(text)}\n`); },
    fail: message => failed(message, undefined, undefined, 'fail', 'Failed'),
    ifError: e => { if (e !== null && e !== undefined) throw e; },
    throws(f, want, message = typeof want === 'string' ? want : undefined) {
      let caught;
      try { f(); } catch (e) { caught = [e]; }
      if (caught === undefined) failed(message, undefined, want, 'throws', 'Missing expected exception.');
      if (!matches(caught[0], want)) throw caught[0];
    },
    doesNotThrow(f, message) { try { f(); } catch (e) { failed(typeof message === 'string' ? message : undefined, e, undefined, 'doesNotThrow', `Got unwanted exception.\nActual message: "${e?.message}"`); } },
    async rejects(p, want, message = typeof want === 'string' ? want : undefined) {
      let caught;
      try { await (typeof p === 'function' ? p() : p); } catch (e) { caught = [e]; }
      if (caught === undefined) failed(message, undefined, want, 'rejects', 'Missing expected rejection.');
      if (!matches(caught[0], want)) throw caught[0];
    },
    async doesNotReject(p) { try { await (typeof p === 'function' ? p() : p); } catch (e) { failed(undefined, e, undefined, 'doesNotReject', `Got unwanted rejection.\nActual message: "${e?.message}"`); } },
  });
  assert.strict = assert;

  // readline, for reading standard input line by line

  class Lines extends EventEmitter {
    #lines;
    constructor({ input }) {
      super();
      const text = input === process.stdin ? host.decode(host.stdin(), false) : String(input.read?.() ?? '');
      this.#lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
      kit.nextTick(() => {
        if (this.listenerCount('line') > 0) while (this.#lines.length > 0) this.emit('line', this.#lines.shift());
        this.emit('close');
      });
    }
    async *[Symbol.asyncIterator]() { while (this.#lines.length > 0) yield this.#lines.shift(); }
    question(text, options, done) {
      host.write(1, text);
      kit.nextTick(typeof options === 'function' ? options : done, this.#lines.shift() ?? '');
    }
    close() { this.#lines = []; }
  }

  // require

  const wait = (ms, v) => new Promise(resolve => { setTimeout(resolve, ms, v); });
  const modules = {
    assert, 'assert/strict': assert, buffer: { Buffer, atob, btoa, kMaxLength: 2 ** 31 - 1, constants: { MAX_LENGTH: 2 ** 31 - 1 } }, console, crypto: kit.crypto, zlib: kit.zlib, events: EventEmitter, fs: kit.fs, 'fs/promises': kit.fs.promises,
    os: { EOL: '\n', platform: () => 'wasi', type: () => 'WASI', arch: () => 'wasm32', tmpdir: () => '/tmp', homedir: () => '/', hostname: () => 'wb', cpus: () => [], availableParallelism: () => 1, release: () => '', version: () => '', machine: () => 'wasm32', uptime: () => now() / 1000, loadavg: () => [0, 0, 0], networkInterfaces: () => ({}), userInfo: () => ({ username: 'wb', uid: 0, gid: 0, shell: null, homedir: '/' }), constants: { signals: {} }, devNull: '/dev/null', endianness: () => 'LE', totalmem: () => 0, freemem: () => 0 },
    path: kit.path, 'path/posix': kit.path, perf_hooks: { performance }, process, querystring: {
      parse: text => { const out = Object.create(null); for (const [k, v] of new URLSearchParams(text)) out[k] = hasOwn(out, k) ? [out[k], v].flat() : v; return out; },
      stringify: o => Object.entries(o).flatMap(([k, v]) => [v].flat().map(x => `${encodeURIComponent(k)}=${encodeURIComponent(x)}`)).join('&'),
      escape: encodeURIComponent, unescape: decodeURIComponent,
    },
    readline: { createInterface: options => new Lines(options) },
    string_decoder: { StringDecoder: class StringDecoder { #d; constructor(coding) { this.#d = new TextDecoder(coding); } write(b) { return this.#d.decode(b, { stream: true }); } end(b) { return this.#d.decode(b); } } },
    timers: { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate }, 'timers/promises': { setTimeout: wait, setImmediate: v => wait(0, v) },
    module: { createRequire: () => requireFrom('block.js'), get builtinModules() { return Object.keys(modules); }, isBuiltin: name => hasOwn(modules, `${name}`.replace(/^node:/, '')) },
    url: { URL, URLSearchParams, fileURLToPath: u => decodeURIComponent(new URL(u).pathname), pathToFileURL: p => new URL(`file://${kit.path.resolve(p)}`) }, util, 'util/types': types,
  };
  const refused = {
    child_process: 'there are no processes in the sandbox', cluster: 'there are no processes in the sandbox', worker_threads: 'there are no threads in the sandbox',
    vm: 'code is evaluated with eval or new Function', stream: 'streams are not there; read whole files with fs.readFileSync',
  };
  for (const name of ['http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns']) refused[name] = 'the network is a capability that this block was not granted';

  const loaded = new Map();
  function requireFrom(base) {
    const require = name => {
      const bare = `${name}`.replace(/^node:/, '');
      if (hasOwn(modules, bare)) return modules[bare];
      const [file, source] = host.source(base, `${name}`);
      if (loaded.has(file)) return loaded.get(file).exports;
      const module = { exports: {}, id: file, filename: `/${file}`, loaded: false, children: [], paths: [] };
      loaded.set(file, module);
      try {
        if (file.endsWith('.json')) module.exports = JSON.parse(source);
        else {
          const ns = host.module(file);
          if (ns !== undefined) module.exports = 'module.exports' in ns ? ns['module.exports'] : ns;
          else {
            const f = host.evaluate(`(function (exports, require, module, __filename, __dirname) {${source.replace(/^#!.*/, '')}\n})`, file);
            module.require = requireFrom(file);
            f.call(module.exports, module.exports, module.require, module, module.filename, kit.path.dirname(module.filename));
          }
        }
      } catch (e) { loaded.delete(file); throw e; }
      module.loaded = true;
      return module.exports;
    };
    require.resolve = name => hasOwn(modules, `${name}`.replace(/^node:/, '')) ? name : `/${host.source(base, `${name}`)[0]}`;
    require.cache = {};
    return require;
  }
  // exports lists the names under which a CommonJS file can be imported.
  kit.control.exports = file => {
    const m = requireFrom('block.js')(file);
    if (m === null || typeof m !== 'object' && typeof m !== 'function') return '[]';
    const names = new Set();
    for (let o = m; o !== null && o !== Object.prototype && o !== Function.prototype; o = getPrototypeOf(o)) for (const k of Object.getOwnPropertyNames(o)) names.add(k);
    if (typeof m === 'function') for (const k of ['length', 'name', 'prototype', 'arguments', 'caller']) names.delete(k);
    return JSON.stringify([...names].filter(k => k !== 'default' && k !== 'constructor' && /^[A-Za-z_$][\w$]*$/.test(k)));
  };
  kit.builtin = modules;
  kit.refused = refused;
  kit.requireFrom = requireFrom;
  define('require', requireFrom('block.js'));
  define('global', globalThis);
  kit.onBegin.push(() => { loaded.clear(); });
})
