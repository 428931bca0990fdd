// The module wb: what a block may ask of the host. Its functions are made from
// the host's table. A function that answers with bytes gives text where it is
// UTF-8, else a Uint8Array; undefined says that there is nothing.
(kit => {
  'use strict';
  const { host } = kit;
  const table = [];
  const { parse, stringify } = JSON;

  const plain = value => typeof value === 'string' || ArrayBuffer.isView(value) ? value
    : value instanceof ArrayBuffer ? new Uint8Array(value) : value === undefined || value === null ? '' : `${value}`;
  const bytes = value => {
    value = plain(value);
    if (typeof value === 'string') return value;
    return value instanceof Uint8Array ? value : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  };
  const json = value => value === undefined || value === null ? '' : stringify(value);

  class DockError extends Error {
    constructor({ error, code, hint }) {
      super(hint ? `${error} (${hint})` : error);
      this.code = code;
      this.hint = hint ?? '';
    }
    get name() { return 'DockError'; }
  }

  const make = ({ module, name, params, result, doc }) => {
    const operation = `${module}.${name}`, shape = params.map(p => p[0] === '?' ? json : p[0] === '*' ? bytes : plain);
    const call = (...args) => {
      if (args.length > params.length) throw new TypeError(`${doc.split(':')[0]} takes ${params.length} arguments`);
      const [status, body] = host.dock(operation, ...shape.map((f, i) => f(args[i])));
      if (status === '2') throw new DockError(parse(host.decode(body, false)));
      if (status === '0' || result === '') return undefined;
      if (result === 'json') return parse(host.decode(body, false));
      return host.decode(body, true) ?? body;
    };
    return Object.defineProperty(call, 'name', { value: operation });
  };

  const wb = { Error: DockError };
  for (const entry of table) (wb[entry.module] ??= {})[entry.name] = make(entry);
  for (const module of Object.values(wb)) Object.freeze(module);
  kit.builtin.wb = Object.freeze(wb);
})
