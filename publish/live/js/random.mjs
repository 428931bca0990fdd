// Random numbers as the sandbox gives them: the byte stream of ChaCha8Rand
// (C2SP chacha8rand), which Go calls math/rand/v2.ChaCha8.

const word = (bytes, at) => (bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24) >>> 0;

// seedOf is the key of a run: its seed in the first eight bytes.
export function seedOf(seed = 0n) {
  const key = new Uint8Array(32);
  new DataView(key.buffer).setBigUint64(0, BigInt(seed), true);
  return key;
}

function quarter(x, a, b, c, d) {
  x[a] = x[a] + x[b] | 0; x[d] ^= x[a]; x[d] = x[d] << 16 | x[d] >>> 16;
  x[c] = x[c] + x[d] | 0; x[b] ^= x[c]; x[b] = x[b] << 12 | x[b] >>> 20;
  x[a] = x[a] + x[b] | 0; x[d] ^= x[a]; x[d] = x[d] << 8 | x[d] >>> 24;
  x[c] = x[c] + x[d] | 0; x[b] ^= x[c]; x[b] = x[b] << 7 | x[b] >>> 25;
}

// block fills 1024 bytes: sixteen ChaCha8 blocks, four at a time with their
// words side by side. The key is added to the key's words only.
function block(key) {
  const out = new Uint8Array(1024);
  const view = new DataView(out.buffer);
  for (let counter = 0; counter < 16; counter++) {
    const x = new Int32Array(16);
    x.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
    for (let i = 0; i < 8; i++) x[4 + i] = word(key, 4 * i);
    x[12] = counter;
    for (let round = 0; round < 4; round++) {
      quarter(x, 0, 4, 8, 12); quarter(x, 1, 5, 9, 13); quarter(x, 2, 6, 10, 14); quarter(x, 3, 7, 11, 15);
      quarter(x, 0, 5, 10, 15); quarter(x, 1, 6, 11, 12); quarter(x, 2, 7, 8, 13); quarter(x, 3, 4, 9, 14);
    }
    for (let i = 0; i < 8; i++) x[4 + i] = x[4 + i] + word(key, 4 * i) | 0;
    for (let i = 0; i < 16; i++) view.setInt32((counter >> 2) * 256 + i * 16 + (counter & 3) * 4, x[i], true);
  }
  return out;
}

// Random is an endless stream of bytes; the last 32 of each kilobyte are the
// next key.
export class Random {
  constructor(key) {
    this.key = key;
    this.buffer = new Uint8Array(0);
    this.at = 0;
  }

  fill(into) {
    for (let done = 0; done < into.length;) {
      if (this.at === this.buffer.length) {
        const next = block(this.key);
        this.key = next.slice(992);
        this.buffer = next.subarray(0, 992);
        this.at = 0;
      }
      const n = Math.min(into.length - done, this.buffer.length - this.at);
      into.set(this.buffer.subarray(this.at, this.at + n), done);
      this.at += n;
      done += n;
    }
  }
}
