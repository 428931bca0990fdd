// SHA-256, for pages that are served without the browser's own: it is there
// only in secure contexts.

const primes = [];
for (let n = 2; primes.length < 64; n++) {
  if (primes.every((p) => n % p)) primes.push(n);
}
const fraction = (x) => (x - Math.floor(x)) * 2 ** 32 | 0;
const k = primes.map((p) => fraction(Math.cbrt(p)));
const turn = (x, n) => x >>> n | x << 32 - n;

// sha256 is the digest of bytes in hex.
export function sha256(bytes) {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const h = Int32Array.from(primes.slice(0, 8), (p) => fraction(Math.sqrt(p)));
  const w = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >>> 3) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >>> 10) | 0;
    }
    const s = h.slice();
    for (let i = 0; i < 64; i++) {
      const t = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + (s[4] & s[5] ^ ~s[4] & s[6]) + k[i] + w[i] | 0;
      const u = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + (s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]) | 0;
      s.copyWithin(1, 0, 7);
      s[4] = s[4] + t | 0;
      s[0] = t + u | 0;
    }
    for (let i = 0; i < 8; i++) h[i] = h[i] + s[i] | 0;
  }
  return Array.from(h, (x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
}
