// structuredClone: a deep copy that keeps cycles, dates, maps, sets, errors
// and buffers, and refuses what cannot be copied.
(kit => {
  'use strict';
  const { host, define, inspect } = kit;
  const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  define('structuredClone', (root, { transfer = [] } = {}) => {
    const copies = new Map();
    const keep = (x, copy) => { copies.set(x, copy); return copy; };
    const refuse = x => { throw new DOMException(`${inspect(x, { depth: 0 })} could not be cloned.`, 'DataCloneError'); };
    const members = (x, copy) => { for (const k of Object.keys(x)) copy[k] = clone(x[k]); return copy; };
    function clone(x) {
      if (typeof x === 'function' || typeof x === 'symbol') refuse(x);
      if (x === null || typeof x !== 'object') return x;
      if (copies.has(x)) return copies.get(x);
      if (host.target(x) !== undefined) refuse(x);
      if (Array.isArray(x)) return members(x, keep(x, new Array(x.length)));
      const kind = host.kind(x);
      switch (kind) {
        case 'Date': return keep(x, new Date(Date.prototype.getTime.call(x)));
        case 'RegExp': return keep(x, new RegExp(x.source, x.flags));
        case 'Number': case 'String': case 'Boolean': case 'BigInt': return keep(x, Object(x.valueOf()));
        case 'ArrayBuffer': return keep(x, transfer.includes(x) ? x.transfer() : x.slice(0));
        case 'Map': { const m = keep(x, new Map()); for (const [k, v] of [...x]) m.set(clone(k), clone(v)); return m; }
        case 'Set': { const s = keep(x, new Set()); for (const v of [...x]) s.add(clone(v)); return s; }
        case 'Error': {
          const copy = keep(x, new (errors[x.name] ?? Error)(`${x.message}`));
          copy.stack = x.stack;
          if ('cause' in x) copy.cause = clone(x.cause);
          return copy;
        }
        case 'DataView': return keep(x, new DataView(clone(x.buffer), x.byteOffset, x.byteLength));
        case 'Object': return members(x, keep(x, {}));
      }
      if (ArrayBuffer.isView(x)) return keep(x, new globalThis[kind](clone(x.buffer), x.byteOffset, x.length));
      return refuse(x);
    }
    return clone(root);
  });
})
