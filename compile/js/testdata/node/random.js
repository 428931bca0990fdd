// Random values, the same ones everywhere: what console.log makes of them.
let state = 12345;
const rnd = n => (state = (state * 1103515245 + 12345) % 2147483648) % n;
const words = ['a', 'bb', 'name', 'a longer text with spaces', "it's", 'say "hi"', 'multi\nline', '日本', '😀 ok', 'tab\there', '', 'x'.repeat(30), 'y'.repeat(90), '`${q}`', '\u0007', "it's \"both\"", 'é'.repeat(20)];
const keys = ['a', 'b', 'id', 'name', 'a-b', '1', 'with space', 'camelCase', '$dollar', 'ключ', '_x'];
class Point { constructor() { this.x = rnd(10); this.y = rnd(1000); } }
class Named extends Map { get [Symbol.toStringTag]() { return 'Tagged'; } }
function value(depth) {
  const k = rnd(depth > 4 ? 9 : 26);
  switch (k) {
    case 0: return rnd(10);
    case 1: return rnd(1e9) / 7;
    case 2: return words[rnd(words.length)];
    case 3: return rnd(2) === 0;
    case 4: return null;
    case 5: return undefined;
    case 6: return BigInt(rnd(1e6));
    case 7: return -rnd(1e6);
    case 8: return words[rnd(words.length)];
    case 9: case 10: case 11: return Array.from({ length: rnd(12) }, () => value(depth + 1));
    case 12: return Array.from({ length: rnd(140) }, () => rnd(10 ** (1 + rnd(5))));
    case 13: return Array.from({ length: rnd(40) }, () => words[rnd(6)]);
    case 14: case 15: case 16: case 17: { const o = {}; for (let i = rnd(8); i > 0; i--) o[keys[rnd(keys.length)]] = value(depth + 1); return o; }
    case 18: { const m = new Map(); for (let i = rnd(5); i > 0; i--) m.set(value(depth + 2), value(depth + 1)); return m; }
    case 19: { const s = new Set(); for (let i = rnd(9); i > 0; i--) s.add(value(depth + 1)); return s; }
    case 20: return new Point();
    case 21: return [() => 1, function f() {}, class K {}, Symbol('s'), /re/gi, new Date(rnd(1e9))][rnd(6)];
    case 22: { const a = [1, 2, 3]; if (rnd(2)) a.extra = value(depth + 1); else delete a[1]; return a; }
    case 23: { const o = { self: null, n: value(depth + 1) }; o.self = o; return o; }
    case 24: return new [Uint8Array, Float64Array, Int16Array][rnd(3)](rnd(20)).map(() => rnd(300));
    default: return new Named([[rnd(9), value(depth + 1)]]);
  }
}
for (let i = 0; i < 1500; i++) console.log(value(0));
