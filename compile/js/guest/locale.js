// Texts for people, as American English has them, which is what node gives when
// nobody says otherwise. QuickJS has no Intl and no data of other languages:
// asking for one is an error that says so, not another language's text.
(kit => {
  'use strict';
  const american = locales => {
    for (const l of [locales ?? []].flat()) if (!/^(en|en-US|C|und)$/.test(`${l}`)) throw new RangeError(`locale ${l} is not there: the sandbox has no language data but American English`);
  };
  const unknown = (what, options, known) => {
    for (const k of Object.keys(options ?? {})) if (options[k] !== undefined && !known.includes(k)) throw new RangeError(`${what} does not know the option ${k} in the sandbox; known are ${known.join(', ')}`);
  };
  const grouped = digits => digits.replace(/\B(?=(\d{3})+$)/g, ',');
  const symbols = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', CNY: 'CN¥', KRW: '₩', CHF: 'CHF\u00a0', CAD: 'CA$', AUD: 'A$' };

  // decimal rounds half away from zero on the shortest digits, as ICU does.
  function decimal(x, least, most) {
    let [, mantissa, exponent] = /^([\d.]+)(?:e([+-]\d+))?$/.exec(`${x}`);
    let [whole, part = ''] = mantissa.split('.');
    const shift = Number(exponent ?? 0);
    if (shift > 0) { part = part.padEnd(shift, '0'); whole += part.slice(0, shift); part = part.slice(shift); }
    if (shift < 0) { whole = whole.padStart(1 - shift, '0'); part = whole.slice(shift) + part; whole = whole.slice(0, shift); }
    if (part.length > most) {
      const up = part[most] >= '5';
      let digits = BigInt(whole + part.slice(0, most)) + (up ? 1n : 0n);
      const text = digits.toString().padStart(most + 1, '0');
      whole = text.slice(0, text.length - most);
      part = text.slice(text.length - most);
    }
    part = part.replace(/0+$/, '').padEnd(least, '0');
    whole = whole.replace(/^0+(?=\d)/, '');
    return { whole, part };
  }

  function number(x, locales, options = {}) {
    american(locales);
    unknown('toLocaleString', options, ['minimumFractionDigits', 'maximumFractionDigits', 'minimumIntegerDigits', 'useGrouping', 'style', 'currency']);
    const { style = 'decimal', useGrouping = true, minimumIntegerDigits = 1, currency } = options;
    if (!['decimal', 'percent', 'currency'].includes(style)) throw new RangeError(`the style ${style} is not there in the sandbox; there are decimal, percent and currency`);
    if (style === 'currency' && currency === undefined) throw new TypeError('Currency code is required with currency style.');
    const usual = style === 'percent' ? [0, 0] : style === 'currency' ? (['JPY', 'KRW'].includes(currency) ? [0, 0] : [2, 2]) : [0, 3];
    const least = options.minimumFractionDigits ?? Math.min(usual[0], options.maximumFractionDigits ?? usual[0]);
    const most = options.maximumFractionDigits ?? Math.max(usual[1], least);
    if (!(least >= 0 && most <= 100 && least <= most)) throw new RangeError('maximumFractionDigits value is out of range.');
    if (Number.isNaN(x)) return 'NaN';
    const negative = typeof x === 'bigint' ? x < 0n : x < 0 || Object.is(x, -0);
    const sign = negative ? '-' : '';
    let text;
    if (x === Infinity || x === -Infinity) text = '∞';
    else {
      const size = typeof x === 'bigint' ? (negative ? -x : x) : Math.abs(x);
      let { whole, part } = decimal(style === 'percent' ? percent(size) : size, least, most);
      whole = whole.padStart(minimumIntegerDigits, '0');
      text = (useGrouping && useGrouping !== 'false' ? grouped(whole) : whole) + (part === '' ? '' : `.${part}`);
    }
    if (style === 'percent') return `${sign}${text}%`;
    if (style === 'currency') return `${sign}${symbols[currency] ?? `${currency}\u00a0`}${text}`;
    return sign + text;
  }
  // percent is a hundredfold, moved by digits rather than multiplied.
  const percent = x => Number(`${x}e2`) || x * 100;

  const method = (prototype, name, f) => Object.defineProperty(prototype, name, { value: f, writable: true, configurable: true, enumerable: false });
  method(Number.prototype, 'toLocaleString', function toLocaleString(locales, options) { return number(Number.prototype.valueOf.call(this), locales, options); });
  method(BigInt.prototype, 'toLocaleString', function toLocaleString(locales, options) { return number(BigInt.prototype.valueOf.call(this), locales, options); });

  const dateKeys = ['timeZone', 'dateStyle', 'timeStyle', 'weekday', 'year', 'month', 'day', 'hour', 'minute', 'second', 'hour12', 'timeZoneName'];
  const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
  const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  const two = n => String(n).padStart(2, '0');

  // styled turns dateStyle and timeStyle into the fields they stand for.
  function styled(o) {
    const out = { ...o };
    const date = { full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }, long: { year: 'numeric', month: 'long', day: 'numeric' }, medium: { year: 'numeric', month: 'short', day: 'numeric' }, short: { year: '2-digit', month: 'numeric', day: 'numeric' } };
    const time = { medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' }, short: { hour: 'numeric', minute: '2-digit' } };
    if (o.dateStyle !== undefined) Object.assign(out, date[o.dateStyle]);
    if (o.timeStyle !== undefined) Object.assign(out, time[o.timeStyle] ?? { ...time.medium, timeZoneName: 'short' });
    return out;
  }
  function clock(d, o) {
    if (o.hour === undefined && o.minute === undefined && o.second === undefined) return '';
    const h = d.getUTCHours(), twelve = o.hour12 ?? true, parts = [];
    if (o.hour !== undefined) { const n = twelve ? h % 12 || 12 : h; parts.push(o.hour === '2-digit' || !twelve ? two(n) : `${n}`); }
    if (o.minute !== undefined) parts.push(parts.length > 0 || o.second !== undefined ? two(d.getUTCMinutes()) : `${d.getUTCMinutes()}`);
    if (o.second !== undefined) parts.push(parts.length > 0 ? two(d.getUTCSeconds()) : `${d.getUTCSeconds()}`);
    return parts.join(':') + (o.hour !== undefined && twelve ? ` ${h < 12 ? 'AM' : 'PM'}` : '') + (o.timeZoneName !== undefined ? ' UTC' : '');
  }
  function calendar(d, o) {
    const year = o.year === undefined ? '' : o.year === '2-digit' ? two(d.getUTCFullYear() % 100) : `${d.getUTCFullYear()}`;
    const day = o.day === undefined ? '' : o.day === '2-digit' ? two(d.getUTCDate()) : `${d.getUTCDate()}`;
    const weekday = o.weekday === undefined ? '' : days[d.getUTCDay()].slice(0, o.weekday === 'long' ? undefined : o.weekday === 'narrow' ? 1 : 3);
    if (o.month === 'long' || o.month === 'short' || o.month === 'narrow') {
      const month = months[d.getUTCMonth()].slice(0, { long: undefined, short: 3, narrow: 1 }[o.month]);
      const head = [month, day].filter(Boolean).join(' ');
      return [weekday, head, year].filter(Boolean).join(day === '' && weekday === '' ? ' ' : ', ');
    }
    const month = o.month === undefined ? '' : o.month === '2-digit' ? two(d.getUTCMonth() + 1) : `${d.getUTCMonth() + 1}`;
    return [weekday, [month, day, year].filter(Boolean).join('/')].filter(Boolean).join(', ');
  }
  function date(d, locales, options, usual) {
    american(locales);
    unknown('a date', options, dateKeys);
    if (Number.isNaN(d.getTime())) return 'Invalid Date';
    if (options?.timeZone !== undefined && !/^(UTC|GMT|Etc\/UTC)$/i.test(options.timeZone)) throw new RangeError(`time zone ${options.timeZone} is not there: the sandbox has no time zones but UTC`);
    let o = styled(options ?? {});
    if (!dateKeys.slice(1, 11).some(k => o[k] !== undefined && k !== 'hour12')) o = { ...o, ...usual };
    return [calendar(d, o), clock(d, o)].filter(Boolean).join(o.dateStyle === 'full' || o.dateStyle === 'long' || o.month === 'long' && o.dateStyle === undefined ? ' at ' : ', ');
  }
  const numericDate = { year: 'numeric', month: 'numeric', day: 'numeric' }, numericTime = { hour: 'numeric', minute: '2-digit', second: '2-digit' };
  for (const [name, usual] of [['toLocaleString', { ...numericDate, ...numericTime }], ['toLocaleDateString', numericDate], ['toLocaleTimeString', numericTime]]) {
    method(Date.prototype, name, { [name](locales, options) {
      const d = new Date(Date.prototype.getTime.call(this));
      return date(d, locales, options, usual);
    } }[name]);
  }

  // localeCompare orders text as the root of Unicode's collation does: letters
  // first by their base, then accents, then case, small before capital;
  // punctuation before digits before letters.
  const marks = '_-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$';
  const rank = c => {
    if (/\s/u.test(c)) return 0;
    const i = marks.indexOf(c);
    return i >= 0 ? 1 + i : /\p{P}|\p{S}/u.test(c) ? 99 : /\p{Nd}/u.test(c) ? 100 : 101;
  };
  const plain = new Map([['ß', 'ss'], ['æ', 'ae'], ['œ', 'oe'], ['ø', 'o\u0338'], ['đ', 'd\u0335'], ['ł', 'l\u0335'], ['ı', 'i']]);
  const ascii = /^[\x20-\x7e]*$/;
  function elements(text) {
    const out = [];
    for (const c of ascii.test(text) ? text : text.normalize('NFD')) {
      if (/\p{M}/u.test(c) && out.length > 0) { out.at(-1).accent += c; continue; }
      const small = c.toLowerCase(), base = plain.get(small) ?? small;
      for (const b of base) out.push({ base: b, rank: rank(b), accent: base === small ? '' : '\u0001', upper: c !== small });
    }
    return out;
  }
  const sign = (a, b) => a < b ? -1 : a > b ? 1 : 0;
  // fast compares two texts of ASCII, by far the most common; undefined is any
  // other case.
  const order = Array.from({ length: 128 }, (_, i) => {
    const c = String.fromCharCode(i);
    return rank(c) * 128 + c.toLowerCase().charCodeAt(0);
  });
  function fast(a, b) {
    let upper = 0;
    const n = Math.min(a.length, b.length);
    for (let i = 0; i < n; i++) {
      const x = a.charCodeAt(i), y = b.charCodeAt(i);
      if (x < 32 || y < 32 || x > 126 || y > 126) return undefined;
      if (x === y) continue;
      if (order[x] !== order[y]) return ascii.test(a) && ascii.test(b) ? sign(order[x], order[y]) : undefined;
      upper ||= x > y ? -1 : 1;
    }
    if (!ascii.test(a) || !ascii.test(b)) return undefined;
    return sign(a.length, b.length) || upper;
  }
  function compare(a, b, { numeric = false, sensitivity = 'variant', caseFirst = 'false' } = {}) {
    const x = elements(a), y = elements(b);
    let accent = 0, upper = 0, i = 0, j = 0;
    const digits = (list, at) => { let n = at; while (n < list.length && list[n].rank === 100) n++; return n; };
    for (; i < x.length && j < y.length; i++, j++) {
      if (numeric && x[i].rank === 100 && y[j].rank === 100) {
        const p = digits(x, i), q = digits(y, j);
        const of = (list, from, to) => BigInt(list.slice(from, to).map(e => e.base).join(''));
        const d = sign(of(x, i, p), of(y, j, q));
        if (d !== 0) return d;
        [i, j] = [p - 1, q - 1];
        continue;
      }
      const d = sign(x[i].rank, y[j].rank) || sign(x[i].base, y[j].base);
      if (d !== 0) return d;
      accent ||= sign(x[i].accent, y[j].accent);
      upper ||= sign(x[i].upper, y[j].upper);
    }
    const length = sign(x.length - i, y.length - j);
    if (length !== 0) return length;
    if (caseFirst === 'upper') upper = -upper;
    return sensitivity === 'base' ? 0 : sensitivity === 'accent' ? accent : sensitivity === 'case' ? upper : accent || upper;
  }
  method(String.prototype, 'localeCompare', function localeCompare(other, locales, options) {
    american(locales);
    const a = `${this}`, b = `${other}`;
    if (a === b) return 0;
    return (options === undefined ? fast(a, b) : undefined) ?? compare(a, b, options ?? {});
  });

  // Intl is what of it can be had from the above. Calling a constructor without
  // new makes an object too, where node allows that.
  const plainOptions = { locale: 'en-US', numberingSystem: 'latn', timeZone: 'UTC', calendar: 'gregory' };
  function formatter(name, format, more = {}) {
    function Format(locales, options) {
      if (new.target === undefined) return new Format(locales, options);
      american(locales);
      const bound = (...values) => format(values, options);
      bound(...more.probe ?? [0]); // options that are not there are refused now
      Object.defineProperty(this, more.method ?? 'format', { value: bound, writable: true, configurable: true, enumerable: false });
      Object.defineProperty(this, 'resolvedOptions', { value: () => ({ ...plainOptions, ...options }), writable: true, configurable: true, enumerable: false });
    }
    Object.defineProperty(Format, 'name', { value: name });
    Format.supportedLocalesOf = locales => [locales ?? []].flat().filter(l => /^en(-US)?$/.test(`${l}`));
    Format.prototype[Symbol.toStringTag] = `Intl.${name}`;
    return Format;
  }
  const when = d => d === undefined ? new Date() : d instanceof Date ? d : new Date(d);
  const Intl = {
    NumberFormat: formatter('NumberFormat', ([x], options) => number(typeof x === 'bigint' ? x : Number(x), undefined, options)),
    DateTimeFormat: formatter('DateTimeFormat', ([d], options) => date(when(d), undefined, options, numericDate), { probe: [0] }),
    Collator: formatter('Collator', ([a, b], options) => compare(`${a}`, `${b}`, options), { method: 'compare', probe: ['', ''] }),
    PluralRules: formatter('PluralRules', ([n], options) => {
      if (options?.type !== 'ordinal') return n === 1 ? 'one' : 'other';
      const tens = n % 100, ones = n % 10;
      return tens > 10 && tens < 14 ? 'other' : { 1: 'one', 2: 'two', 3: 'few' }[ones] ?? 'other';
    }, { method: 'select' }),
    ListFormat: formatter('ListFormat', ([list], { type = 'conjunction' } = {}) => {
      const all = [...list], word = type === 'disjunction' ? 'or' : 'and';
      if (all.length < 2) return all.join('');
      if (type === 'unit') return all.join(', ');
      return all.length === 2 ? all.join(` ${word} `) : `${all.slice(0, -1).join(', ')}, ${word} ${all.at(-1)}`;
    }, { probe: [[]] }),
    getCanonicalLocales: locales => [locales ?? []].flat(),
    [Symbol.toStringTag]: 'Intl',
  };
  for (const name of ['Segmenter', 'RelativeTimeFormat', 'DisplayNames', 'DurationFormat', 'Locale']) {
    Intl[name] = function () { throw new RangeError(`Intl.${name} is not there: the sandbox has no language data`); };
  }
  kit.define('Intl', Intl);
})
