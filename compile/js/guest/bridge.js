// The bridge between wb and a block: how a program is started, how a function
// is called with JSON values and how what it returns becomes JSON again.
(kit => {
  'use strict';
  const { host, control, inspect, show } = kit;
  const { parse, stringify } = JSON;
  const { keys, hasOwn, getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { isArray } = Array;
  const { isFinite, isNaN, isSafeInteger } = Number;
  const apply = Reflect.apply;

  // begin prepares the VM for one job.
  control.begin = request => {
    const job = parse(request);
    for (const f of kit.onBegin) f(job);
    let raw;
    Object.defineProperty(globalThis, 'inputRaw', {
      configurable: true, enumerable: false,
      get: () => raw ??= host.decode(host.stdin(), false), set: v => { raw = v; },
    });
    if (job.random) Math.random = () => {
      const b = host.random(7);
      return b.reduce((sum, x, i) => sum * 256 + (i === 0 ? x & 31 : x), 0) / 2 ** 53;
    };
  };

  // Values from the host. A whole number that a double cannot hold arrives as
  // {"$int": "digits"} and becomes a BigInt; an object that looks like one of
  // these itself arrives as {"$int": object}. NaN and the infinities travel as
  // {"$float": "NaN"}, both ways.
  const unordinary = new Map([['NaN', NaN], ['Infinity', Infinity], ['-Infinity', -Infinity]]);
  function revive(v) {
    if (v === null || typeof v !== 'object') return v;
    if (hasOwn(v, '$int') && keys(v).length === 1) {
      if (typeof v.$int === 'string') return BigInt(v.$int);
      v = v.$int;
    } else if (hasOwn(v, '$float') && keys(v).length === 1 && unordinary.has(v.$float)) return unordinary.get(v.$float);
    for (const k of keys(v)) define(v, k, revive(v[k]));
    return v;
  }
  const define = (o, k, value) => Object.defineProperty(o, k, { value, writable: true, enumerable: true, configurable: true });

  // pick finds the function a component offers: the one that is asked for, the
  // default export, run, or the only one there is.
  function pick(ns, want) {
    const names = keys(ns).filter(k => typeof ns[k] === 'function');
    const plain = name => name.replaceAll('_', '').toLowerCase();
    for (const name of [want, 'default', 'run']) if (name !== '' && names.includes(name)) return ns[name];
    const alike = want === '' ? [] : names.filter(k => plain(k) === plain(want));
    if (alike.length === 1) return ns[alike[0]];
    if (names.length === 1) return ns[names[0]];
    if (names.length === 0) throw new TypeError(`the block exports no function: write export function ${want || 'name'}(…)`);
    throw new TypeError(`which function is meant? The block exports ${names.join(', ')}; ${want === '' ? 'make one of them the default export' : `none is called ${want}`}`);
  }

  // unwrap reads a return value as the outputs of a component. A single output
  // may be returned as it is or as the only member of an object.
  function unwrap(v, outs) {
    if (outs.length === 0) return v;
    const open = v !== null && typeof v === 'object' && !isArray(v) && host.kind(v) !== 'Map';
    if (outs.length === 1) {
      if (v === undefined) throw new TypeError(`the function returned undefined; return the value of ${outs[0]}`);
      return open && hasOwn(v, outs[0]) && keys(v).length === 1 ? v[outs[0]] : v;
    }
    if (!open) throw new TypeError(`the function must return an object with ${outs.join(', ')}; it returned ${show(v).slice(0, 80)}`);
    const missing = outs.filter(k => !hasOwn(v, k) || v[k] === undefined);
    if (missing.length > 0) throw new TypeError(`the returned object has no ${missing.join(', ')}`);
    return v;
  }

  // plain reports whether JSON.stringify writes a value as encode would: most
  // are, and it is much faster.
  function plain(v, depth) {
    switch (typeof v) {
      case 'string': case 'boolean': return true;
      case 'number': return isFinite(v);
      case 'object': break;
      default: return false;
    }
    if (v === null) return true;
    if (depth > 50) return false; // perhaps it has no end
    if (isArray(v)) {
      if (v.toJSON !== undefined) return false;
      for (let i = 0; i < v.length; i++) if (!plain(v[i], depth + 1)) return false;
      return true;
    }
    const proto = getPrototypeOf(v);
    if (proto !== Object.prototype && proto !== null || v.toJSON !== undefined || host.kind(v) !== 'Object') return false;
    for (const k in v) if (!plain(v[k], depth + 1)) return false;
    return true;
  }

  // encode writes a value as JSON. What JSON does not have is an error that
  // says where it is, not a silent null.
  function encode(root, outs) {
    const open = new Set();
    const refuse = (path, what) => { throw new TypeError(`${path === '' ? 'the result' : path} is ${what}`); };
    function members(x, path, list) {
      const out = [];
      for (const [k, v] of list) if (v !== undefined) out.push(`${stringify(k.toWellFormed())}:${walk(v, path === '' ? k : `${path}.${k}`)}`);
      return `{${out.join(',')}}`;
    }
    function items(x, path) {
      const out = [];
      let i = 0;
      for (const v of x) out.push(walk(v, `${path}[${i++}]`));
      return `[${out.join(',')}]`;
    }
    function walk(x, path) {
      switch (typeof x) {
        case 'undefined': return 'null';
        case 'boolean': return x ? 'true' : 'false';
        case 'string': return stringify(x.toWellFormed());
        case 'number':
          return isFinite(x) ? stringify(x) : `{"$float":"${x}"}`;
        case 'bigint':
          if (BigInt.asIntN(64, x) !== x && BigInt.asUintN(64, x) !== x) refuse(path, 'a BigInt of more than 64 bits; return it as a string');
          return `${x}`;
        case 'function': case 'symbol': refuse(path, `a ${typeof x}, which has no JSON form`);
      }
      if (x === null) return 'null';
      if (open.has(x)) refuse(path, 'part of itself: JSON has no cycles');
      open.add(x);
      const text = object(x, path);
      open.delete(x);
      return text;
    }
    function object(x, path) {
      if (isArray(x)) return items(x, path);
      const kind = host.kind(x);
      switch (kind) {
        case 'Promise': refuse(path, 'a promise: await it');
        case 'Date': if (isNaN(apply(Date.prototype.getTime, x, []))) refuse(path, 'an invalid Date'); break;
        case 'RegExp': case 'WeakMap': case 'WeakSet': case 'WeakRef': case 'Generator': case 'AsyncGenerator': case 'ArrayBuffer': case 'DataView':
          refuse(path, `a ${kind}, which has no JSON form`);
        case 'Error': return members(x, path, [['name', `${x.name}`], ['message', `${x.message}`], ...keys(x).map(k => [k, x[k]])]);
        case 'Set': return items(apply(Set.prototype.values, x, []), path);
        case 'Map': return members(x, path, [...apply(Map.prototype.entries, x, [])].map(([k, v]) => {
          if (typeof k === 'object' && k !== null || typeof k === 'function' || typeof k === 'symbol') refuse(path, `a Map with the key ${show(k).slice(0, 40)}; keys of a JSON object are text`);
          return [`${k}`, v];
        }));
        case 'Number': case 'String': case 'Boolean': case 'BigInt': return walk(x.valueOf(), path);
      }
      if (typeof x.toJSON === 'function' && !ArrayBuffer.isView(x)) return walk(x.toJSON(), path);
      if (ArrayBuffer.isView(x)) return items(x, path);
      return members(x, path, keys(x).map(k => [k, x[k]]));
    }
    const v = unwrap(root, outs);
    if (outs.length < 2) return plain(v, 0) ? stringify(v) : walk(v, '');
    open.add(v);
    return members(v, '', outs.map(k => [k, v[k]]));
  }

  // call runs a component's function; the promise it answers with is for JSON.
  control.call = async (ns, request) => {
    const { func, outs, args, big } = parse(request);
    const f = pick(ns, func);
    return encode(await f(...big ? revive(args) : args), outs);
  };

  // main runs the body of a babel block, which is a function as every file of
  // node is. For a value, it answers with JSON: the text that inspect shows and,
  // where it is an array or a string, what it holds.
  control.main = (body, wantsValue) => {
    const module = { exports: {}, id: '.', filename: '/block.js', loaded: false, children: [], paths: [] };
    const require = kit.requireFrom('block.js');
    require.main = module;
    const args = [module.exports, require, module, module.filename, '/'];
    if (!wantsValue) return void apply(body, module.exports, args);
    return shown(apply(body, globalThis, args));
  };
  const shown = v => stringify({ text: inspect(v), cells: isArray(v) || typeof v === 'string' ? cells(v) : undefined });
  control.shown = shown;

  // cells is an array as table cells: numbers and nested arrays stay what they
  // are, anything else is its text, a BigInt that no number holds its digits.
  function cells(v) {
    if (isArray(v)) return Array.from(v, cells);
    if (typeof v === 'number' && isFinite(v)) return v;
    const bare = typeof v === 'string' || typeof v === 'bigint' && !isSafeInteger(Number(v));
    return (bare ? String(v) : inspect(v)).toWellFormed();
  }

  // describe tells the host about something thrown.
  control.describe = e => {
    const is = (typeof e === 'object' && e !== null) && (host.kind(e) === 'Error' || e instanceof Error);
    if (!is) return stringify({ name: 'Uncaught', message: show(e), stack: '' });
    const text = k => { try { return e[k] === undefined ? '' : `${e[k]}`; } catch { return ''; } };
    const made = (() => { try { return `${e.constructor.name}`; } catch { return ''; } })();
    const out = { name: text('name'), message: text('message'), stack: text('stack'), class: made };
    const d = getOwnPropertyDescriptor(e, 'cause') ?? getOwnPropertyDescriptor(e, 'errors');
    if (d !== undefined && d.value !== undefined) out.cause = inspect(d.value);
    return stringify(out);
  };
})
