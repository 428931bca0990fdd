// console, print and util.format: printf-like formatting, groups, counters,
// timers and tables, as node prints them.
(kit => {
  'use strict';
  const { host, inspect, number, width, hasBuiltInText, define, now } = kit;
  const { stringify } = JSON;

  const show = v => typeof v === 'string' ? v : typeof v === 'number' ? number(v) : inspect(v);
  const digits = (v, convert) => typeof v === 'bigint' ? `${v}n` : typeof v === 'symbol' ? 'NaN' : number(convert(v));

  function json(v) {
    try { return stringify(v); } catch (e) {
      if (/circular/i.test(e.message)) return '[Circular]';
      throw e;
    }
  }

  function placeholder(spec, v, options) {
    switch (spec) {
      case 's':
        if (typeof v === 'number') return number(v);
        if (typeof v === 'bigint') return `${v}n`;
        return typeof v !== 'object' || v === null || !hasBuiltInText(v) ? String(v) : inspect(v, { ...options, depth: 0 });
      case 'd': return digits(v, Number);
      case 'i': return digits(v, parseInt);
      case 'f': return typeof v === 'symbol' ? 'NaN' : number(parseFloat(v));
      case 'j': return json(v);
      case 'o': return inspect(v, { ...options, showHidden: true, showProxy: true, depth: 4 });
      case 'O': return inspect(v, options);
      default: return ''; // c: styles mean nothing here
    }
  }

  function formatAll(options, args) {
    if (args.length === 0) return '';
    if (args.length === 1) return options === undefined ? show(args[0]) : typeof args[0] === 'string' ? args[0] : inspect(args[0], options);
    let next = 1;
    let text = typeof args[0] !== 'string' ? options === undefined ? show(args[0]) : inspect(args[0], options) : !args[0].includes('%') ? args[0] : args[0].replace(/%[sdifjoOc%]/g, spec => {
      if (spec === '%%') return '%';
      return next < args.length ? placeholder(spec[1], args[next++], options) : spec;
    });
    for (; next < args.length; next++) text += ' ' + (typeof args[next] === 'string' || options === undefined ? show(args[next]) : inspect(args[next], options));
    return text;
  }
  const format = (...args) => formatAll(undefined, args);
  const formatWithOptions = (options, ...args) => formatAll(options, args);

  let indent = '';
  const write = host.write;
  const line = (fd, text) => { write(fd, (indent === '' ? text : indent + text.replaceAll('\n', '\n' + indent)) + '\n'); };
  const out = (...args) => line(1, formatAll(undefined, args)), err = (...args) => line(2, formatAll(undefined, args));

  // table draws rows and columns as console.table does.
  function table(data, only) {
    if (data === null || typeof data !== 'object') return show(data);
    const cell = v => inspect(v, { maxArrayLength: 3, breakLength: Infinity, depth: v !== null && typeof v === 'object' && !Array.isArray(v) && Object.keys(v).length > 2 ? -1 : 0 });
    const kind = host.kind(data), iterated = kind === 'Map' || kind === 'Set';
    if (kind === 'Map') return draw(['(iteration index)', 'Key', 'Values'], [...data].map(([k, v], i) => [`${i}`, cell(k), cell(v)]));
    const entries = iterated ? [...data].map((v, i) => [`${i}`, v]) : Object.keys(data).map(k => [k, data[k]]);
    const names = [];
    let bare = false;
    for (const [, row] of entries) {
      if (row === null || typeof row !== 'object' && typeof row !== 'function') bare = true;
      else for (const k of only ?? Object.keys(row)) if (!names.includes(k)) names.push(k);
    }
    const rows = entries.map(([k, row]) => {
      const plain = row === null || typeof row !== 'object' && typeof row !== 'function';
      return [k, ...names.map(n => plain || !Object.hasOwn(row, n) ? '' : cell(row[n])), ...bare ? [plain ? cell(row) : ''] : []];
    });
    return draw([iterated ? '(iteration index)' : '(index)', ...names, ...bare ? ['Values'] : []], rows);
  }

  function draw(head, rows) {
    const widths = head.map((text, i) => rows.reduce((w, row) => Math.max(w, width(row[i])), width(text)) + 2);
    const rule = (left, middle, right) => left + widths.map(w => '─'.repeat(w)).join(middle) + right;
    const row = cells => '│' + cells.map((text, i) => ` ${text}${' '.repeat(widths[i] - width(text) - 1)}`).join('│') + '│';
    return [rule('┌', '┬', '┐'), row(head), rule('├', '┼', '┤'), ...rows.map(row), rule('└', '┴', '┘')].join('\n');
  }

  const counts = new Map(), clocks = new Map();
  const elapsed = label => {
    const ms = now() - clocks.get(label);
    return ms >= 1000 ? `${(ms / 1000).toFixed(3)}s` : `${Number(ms.toFixed(3))}ms`;
  };
  const timed = (label, rest) => {
    if (!clocks.has(label)) { kit.warn(`No such label '${label}' for console.time()`); return false; }
    out(`${label}: ${elapsed(label)}`, ...rest);
    return true;
  };
  kit.warn = text => host.write(2, `Warning: ${text}\n`);

  define('console', {
    log: out, info: out, debug: out, error: err, warn: err,
    dir: (v, options) => line(1, inspect(v, { customInspect: false, ...options })),
    dirxml: out,
    trace: (...args) => line(2, `Trace${args.length ? ': ' + format(...args) : ''}\n${new Error().stack.replace(/^.*\n/, '').trimEnd()}`),
    assert: (ok, ...args) => {
      if (ok) return;
      if (args.length > 0) args[0] = `Assertion failed: ${args[0]}`; else args = ['Assertion failed'];
      err(...args);
    },
    table: (data, only) => line(1, table(data, only)),
    group: (...args) => { if (args.length > 0) out(...args); indent += '  '; },
    groupCollapsed: (...args) => { if (args.length > 0) out(...args); indent += '  '; },
    groupEnd: () => { indent = indent.slice(2); },
    count: (label = 'default') => {
      label = `${label}`;
      counts.set(label, (counts.get(label) ?? 0) + 1);
      out(`${label}: ${counts.get(label)}`);
    },
    countReset: (label = 'default') => { counts.delete(`${label}`); },
    time: (label = 'default') => { clocks.set(`${label}`, now()); },
    timeLog: (label = 'default', ...rest) => { timed(`${label}`, rest); },
    timeEnd: (label = 'default') => { if (timed(`${label}`, [])) clocks.delete(`${label}`); },
  });
  define('print', (...args) => host.write(1, args.map(v => String(v)).join(' ') + '\n'));

  kit.format = format;
  kit.formatWithOptions = formatWithOptions;
  kit.show = show;
})
