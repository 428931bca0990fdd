// inspect(value) writes values the way node's util.inspect does with its
// default options, so that console.log and :results value read the same here
// as in Emacs with node. It is a script whose value is the function.
(() => {
  'use strict';
  const BREAK = 80, COMPACT = 3, MAX_ITEMS = 100, MAX_STRING = 10000, MAX_DEPTH = 2;
  const { getOwnPropertyNames, getOwnPropertySymbols, getOwnPropertyDescriptor, getPrototypeOf, prototype } = Object;
  const isEnumerable = (o, k) => prototype.propertyIsEnumerable.call(o, k);
  const tag = o => prototype.toString.call(o).slice(8, -1);
  const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;

  function quote(s) {
    let q = "'";
    if (s.includes("'")) q = !s.includes('"') ? '"' : !s.includes('`') && !s.includes('${') ? '`' : "'";
    const body = s.replace(/[\x00-\x1f\x7f-\x9f'\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, c => {
      if (c === "'") return q === "'" ? "\\'" : "'";
      if (c === '\\') return '\\\\';
      const short = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r' }[c];
      if (short) return short;
      const hex = c.charCodeAt(0).toString(16).toUpperCase();
      return c.charCodeAt(0) > 0xff ? '\\u' + hex.padStart(4, '0') : '\\x' + hex.padStart(2, '0');
    });
    return q + body + q;
  }

  const number = n => Object.is(n, -0) ? '-0' : `${n}`;

  function primitive(ctx, v) {
    switch (typeof v) {
      case 'string': {
        let rest = '';
        if (v.length > MAX_STRING) {
          const more = v.length - MAX_STRING;
          v = v.slice(0, MAX_STRING);
          rest = `... ${more} more character${more > 1 ? 's' : ''}`;
        }
        if (v.length > 16 && v.length > BREAK - ctx.indent - 4)
          return v.split(/(?<=\n)/).map(quote).join(` +\n${' '.repeat(ctx.indent + 2)}`) + rest;
        return quote(v) + rest;
      }
      case 'number': return number(v);
      case 'bigint': return `${v}n`;
      case 'symbol': return v.toString();
      default: return `${v}`;
    }
  }

  // constructorName walks to the nearest prototype that says who made it.
  function constructorName(o) {
    for (let p = o, first = true; p; p = getPrototypeOf(p)) {
      const d = getOwnPropertyDescriptor(p, 'constructor');
      if (d && typeof d.value === 'function' && d.value.name !== '') return d.value.name;
    }
    return null;
  }

  const prefix = (name, fallback, size) =>
    name === null ? `[${fallback}${size === undefined ? '' : `(${size})`}: null prototype] ` : `${name}${size === undefined ? '' : `(${size})`} `;

  function keysOf(o) {
    const keys = Object.keys(o);
    for (const s of getOwnPropertySymbols(o)) if (isEnumerable(o, s)) keys.push(s);
    return keys;
  }

  function functionBase(f, name) {
    const source = Function.prototype.toString.call(f);
    if (source.startsWith('class') && source.endsWith('}')) {
      const parent = getPrototypeOf(f);
      const base = f.name === '' ? '[class (anonymous)' : `[class ${f.name}`;
      return `${base}${parent && parent.name ? ` extends ${parent.name}` : ''}]`;
    }
    let kind = { GeneratorFunction: 'GeneratorFunction', AsyncFunction: 'AsyncFunction', AsyncGeneratorFunction: 'AsyncGeneratorFunction' }[tag(f)] || 'Function';
    return f.name === '' ? `[${kind} (anonymous)]` : `[${kind}: ${f.name}]`;
  }

  function errorText(e) {
    const stack = typeof e.stack === 'string' ? e.stack.replace(/\s+$/, '') : '';
    const head = prototype.toString.call(e.message) && e.message ? `${e.name}: ${e.message}` : `${e.name}`;
    if (stack === '') return head;
    return stack.startsWith(head) ? stack : `${head}\n${stack}`;
  }

  function format(ctx, v, level, typed) {
    if (v === null || typeof v !== 'object' && typeof v !== 'function') return primitive(ctx, v);
    if (ctx.seen.includes(v)) {
      if (!ctx.circular.has(v)) ctx.circular.set(v, ctx.circular.size + 1);
      return `[Circular *${ctx.circular.get(v)}]`;
    }
    return raw(ctx, v, level);
  }

  function raw(ctx, v, level) {
    const name = constructorName(v), kind = tag(v);
    let keys = keysOf(v), braces = ['{', '}'], base = '', items = () => [], array = false;
    let toStringTag = v[Symbol.toStringTag];
    if (typeof toStringTag !== 'string' || toStringTag === '' || toStringTag === name) toStringTag = '';
    else toStringTag = `[${toStringTag}] `;
    if (Array.isArray(v)) {
      const p = name !== 'Array' ? prefix(name, 'Array', v.length) : '';
      keys = keys.filter(k => typeof k === 'symbol' || !/^(0|[1-9]\d*)$/.test(k));
      braces = [`${p}[`, ']'];
      array = true;
      if (v.length === 0 && keys.length === 0) return `${braces[0]}]`;
      items = () => arrayItems(ctx, v, level);
    } else if (v instanceof Set) {
      const p = prefix(name, 'Set', v.size);
      if (v.size === 0 && keys.length === 0) return `${p}{}`;
      braces = [`${p}{`, '}'];
      items = () => limited([...v], x => format(ctx, x, level));
    } else if (v instanceof Map) {
      const p = prefix(name, 'Map', v.size);
      if (v.size === 0 && keys.length === 0) return `${p}{}`;
      braces = [`${p}{`, '}'];
      items = () => limited([...v], ([k, x]) => `${format(ctx, k, level)} => ${format(ctx, x, level)}`);
    } else if (ArrayBuffer.isView(v) && !(v instanceof DataView)) {
      keys = keys.filter(k => typeof k === 'symbol' || !/^(0|[1-9]\d*)$/.test(k));
      braces = [`${prefix(name, kind, v.length)}[`, ']'];
      array = true;
      if (v.length === 0 && keys.length === 0) return `${braces[0]}]`;
      items = () => limited(Array.from(v), x => primitive(ctx, x));
    } else if (typeof v === 'function') {
      base = functionBase(v, name);
      if (keys.length === 0) return base;
    } else if (v instanceof RegExp) {
      base = RegExp.prototype.toString.call(v);
      if (keys.length === 0) return base;
    } else if (v instanceof Date) {
      base = Number.isNaN(v.getTime()) ? 'Invalid Date' : v.toISOString();
      if (keys.length === 0) return base;
    } else if (v instanceof Error) {
      keys = keys.filter(k => k !== 'stack' && k !== 'message' && k !== 'name' && k !== 'lineNumber' && k !== 'columnNumber' && k !== 'fileName');
      base = errorText(v);
      if (!base.includes('\n')) base = `[${base}]`;
      else if (ctx.indent) base = base.split('\n').join(`\n${' '.repeat(ctx.indent)}`);
      if (keys.length === 0) return base;
    } else if (v instanceof Promise) {
      braces = [`${prefix(name, 'Promise')}{`, '}'];
      const state = ctx.promise(v);
      items = () => [state.pending ? '<pending>' : state.ok ? format(ctx, state.value, level) : `<rejected> ${format(ctx, state.value, level)}`];
    } else if (v instanceof WeakMap || v instanceof WeakSet) {
      braces = [`${prefix(name, kind)}{`, '}'];
      items = () => ['<items unknown>'];
    } else if (v instanceof ArrayBuffer) {
      braces = [`${prefix(name, 'ArrayBuffer')}{`, '}'];
      items = () => {
        const bytes = [...new Uint8Array(v).slice(0, 50)].map(b => b.toString(16).padStart(2, '0')).join(' ');
        return [`[Uint8Contents]: <${bytes}${v.byteLength > 50 ? ` ... ${v.byteLength - 50} more byte${v.byteLength > 51 ? 's' : ''}` : ''}>`, `byteLength: ${v.byteLength}`];
      };
    } else if (['Number', 'String', 'Boolean', 'BigInt', 'Symbol'].includes(kind) && typeof v.valueOf() !== 'object') {
      if (kind === 'String') keys = keys.filter(k => typeof k === 'symbol' || !/^(0|[1-9]\d*)$/.test(k));
      base = `[${kind}${name !== kind ? name === null ? ' (null prototype)' : ` (${name})` : ''}: ${primitive({ indent: 0 }, v.valueOf())}]`;
      if (keys.length === 0) return base;
    } else if (kind === 'Arguments') {
      braces = ['[Arguments] [', ']'];
      array = true;
      keys = keys.filter(k => typeof k === 'symbol' || !/^(0|[1-9]\d*)$/.test(k));
      items = () => arrayItems(ctx, Array.from(v), level);
    } else if (kind === 'Generator' || kind === 'AsyncGenerator') {
      braces = [`Object [${kind}] {`, '}'];
      if (keys.length === 0) return `${braces[0]}}`;
    } else {
      const p = name === 'Object' && toStringTag === '' ? '' : `${prefix(name, 'Object')}${toStringTag}`;
      if (keys.length === 0) return `${p}{}`;
      braces = [`${p}{`, '}'];
    }
    if (level > MAX_DEPTH) {
      const shown = name === null ? `${kind}: null prototype` : name;
      return Array.isArray(v) ? '[Array]' : `[${shown}]`;
    }
    ctx.seen.push(v);
    ctx.depth = level;
    const output = items();
    for (const k of keys) output.push(property(ctx, v, k, level, array));
    ctx.seen.pop();
    if (ctx.circular.has(v)) {
      const ref = `<ref *${ctx.circular.get(v)}>`;
      if (base === '') braces[0] = `${ref} ${braces[0]}`;
      else base = `${ref} ${base}`;
    }
    return single(ctx, output, base, braces, array, level, v);
  }

  function limited(list, each) {
    const out = list.slice(0, MAX_ITEMS).map(each);
    const more = list.length - MAX_ITEMS;
    if (more > 0) out.push(`... ${more} more item${more > 1 ? 's' : ''}`);
    return out;
  }

  function arrayItems(ctx, v, level) {
    const out = [];
    let shown = 0, i = 0;
    for (; i < v.length && shown < MAX_ITEMS; shown++) {
      if (!prototype.hasOwnProperty.call(v, i)) {
        const from = i;
        while (i < v.length && !prototype.hasOwnProperty.call(v, i)) i++;
        out.push(`<${i - from} empty item${i - from > 1 ? 's' : ''}>`);
      } else {
        out.push(property(ctx, v, i++, level, 'item'));
      }
    }
    const more = v.length - i;
    if (more > 0) out.push(`... ${more} more item${more > 1 ? 's' : ''}`);
    return out;
  }

  function property(ctx, o, key, level, array) {
    const d = getOwnPropertyDescriptor(o, key) || { value: o[key], enumerable: true };
    let text;
    if ('value' in d) {
      const diff = array === 'item' ? 0 : 2;
      ctx.indent += array === 'item' ? 2 : diff;
      text = format(ctx, d.value, level + 1);
      ctx.indent -= array === 'item' ? 2 : diff;
    } else if (d.get) text = d.set ? '[Getter/Setter]' : '[Getter]';
    else text = d.set ? '[Setter]' : 'undefined';
    if (array === 'item') return text;
    const name = typeof key === 'symbol' ? `[${key.toString()}]` : identifier.test(key) ? key : quote(key);
    return `${d.enumerable ? name : `[${name}]`}: ${text}`;
  }

  function single(ctx, output, base, braces, array, level, v) {
    const entries = output.length;
    if (array && entries > 6) output = columns(ctx, output, v);
    if (ctx.depth - level < COMPACT && entries === output.length) {
      const start = output.length + ctx.indent + braces[0].length + base.length + 10;
      if (fits(output, start, base)) {
        const joined = output.join(', ');
        if (!joined.includes('\n')) return `${base ? `${base} ` : ''}${braces[0]} ${joined} ${braces[1]}`;
      }
    }
    const pad = `\n${' '.repeat(ctx.indent)}`;
    return `${base ? `${base} ` : ''}${braces[0]}${pad}  ${output.join(`,${pad}  `)}${pad}${braces[1]}`;
  }

  function fits(output, start, base) {
    let total = output.length + start;
    if (total + output.length > BREAK) return false;
    for (const s of output) if ((total += s.length) > BREAK) return false;
    return base === '' || !base.includes('\n');
  }

  // columns lines up the items of long arrays of short items.
  function columns(ctx, output, v) {
    let total = 0, longest = 0, i = 0;
    let count = output.length;
    if (v.length > MAX_ITEMS) count--;
    const width = [];
    for (; i < count; i++) {
      width[i] = displayWidth(output[i]);
      total += width[i] + 2;
      longest = Math.max(longest, width[i]);
    }
    const actual = longest + 2;
    if (!(actual * 3 + ctx.indent < BREAK && (total / actual > 5 || longest <= 6))) return output;
    const bias = Math.sqrt(actual - total / output.length), biased = Math.max(actual - 3 - bias, 1);
    const n = Math.min(Math.round(Math.sqrt(2.5 * biased * count) / biased), Math.floor((BREAK - ctx.indent) / actual), COMPACT * 4, 15);
    if (n <= 1) return output;
    const rows = [], widths = [];
    for (let c = 0; c < n; c++) {
      let w = 0;
      for (let j = c; j < output.length; j += n) if (width[j] > w) w = width[j];
      widths.push(w + 2);
    }
    const numbers = v !== undefined && Array.from(v).every(x => typeof x === 'number' || typeof x === 'bigint');
    for (i = 0; i < count; i += n) {
      const max = Math.min(i + n, count);
      let row = '', j = i;
      for (; j < max - 1; j++) {
        const cell = `${output[j]}, `;
        row += numbers ? cell.padStart(widths[j - i] + output[j].length - width[j]) : cell.padEnd(widths[j - i] + output[j].length - width[j]);
      }
      row += numbers ? output[j].padStart(widths[j - i] - 2 + output[j].length - width[j]) : output[j];
      rows.push(row);
    }
    if (v.length > MAX_ITEMS) rows.push(output[count]);
    return rows;
  }

  function displayWidth(s) {
    let n = 0;
    for (const c of s) {
      const p = c.codePointAt(0);
      n += p >= 0x1100 && (p <= 0x115f || p >= 0x2e80 && p <= 0xa4cf || p >= 0xac00 && p <= 0xd7a3 || p >= 0xf900 && p <= 0xfaff ||
        p >= 0xfe30 && p <= 0xfe6f || p >= 0xff00 && p <= 0xff60 || p >= 0x1f300 && p <= 0x1faff || p >= 0x20000 && p <= 0x3fffd) ? 2 :
        p >= 0x300 && p <= 0x36f || p === 0x200d || p >= 0xfe00 && p <= 0xfe0f ? 0 : 1;
    }
    return n;
  }

  return promise => v => format({ indent: 0, seen: [], circular: new Map(), depth: 0, promise }, v, 0);
})()
