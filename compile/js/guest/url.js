// URL and URLSearchParams after the WHATWG standard, without the conversion of
// international host names.
(kit => {
  'use strict';
  const { host, define } = kit;
  const defaultPorts = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };
  const special = protocol => Object.hasOwn(defaultPorts, protocol);

  // Percent-encode sets: characters that are encoded besides controls and what
  // is not ASCII.
  const inFragment = ' "<>`', inQuery = ' "#<>', inPath = ' "#<>?`{}^', inUser = inPath + '/:;=@[\\]|';
  const percent = (text, set) => {
    let out = '';
    for (const c of text) {
      const code = c.codePointAt(0);
      if (code > 0x20 && code < 0x7f && !set.includes(c)) out += c;
      else for (const b of host.encode(c)) out += '%' + b.toString(16).toUpperCase().padStart(2, '0');
    }
    return out;
  };
  const unpercent = text => {
    if (!text.includes('%')) return text;
    const bytes = host.encode(text), out = [];
    for (let i = 0; i < bytes.length; i++) {
      const hex = bytes[i] === 37 ? String.fromCharCode(bytes[i + 1], bytes[i + 2]) : '';
      if (/^[0-9a-fA-F]{2}$/.test(hex)) { out.push(parseInt(hex, 16)); i += 2; } else out.push(bytes[i]);
    }
    return host.decode(new Uint8Array(out), false);
  };
  const formEncode = text => {
    let out = '';
    for (const b of host.encode(text.toWellFormed())) {
      const c = String.fromCharCode(b);
      out += /[A-Za-z0-9*\-._]/.test(c) ? c : b === 32 ? '+' : '%' + b.toString(16).toUpperCase().padStart(2, '0');
    }
    return out;
  };
  const formDecode = text => unpercent(text.replaceAll('+', ' '));

  class URLSearchParams {
    #pairs = []; #changed = () => {};
    constructor(init = '', changed) {
      if (changed) this.#changed = changed;
      if (init !== null && typeof init === 'object') {
        const pairs = typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init);
        for (const pair of pairs) {
          const [k, v, ...more] = pair;
          if (v === undefined || more.length > 0) throw new TypeError('Each query pair must be an iterable [name, value] tuple');
          this.#pairs.push([`${k}`, `${v}`]);
        }
      } else this.#read(`${init}`.replace(/^\?/, ''));
    }
    #read(text) {
      this.#pairs = [];
      for (const part of text.split('&')) {
        if (part === '') continue;
        const i = part.indexOf('=');
        this.#pairs.push(i < 0 ? [formDecode(part), ''] : [formDecode(part.slice(0, i)), formDecode(part.slice(i + 1))]);
      }
    }
    static reread(params, text) { params.#read(text); }
    append(k, v) { this.#pairs.push([`${k}`, `${v}`]); this.#changed(); }
    delete(k, v) { this.#pairs = this.#pairs.filter(p => p[0] !== `${k}` || v !== undefined && p[1] !== `${v}`); this.#changed(); }
    get(k) { return this.#pairs.find(p => p[0] === `${k}`)?.[1] ?? null; }
    getAll(k) { return this.#pairs.filter(p => p[0] === `${k}`).map(p => p[1]); }
    has(k, v) { return this.#pairs.some(p => p[0] === `${k}` && (v === undefined || p[1] === `${v}`)); }
    set(k, v) {
      const i = this.#pairs.findIndex(p => p[0] === `${k}`);
      if (i < 0) this.#pairs.push([`${k}`, `${v}`]);
      else {
        this.#pairs[i][1] = `${v}`;
        this.#pairs = this.#pairs.filter((p, j) => j <= i || p[0] !== `${k}`);
      }
      this.#changed();
    }
    sort() { this.#pairs.sort((a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0); this.#changed(); }
    get size() { return this.#pairs.length; }
    forEach(f, self) { for (const [k, v] of this.#pairs) f.call(self, v, k, this); }
    *entries() { for (const p of this.#pairs) yield [...p]; }
    *keys() { for (const p of this.#pairs) yield p[0]; }
    *values() { for (const p of this.#pairs) yield p[1]; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map(p => p.map(formEncode).join('=')).join('&'); }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
      if (this.#pairs.length === 0) return 'URLSearchParams {}';
      return `URLSearchParams { ${this.#pairs.map(p => p.map(x => inspect(x)).join(' => ')).join(', ')} }`;
    }
    get [Symbol.toStringTag]() { return 'URLSearchParams'; }
  }
  const { reread } = URLSearchParams;
  delete URLSearchParams.reread;

  const invalid = text => Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: text });

  // parse splits an address; base is what parse has made of another.
  function parse(text, base) {
    text = text.trim().replace(/[\t\n\r]/g, '');
    const u = { protocol: '', username: '', password: '', hostname: '', port: '', pathname: '', search: '', hash: '', opaque: false, authority: false };
    const [, beforeHash, hash] = /^([^#]*)(#[^]*)?$/.exec(text);
    const [, beforeQuery, query] = /^([^?]*)(\?[^]*)?$/.exec(beforeHash);
    if (hash && hash !== '#') u.hash = '#' + percent(hash.slice(1), inFragment);
    const withQuery = () => { if (query && query !== '?') u.search = '?' + percent(query.slice(1), special(u.protocol) ? inQuery + "'" : inQuery); };
    const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(beforeQuery);
    let rest = beforeQuery;
    if (scheme) {
      u.protocol = scheme[0].toLowerCase();
      rest = rest.slice(scheme[0].length);
      if (special(u.protocol)) rest = rest.replaceAll('\\', '/');
      if (base && u.protocol === base.protocol && special(u.protocol) && !rest.startsWith('/')) return relative(u, rest, base, query, withQuery);
      withQuery();
      const slashes = special(u.protocol) ? /^\/*/.exec(rest)[0] : rest.startsWith('//') ? '//' : '';
      if (slashes === '' && !special(u.protocol)) {
        if (rest.startsWith('/')) u.pathname = normalize(u, rest);
        else { u.opaque = true; u.pathname = percent(rest, ''); }
        return u;
      }
      return authority(u, rest.slice(u.protocol === 'file:' ? Math.min(2, slashes.length) : slashes.length), text);
    }
    if (!base) throw invalid(text);
    if (base.opaque) {
      if (beforeHash !== '') throw invalid(text);
      return { ...base, hash: u.hash };
    }
    u.protocol = base.protocol;
    if (special(u.protocol)) rest = rest.replaceAll('\\', '/');
    if (rest.startsWith('//')) { withQuery(); return authority(u, rest.slice(2), text); }
    return relative(u, rest, base, query, withQuery);
  }

  function relative(u, rest, base, query, withQuery) {
    Object.assign(u, { username: base.username, password: base.password, hostname: base.hostname, port: base.port, authority: base.authority });
    withQuery();
    if (rest.startsWith('/')) u.pathname = normalize(u, rest);
    else if (rest !== '') u.pathname = normalize(u, base.pathname.replace(/[^/]*$/, '') + rest);
    else {
      u.pathname = base.pathname;
      if (query === undefined) u.search = base.search;
    }
    return u;
  }

  function authority(u, rest, text) {
    u.authority = true;
    const [, where, path] = /^([^/]*)([^]*)$/.exec(rest);
    const i = where.lastIndexOf('@');
    if (i >= 0) {
      const [, name, , word] = /^([^:]*)(:([^]*))?$/.exec(where.slice(0, i));
      u.username = percent(name, inUser);
      u.password = percent(word ?? '', inUser);
    }
    const m = /^(\[[0-9a-fA-F:.]+\]|[^:]*)(?::(\d*))?$/.exec(where.slice(i + 1));
    if (!m) throw invalid(text);
    u.hostname = hostname(m[1], u, text);
    if (m[2]) {
      if (Number(m[2]) > 65535) throw invalid(text);
      const port = `${Number(m[2])}`;
      u.port = port === defaultPorts[u.protocol] ? '' : port;
    }
    u.pathname = path === '' ? special(u.protocol) ? '/' : '' : normalize(u, path);
    return u;
  }

  function hostname(text, u, whole) {
    if (/^\[[0-9a-fA-F:.]+\]$/.test(text)) return text.toLowerCase();
    if (text === '' && u.protocol !== 'file:' && special(u.protocol)) throw invalid(whole);
    if (!special(u.protocol)) return percent(text, '');
    const name = unpercent(text).toLowerCase();
    if (/[^\x21-\x7e]/.test(name) && /[^\x00-\x7f]/.test(name)) throw Object.assign(invalid(whole), { message: `Invalid URL: international host names such as ${name} must be written in ASCII (xn--…)` });
    if (/[\x00-\x20"#%/:<>?@[\\\]^`{|}]/.test(name)) throw invalid(whole);
    return name;
  }

  // normalize resolves "." and ".." and encodes what a path may not hold.
  function normalize(u, path) {
    const out = [], parts = percent(path, inPath).split('/').slice(1);
    parts.forEach((part, i) => {
      const last = i === parts.length - 1, plain = part.replace(/%2e/gi, '.');
      if (plain === '..') { out.pop(); if (last) out.push(''); }
      else if (plain === '.') { if (last) out.push(''); }
      else out.push(part);
    });
    return '/' + out.join('/');
  }

  class URL {
    #u; #params;
    constructor(text, base) {
      this.#u = parse(`${text}`, base === undefined ? undefined : parse(`${base}`));
      this.#params = new URLSearchParams(this.#u.search, () => {
        const query = this.#params.toString();
        this.#u.search = query === '' ? '' : '?' + query;
      });
    }
    static canParse(text, base) { try { new URL(text, base); return true; } catch { return false; } }
    static parse(text, base) { try { return new URL(text, base); } catch { return null; } }
    #set(text) {
      this.#u = text;
      reread(this.#params, this.#u.search.slice(1));
    }
    get href() {
      const u = this.#u;
      const user = u.username === '' && u.password === '' ? '' : u.username + (u.password && ':' + u.password) + '@';
      return u.protocol + (u.authority ? '//' + user + this.host : '') + u.pathname + u.search + u.hash;
    }
    set href(text) { this.#set(parse(`${text}`)); }
    get origin() { return special(this.#u.protocol) && this.#u.protocol !== 'file:' ? `${this.#u.protocol}//${this.host}` : 'null'; }
    get host() { return this.#u.hostname + (this.#u.port && ':' + this.#u.port); }
    get searchParams() { return this.#params; }
    get protocol() { return this.#u.protocol; }
    get username() { return this.#u.username; }
    get password() { return this.#u.password; }
    get hostname() { return this.#u.hostname; }
    get port() { return this.#u.port; }
    get pathname() { return this.#u.pathname; }
    get search() { return this.#u.search; }
    get hash() { return this.#u.hash; }
    set protocol(v) {
      const p = `${v}`.replace(/:.*$/, '').toLowerCase() + ':';
      if (special(p) === special(this.#u.protocol) && /^[a-z][a-z0-9+.-]*:$/.test(p)) {
        this.#u.protocol = p;
        if (this.#u.port === defaultPorts[p]) this.#u.port = '';
      }
    }
    set username(v) { this.#u.username = percent(`${v}`, inUser); }
    set password(v) { this.#u.password = percent(`${v}`, inUser); }
    set host(v) {
      const [, name, , port] = /^(\[[^\]]*\]|[^:/?#]*)(:(\d*))?/.exec(`${v}`);
      this.hostname = name;
      if (port) this.port = port;
    }
    set hostname(v) { try { this.#u.hostname = hostname(`${v}`, this.#u, `${v}`); } catch { /* stays as it was */ } }
    set port(v) {
      const port = /^\d*/.exec(`${v}`)[0];
      if (`${v}` === '') this.#u.port = '';
      else if (port !== '' && Number(port) <= 65535) this.#u.port = `${Number(port)}` === defaultPorts[this.#u.protocol] ? '' : `${Number(port)}`;
    }
    set pathname(v) { if (!this.#u.opaque) this.#u.pathname = normalize(this.#u, `${v}`.startsWith('/') ? `${v}` : '/' + v); }
    set search(v) {
      const query = `${v}`.replace(/^\?/, '');
      this.#u.search = query === '' ? '' : '?' + percent(query, inQuery + "'");
      reread(this.#params, query);
    }
    set hash(v) {
      const text = `${v}`.replace(/^#/, '');
      this.#u.hash = text === '' ? '' : '#' + percent(text, inFragment);
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
    get [Symbol.toStringTag]() { return 'URL'; }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
      if (depth < 0) return this;
      const shown = {};
      for (const k of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash']) shown[k] = this[k];
      return `URL ${inspect(shown, { ...options, depth })}`;
    }
  }

  define('URL', URL);
  define('URLSearchParams', URLSearchParams);
})
