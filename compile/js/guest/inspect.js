// inspect(value, options) shows values as node's util.inspect does, so that
// console.log and :results value read the same here as in Emacs with node.
// The layout rules (line width 80, three inner levels on a line, columns for
// long arrays) are node 20's; testdata/inspect*.js compares them value by
// value.
(kit => {
  'use strict';
  const { host } = kit;
  const { keys: ownKeys, getOwnPropertyNames, getOwnPropertySymbols, getOwnPropertyDescriptor, getPrototypeOf, hasOwn } = Object;
  const isEnumerable = (o, k) => Object.prototype.propertyIsEnumerable.call(o, k);
  const custom = Symbol.for('nodejs.util.inspect.custom');
  const builtIn = new Set(getOwnPropertyNames(globalThis).filter(name => /^[A-Z]/.test(name)));
  const defaults = {
    showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100,
    maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false,
  };

  // Kinds of entries: members of an object, or elements of an array, which may
  // be laid out in columns, and its members.
  const MEMBER = 0, EXTRA = 1;

  // Text

  const short = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 39: "\\'", 92: '\\\\' };
  const needsEscape = /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const escapeOne = c => {
    const code = c.charCodeAt(0);
    if (code in short) return short[code];
    return code > 0xff ? '\\u' + code.toString(16) : '\\x' + code.toString(16).toUpperCase().padStart(2, '0');
  };
  const escape = text => text.replace(needsEscape, escapeOne);

  // quote writes a string as a literal with the quotes that need least escaping.
  const plainText = /^[\x20-\x26\x28-\x5b\x5d-\x7e]*$/;
  function quote(text) {
    if (plainText.test(text)) return `'${text}'`;
    let mark = "'";
    if (text.includes("'")) {
      if (!text.includes('"')) mark = '"';
      else if (!text.includes('`') && !text.includes('${')) mark = '`';
    }
    const body = text.replace(needsEscape, c => c === "'" && mark !== "'" ? c : escapeOne(c));
    return mark + body + mark;
  }

  const number = n => Object.is(n, -0) ? '-0' : `${n}`;
  const spaces = n => ' '.repeat(n);
  const moreItems = n => `... ${n} more item${n > 1 ? 's' : ''}`;

  function string(ctx, text) {
    let rest = '';
    if (text.length > ctx.maxStringLength) {
      const more = text.length - ctx.maxStringLength;
      text = text.slice(0, ctx.maxStringLength);
      rest = `... ${more} more character${more > 1 ? 's' : ''}`;
    }
    if (ctx.compact === true || text.length <= 16 || text.length <= ctx.breakLength - ctx.indent - 4) return quote(text) + rest;
    return text.split(/(?<=\n)/).map(quote).join(` +\n${spaces(ctx.indent + 2)}`) + rest;
  }

  function primitive(ctx, v) {
    switch (typeof v) {
      case 'string': return string(ctx, v);
      case 'number': return number(v);
      case 'bigint': return `${v}n`;
      case 'symbol': return Symbol.prototype.toString.call(v);
      default: return `${v}`;
    }
  }

  // width is how many columns a terminal gives a text.
  function width(text) {
    let n = 0;
    for (const c of text) {
      const p = c.codePointAt(0);
      if (p < 0x300) { n++; continue; }
      if (p <= 0x36f || p >= 0x200b && p <= 0x200f || p >= 0x20d0 && p <= 0x20ff || p >= 0xfe00 && p <= 0xfe0f || p >= 0xfe20 && p <= 0xfe2f || p >= 0xe0100 && p <= 0xe01ef) continue;
      const wide = p >= 0x1100 && (p <= 0x115f || p === 0x2329 || p === 0x232a || p >= 0x2e80 && p <= 0x3247 && p !== 0x303f || p >= 0x3250 && p <= 0x4dbf ||
        p >= 0x4e00 && p <= 0xa4c6 || p >= 0xa960 && p <= 0xa97c || p >= 0xac00 && p <= 0xd7a3 || p >= 0xf900 && p <= 0xfaff || p >= 0xfe10 && p <= 0xfe19 ||
        p >= 0xfe30 && p <= 0xfe6b || p >= 0xff01 && p <= 0xff60 || p >= 0xffe0 && p <= 0xffe6 || p >= 0x1b000 && p <= 0x1b001 || p >= 0x1f200 && p <= 0x1f251 ||
        p >= 0x1f300 && p <= 0x1f64f || p >= 0x1f900 && p <= 0x1f9ff || p >= 0x20000 && p <= 0x3fffd);
      n += wide ? 2 : 1;
    }
    return n;
  }

  // Names

  const isInstance = (o, f) => { try { return o instanceof f; } catch { return false; } };

  // maker is the name of the constructor that made an object: the nearest one
  // on its prototype chain, null when it has no prototype.
  function maker(ctx, o, level) {
    const start = o;
    let first;
    while (o) {
      const d = getOwnPropertyDescriptor(o, 'constructor');
      if (d !== undefined && typeof d.value === 'function' && d.value.name !== '' && isInstance(start, d.value)) return String(d.value.name);
      o = getPrototypeOf(o);
      if (first === undefined) first = o;
    }
    if (first === null) return null;
    const kind = host.kind(start);
    if (level > ctx.depth) return `${kind} <Complex prototype>`;
    const above = maker(ctx, first, level + 1);
    return above === null ? `${kind} <${inspect(first, { ...ctx.options, customInspect: false, depth: -1 })}>` : `${kind} <${above}>`;
  }

  // prefix is what stands before the brace: Foo(2) [Tag].
  function prefix(name, tag, fallback, size = '') {
    if (name === null) return tag !== '' && fallback !== tag ? `[${fallback}${size}: null prototype] [${tag}] ` : `[${fallback}${size}: null prototype] `;
    return tag !== '' && name !== tag ? `${name}${size} [${tag}] ` : `${name}${size} `;
  }

  function functionText(f, name, tag) {
    const source = Function.prototype.toString.call(f);
    if (/^class(?![\w$])/.test(source)) {
      const own = hasOwn(f, 'name') && f.name || '(anonymous)';
      let text = `class ${own}`;
      if (name !== 'Function' && name !== null) text += ` [${name}]`;
      if (tag !== '' && name !== tag) text += ` [${tag}]`;
      if (name === null) text += ' extends [null prototype]';
      else if (getPrototypeOf(f).name) text += ` extends ${getPrototypeOf(f).name}`;
      return `[${text}]`;
    }
    const kind = host.kind(f);
    let type = 'Function';
    if (kind === 'GeneratorFunction' || kind === 'AsyncGeneratorFunction') type = `Generator${type}`;
    if (kind === 'AsyncFunction' || kind === 'AsyncGeneratorFunction') type = `Async${type}`;
    let text = `[${type}${name === null ? ' (null prototype)' : ''}${f.name === '' ? ' (anonymous)' : `: ${f.name}`}]`;
    if (name !== type && name !== null) text += ` ${name}`;
    if (tag !== '' && name !== tag) text += ` [${tag}]`;
    return text;
  }

  // Errors

  // stackOf is an error's stack with the headline that other engines put there.
  function stackOf(e) {
    const name = e.name == null ? 'Error' : String(e.name), message = e.message === undefined ? '' : String(e.message);
    const head = message === '' ? name : name === '' ? message : `${name}: ${message}`;
    const stack = typeof e.stack === 'string' ? e.stack.replace(/\n+$/, '') : '';
    if (stack === '') return head;
    return /^ {4}at /.test(stack) ? `${head}\n${stack}` : stack;
  }

  function errorText(ctx, e, name, tag, keys) {
    const own = e.name == null ? 'Error' : String(e.name);
    let stack = stackOf(e);
    for (const k of ['name', 'message', 'stack']) {
      const i = keys.indexOf(k);
      if (i >= 0 && (typeof e[k] !== 'string' || stack.includes(e[k]) || k === 'stack')) keys.splice(i, 1);
    }
    if ('cause' in e && !keys.includes('cause')) keys.push('cause');
    if (Array.isArray(e.errors) && !keys.includes('errors')) keys.push('errors');
    // The class is shown where the name does not tell it.
    if (name === null || own.endsWith('Error') && stack.startsWith(own) && (stack.length === own.length || ':\n'.includes(stack[own.length]))) {
      const want = prefix(name, tag, 'Error').slice(0, -1);
      if (own !== want) stack = want.includes(own) ? own === '' ? `${want}: ${stack}` : want + stack.slice(own.length) : `${want} [${own}]${stack.slice(own.length)}`;
    }
    if (!/\n {4}at /.test(stack)) stack = `[${stack}]`;
    return ctx.indent === 0 ? stack : stack.replaceAll('\n', `\n${spaces(ctx.indent)}`);
  }

  // Values

  function value(ctx, v, level, inBuffer) {
    if (v === null || typeof v !== 'object' && typeof v !== 'function') return primitive(ctx, v);
    const outer = v;
    let kind = host.kind(v);
    if (kind === 'Proxy') {
      const behind = host.target(v);
      if (behind === null || behind === undefined) return '<Revoked Proxy>';
      if (ctx.showProxy) return level > ctx.depth ? 'Proxy [Array]' : layOut(ctx, [value(ctx, behind, level + 1)], '', ['Proxy [', ']'], EXTRA, level + 1);
      v = behind;
      kind = host.kind(v);
      if (kind === 'Proxy') return value(ctx, v, level, inBuffer);
    }
    if (ctx.customInspect) {
      const hook = v[custom];
      if (typeof hook === 'function' && hook !== inspect && !(v.constructor && v.constructor.prototype === v)) {
        const shown = hook.call(outer, ctx.depth === Infinity ? null : ctx.depth - level, { ...defaults, ...ctx.options, stylize: text => `${text}` }, inspect);
        if (shown !== outer) return typeof shown === 'string' ? shown.replaceAll('\n', `\n${spaces(ctx.indent)}`) : value(ctx, shown, level);
      }
    }
    if (ctx.seen.includes(v)) {
      ctx.circular ??= new Map();
      if (!ctx.circular.has(v)) ctx.circular.set(v, ctx.circular.size + 1);
      return `[Circular *${ctx.circular.get(v)}]`;
    }
    return object(ctx, v, level, kind, inBuffer);
  }

  const isIndex = key => typeof key === 'string' && /^(0|[1-9]\d*)$/.test(key) && Number(key) < 4294967295;
  function membersOf(ctx, o) {
    const symbols = getOwnPropertySymbols(o);
    if (ctx.showHidden) return [...getOwnPropertyNames(o), ...symbols];
    return symbols.length === 0 ? ownKeys(o) : [...ownKeys(o), ...symbols.filter(k => isEnumerable(o, k))];
  }

  // shape decides how an object is shown: what stands before the braces, what
  // is listed inside, or the whole text when there is nothing to list.
  function shape(ctx, v, level, kind, inBuffer) {
    const s = { name: 'Object', tag: '', base: '', open: '{', close: '}', entries: nothing, extra: MEMBER, keys: undefined, text: undefined };
    if (getPrototypeOf(v) === Object.prototype && !(Symbol.iterator in v) && !(Symbol.toStringTag in v) && !hasOwn(v, 'constructor') && kind === 'Object') {
      s.keys = membersOf(ctx, v);
      if (s.keys.length === 0) s.text = '{}';
      return s;
    }
    return unusual(ctx, s, v, level, kind, inBuffer);
  }
  const nothing = () => [];

  function unusual(ctx, s, v, level, kind, inBuffer) {
    const name = kind === 'Array' && getPrototypeOf(v) === Array.prototype ? 'Array' : maker(ctx, v, level);
    let tag = v[Symbol.toStringTag];
    if (typeof tag !== 'string' || tag !== '' && (ctx.showHidden ? hasOwn(v, Symbol.toStringTag) : isEnumerable(v, Symbol.toStringTag))) tag = '';
    const keys = membersOf(ctx, v);
    s.name = name;
    s.tag = tag;
    s.keys = keys;
    const done = text => { if (s.keys.length === 0) s.text = text; return s; };

    if (Symbol.iterator in v || name === null) {
      if (Array.isArray(v)) {
        s.keys = keys.length === 0 || keys[keys.length - 1] === `${v.length - 1}` ? [] : keys.filter(k => !isIndex(k)); // indices come first
        s.open = `${name !== 'Array' || tag !== '' ? prefix(name, tag, 'Array', `(${v.length})`) : ''}[`;
        s.close = ']';
        s.extra = EXTRA;
        s.entries = elements;
        return v.length === 0 ? done(`${s.open}]`) : s;
      }
      if (kind === 'Set' || kind === 'Map') {
        const size = kind === 'Set' ? setSize(v) : mapSize(v), p = prefix(name, tag, kind, `(${size})`);
        s.open = `${p}{`;
        s.entries = kind === 'Set' ? setItems : mapItems;
        return size === 0 ? done(`${p}{}`) : s;
      }
      if (ArrayBuffer.isView(v) && kind !== 'DataView') {
        s.keys = keys.filter(k => !isIndex(k));
        s.open = `${prefix(name, tag, name === null ? kind : '', `(${v.length})`)}[`;
        s.close = ']';
        s.extra = EXTRA;
        s.entries = numbers;
        return v.length === 0 && !ctx.showHidden ? done(`${s.open}]`) : s;
      }
      if (kind === 'Map Iterator' || kind === 'Set Iterator') {
        s.open = `${tag !== kind ? `[${kind}] ` : ''}[${tag}] {`;
        s.entries = kind === 'Map Iterator' ? mapIterator : setIterator;
        return s;
      }
    }
    if (typeof v === 'function') {
      s.base = functionText(v, name, tag);
      return done(s.base);
    }
    if (name === 'Object' && kind !== 'Error') {
      if (kind === 'Arguments') s.open = '[Arguments] {';
      else if (tag !== '') s.open = `${prefix(name, tag, 'Object')}{`;
      return done(`${s.open}}`);
    }
    switch (kind) {
      case 'RegExp': {
        const p = prefix(name, tag, 'RegExp');
        s.base = (p !== 'RegExp ' ? p : '') + RegExp.prototype.toString.call(name !== null ? v : new RegExp(v));
        if (level > ctx.depth) s.text = s.base;
        return done(s.base);
      }
      case 'Date': {
        const p = prefix(name, tag, 'Date'), time = Date.prototype.getTime.call(v);
        s.base = (p !== 'Date ' ? p : '') + (Number.isNaN(time) ? 'Invalid Date' : Date.prototype.toISOString.call(v));
        return done(s.base);
      }
      case 'ArrayBuffer': case 'SharedArrayBuffer': {
        const p = prefix(name, tag, kind);
        if (inBuffer) { if (keys.length === 0) s.text = `${p}{ byteLength: ${v.byteLength} }`; } else s.entries = bufferBytes;
        s.open = `${p}{`;
        s.keys = ['byteLength', ...keys];
        return s;
      }
      case 'DataView':
        s.open = `${prefix(name, tag, kind)}{`;
        s.keys = ['byteLength', 'byteOffset', 'buffer', ...keys];
        return s;
      case 'Promise': s.open = `${prefix(name, tag, kind)}{`; s.entries = promiseState; return s;
      case 'WeakSet': case 'WeakMap': s.open = `${prefix(name, tag, kind)}{`; s.entries = () => ['<items unknown>']; return s;
      case 'WeakRef': s.open = `${prefix(name, tag, kind)}{`; s.entries = (ctx, w, l) => [value(ctx, w.deref(), l)]; return s;
      case 'Module': s.open = `${prefix(name, tag, kind)}{`; return s;
      case 'Number': case 'String': case 'Boolean': case 'BigInt': case 'Symbol': {
        if (kind === 'String') s.keys = keys.filter(k => !isIndex(k) && k !== 'length' || typeof k === 'symbol');
        const bare = globalThis[kind].prototype.valueOf.call(v);
        let text = `[${kind}`;
        if (kind !== name) text += name === null ? ' (null prototype)' : ` (${name})`;
        text += `: ${primitive({ ...ctx, compact: true, maxStringLength: Infinity }, bare)}]`;
        if (tag !== '' && tag !== name) text += ` [${tag}]`;
        s.base = text;
        return done(text);
      }
    }
    if (kind === 'Error' || isInstance(v, Error)) {
      s.base = errorText(ctx, v, name, tag, keys);
      return done(s.base);
    }
    s.open = `${prefix(name, tag, kind)}{`;
    return done(`${s.open}}`);
  }

  function object(ctx, v, level, kind, inBuffer) {
    const s = shape(ctx, v, level, kind, inBuffer);
    if (s.text !== undefined) return s.text;
    if (level > ctx.depth) {
      const shown = prefix(s.name, s.tag, kind).slice(0, -1);
      return s.name !== null ? `[${shown}]` : shown;
    }
    ctx.seen.push(v);
    ctx.deepest = level + 1;
    const output = s.entries(ctx, v, level + 1);
    for (const key of s.keys) output.push(property(ctx, v, key, level + 1, s.extra));
    ctx.seen.pop();
    const mark = ctx.circular?.get(v);
    if (mark !== undefined) {
      const ref = `<ref *${mark}>`;
      if (ctx.compact !== true) s.base = s.base === '' ? ref : `${ref} ${s.base}`;
      else s.open = `${ref} ${s.open}`;
    }
    if (ctx.sorted) {
      const by = ctx.sorted === true ? undefined : ctx.sorted;
      if (s.extra === MEMBER) output.sort(by);
      else if (s.keys.length > 1) output.splice(output.length - s.keys.length, s.keys.length, ...output.slice(output.length - s.keys.length).sort(by));
    }
    return layOut(ctx, output, s.base, [s.open, s.close], s.extra, level + 1, v);
  }

  // Entries

  const mapSize = m => Object.getOwnPropertyDescriptor(Map.prototype, 'size').get.call(m);
  const setSize = m => Object.getOwnPropertyDescriptor(Set.prototype, 'size').get.call(m);

  // limited shows the first entries of a collection, indented.
  function limited(ctx, list, each) {
    const out = [], limit = Math.max(0, ctx.maxArrayLength);
    ctx.indent += 2;
    let i = 0;
    for (const x of list) if (i++ < limit) out.push(each(x)); else break;
    ctx.indent -= 2;
    return out;
  }

  function withRest(ctx, out, size) {
    const more = size - Math.min(size, Math.max(0, ctx.maxArrayLength));
    if (more > 0) out.push(moreItems(more));
    return out;
  }

  const setItems = (ctx, v, level) => withRest(ctx, limited(ctx, Set.prototype.values.call(v), x => value(ctx, x, level)), setSize(v));
  const mapItems = (ctx, v, level) => withRest(ctx, limited(ctx, Map.prototype.entries.call(v), ([k, x]) => `${value(ctx, k, level)} => ${value(ctx, x, level)}`), mapSize(v));

  // Iterators cannot be looked into without using them up.
  const mapIterator = () => ['<items unknown>'], setIterator = mapIterator;

  function elements(ctx, v, level) {
    const out = [], limit = Math.min(Math.max(0, ctx.maxArrayLength), v.length);
    let i = 0;
    ctx.indent += 2;
    while (i < v.length && out.length < limit) {
      const x = v[i];
      if (x !== undefined || hasOwn(v, i)) { out.push(value(ctx, x, level)); i++; continue; }
      const from = i;
      while (i < v.length && !hasOwn(v, i)) i++;
      out.push(`<${i - from} empty item${i - from > 1 ? 's' : ''}>`);
    }
    ctx.indent -= 2;
    if (i < v.length) out.push(moreItems(v.length - i));
    return out;
  }

  function numbers(ctx, v, level) {
    const limit = Math.min(Math.max(0, ctx.maxArrayLength), v.length), out = [];
    for (let i = 0; i < limit; i++) out.push(primitive(ctx, v[i]));
    if (v.length > limit) out.push(moreItems(v.length - limit));
    if (ctx.showHidden) {
      ctx.indent += 2;
      for (const k of ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer']) out.push(`[${k}]: ${value(ctx, v[k], level, true)}`);
      ctx.indent -= 2;
    }
    return out;
  }

  function bufferBytes(ctx, v) {
    let bytes;
    try { bytes = new Uint8Array(v); } catch { return ['(detached)']; }
    const limit = Math.min(Math.max(0, ctx.maxArrayLength), 50, bytes.length), more = bytes.length - Math.min(Math.max(0, ctx.maxArrayLength), bytes.length);
    let text = Array.from(bytes.subarray(0, limit), b => b.toString(16).padStart(2, '0')).join(' ');
    if (bytes.length > limit) text += ` ... ${bytes.length - limit} more byte${bytes.length - limit > 1 ? 's' : ''}`;
    return [`[Uint8Contents]: <${text}>`];
  }

  function promiseState(ctx, v, level) {
    const state = host.promise(v);
    if (state === undefined) return ['<pending>'];
    ctx.indent += 2;
    const text = value(ctx, state[1], level);
    ctx.indent -= 2;
    return [state[0] ? text : `<rejected> ${text}`];
  }

  function property(ctx, o, key, level, kind) {
    const d = getOwnPropertyDescriptor(o, key) ?? { value: o[key], enumerable: true };
    let text, gap = ' ';
    if (d.value !== undefined) {
      const step = ctx.compact !== true || kind !== MEMBER ? 2 : 3;
      ctx.indent += step;
      text = value(ctx, d.value, level);
      if (step === 3 && ctx.breakLength < width(text)) gap = `\n${spaces(ctx.indent)}`;
      ctx.indent -= step;
    } else if (d.get !== undefined) text = getter(ctx, o, d, level);
    else text = d.set !== undefined ? '[Setter]' : 'undefined';
    return `${nameOf(key, d.enumerable)}:${gap}${text}`;
  }

  const names = new Map(); // of ordinary members, since most come again
  function nameOf(key, enumerable) {
    if (typeof key === 'symbol') return `[${escape(Symbol.prototype.toString.call(key))}]`;
    if (key === '__proto__') return "['__proto__']";
    if (enumerable === false) return `[${escape(key)}]`;
    let name = names.get(key);
    if (name === undefined) {
      name = /^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key) ? key : quote(key);
      if (names.size < 1000) names.set(key, name);
    }
    return name;
  }

  function getter(ctx, o, d, level) {
    const label = d.set !== undefined ? 'Getter/Setter' : 'Getter';
    if (!(ctx.getters === true || ctx.getters === 'get' && d.set === undefined || ctx.getters === 'set' && d.set !== undefined)) return `[${label}]`;
    try {
      const got = d.get.call(o);
      ctx.indent += 2;
      const text = got !== null && typeof got === 'object' ? `[${label}] ${value(ctx, got, level)}` : `[${label}: ${primitive(ctx, got)}]`;
      ctx.indent -= 2;
      return text;
    } catch (e) { return `[${label}: <Inspection threw (${e.message})>]`; }
  }

  // Layout

  // layOut puts entries on one line where they are short and not too deep,
  // else on a line each.
  function layOut(ctx, output, base, [open, close], kind, level, v) {
    const lead = base === '' ? '' : `${base} `;
    if (ctx.compact === true) {
      if (fits(ctx, output, 0, base)) return `${open}${base === '' ? '' : ` ${base}`} ${output.join(', ')} ${close}`;
      const pad = spaces(ctx.indent);
      const line = base === '' && open.length === 1 ? ' ' : `${base === '' ? '' : ` ${base}`}\n${pad}  `;
      return `${open}${line}${output.join(`,\n${pad}  `)} ${close}`;
    }
    if (ctx.compact >= 1) {
      const before = output.length;
      if (kind === EXTRA && before > 6) output = columns(ctx, output, v);
      if (ctx.deepest - level < ctx.compact && before === output.length) {
        if (fits(ctx, output, output.length + ctx.indent + open.length + base.length + 10, base)) {
          const line = output.join(', ');
          if (!line.includes('\n')) return `${lead}${open} ${line} ${close}`;
        }
      }
    }
    const pad = `\n${spaces(ctx.indent)}`;
    return `${lead}${open}${pad}  ${output.join(`,${pad}  `)}${pad}${close}`;
  }

  function fits(ctx, output, start, base) {
    let total = output.length + start;
    if (total + output.length > ctx.breakLength) return false;
    for (const text of output) if ((total += text.length) > ctx.breakLength) return false;
    return base === '' || !base.includes('\n');
  }

  // columns lines up the entries of a long array of short entries: about as
  // wide as high, a character being 2.5 times as high as wide.
  function columns(ctx, output, v) {
    const count = ctx.maxArrayLength < output.length ? output.length - 1 : output.length, gap = 2;
    const widths = [];
    let total = 0, longest = 0;
    for (let i = 0; i < count; i++) {
      widths[i] = width(output[i]);
      total += widths[i] + gap;
      longest = Math.max(longest, widths[i]);
    }
    const cell = longest + gap;
    if (!(cell * 3 + ctx.indent < ctx.breakLength && (total / cell > 5 || longest <= 6))) return output;
    const biased = Math.max(cell - 3 - Math.sqrt(cell - total / output.length), 1);
    const across = Math.min(Math.round(Math.sqrt(2.5 * biased * count) / biased), Math.floor((ctx.breakLength - ctx.indent) / cell), ctx.compact * 4, 15);
    if (across <= 1) return output;
    const columnWidths = [];
    for (let c = 0; c < across; c++) {
      let widest = 0;
      for (let i = c; i < output.length; i += across) if (widths[i] > widest) widest = widths[i];
      columnWidths.push(widest + gap);
    }
    let right = true;
    if (v !== undefined) for (let i = 0; i < output.length; i++) if (typeof v[i] !== 'number' && typeof v[i] !== 'bigint') { right = false; break; }
    const rows = [];
    for (let i = 0; i < count; i += across) {
      const end = Math.min(i + across, count);
      let row = '';
      for (let j = i; j < end; j++) {
        const size = columnWidths[j - i] + output[j].length - widths[j], last = j === end - 1;
        if (right) row += last ? output[j].padStart(size - gap) : `${output[j]}, `.padStart(size);
        else row += last ? output[j] : `${output[j]}, `.padEnd(size);
      }
      rows.push(row);
    }
    if (count < output.length) rows.push(output[count]);
    return rows;
  }

  const context = () => ({
    showHidden: false, depth: 2, customInspect: true, showProxy: false, maxArrayLength: 100, maxStringLength: 10000,
    breakLength: 80, compact: 3, sorted: false, getters: false, indent: 0, seen: [], circular: undefined, deepest: 0, options: undefined,
  });

  function inspect(v, options, depth) {
    if (options === undefined) return value(context(), v, 0);
    if (typeof options === 'boolean') options = { showHidden: options, ...depth !== undefined && { depth } };
    const ctx = { ...defaults, ...options, options, indent: options?.indentationLvl ?? 0, seen: [], circular: undefined, deepest: 0 };
    for (const k of ['depth', 'maxArrayLength', 'maxStringLength']) if (ctx[k] === null || ctx[k] === undefined) ctx[k] = k === 'depth' && ctx[k] === undefined ? 2 : Infinity;
    return value(ctx, v, 0);
  }
  inspect.custom = custom;
  inspect.defaultOptions = defaults;

  // hasBuiltInText reports whether String(v) would say no more than
  // "[object Object]": nobody has given it a toString of its own.
  function hasBuiltInText(v) {
    v = host.target(v) ?? v;
    const turns = k => typeof v[k] === 'function';
    if (!turns('toString') && !turns(Symbol.toPrimitive)) return true;
    for (let o = v; o; o = getPrototypeOf(o)) {
      if (!hasOwn(o, 'toString') && !hasOwn(o, Symbol.toPrimitive)) continue;
      if (o === v) return false;
      const d = getOwnPropertyDescriptor(o, 'constructor');
      return d !== undefined && typeof d.value === 'function' && builtIn.has(d.value.name);
    }
    return true;
  }

  kit.inspect = inspect;
  kit.quote = quote;
  kit.number = number;
  kit.width = width;
  kit.hasBuiltInText = hasBuiltInText;
})
