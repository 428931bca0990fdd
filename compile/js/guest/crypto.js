// crypto: digests, which the host computes, and random numbers, which come from
// a fixed seed unless random was granted. And zlib, which the host computes too.
(kit => {
  'use strict';
  const { host, define, bytesOf } = kit;
  const input = (data, coding) => typeof data === 'string' ? kit.toBuffer(data, coding) : bytesOf(data);
  const output = (bytes, coding) => {
    const buffer = kit.toBuffer(bytes);
    return coding === undefined || coding === 'buffer' ? buffer : kit.encoding(coding).to(buffer);
  };
  const nameOf = algorithm => `${algorithm}`.toLowerCase().replace(/^sha-(?=\d)/, 'sha').replace(/^rsa-/, '');

  class Hash {
    #name; #key; #parts; #done = false;
    constructor(name, key, parts = []) {
      this.#name = name;
      this.#key = key;
      this.#parts = parts;
      if (parts.length === 0) host.hash(name, new Uint8Array(0), key); // is there such an algorithm?
    }
    update(data, coding) {
      if (this.#done) throw Object.assign(new Error('Digest already called'), { code: 'ERR_CRYPTO_HASH_FINALIZED' });
      this.#parts.push(Uint8Array.from(input(data, coding)));
      return this;
    }
    digest(coding) {
      if (this.#done) throw Object.assign(new Error('Digest already called'), { code: 'ERR_CRYPTO_HASH_FINALIZED' });
      this.#done = true;
      return output(host.hash(this.#name, Buffer.concat(this.#parts), this.#key), coding);
    }
    copy() { return new Hash(this.#name, this.#key, [...this.#parts]); }
  }

  const random = size => {
    const out = Buffer.alloc(size);
    for (let at = 0; at < size; at += 65536) out.set(host.random(Math.min(65536, size - at)), at);
    return out;
  };
  function randomUUID() {
    const b = host.random(16);
    b[6] = b[6] & 15 | 64;
    b[8] = b[8] & 63 | 128;
    const hex = Array.from(b, x => x.toString(16).padStart(2, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }
  function randomInt(min, max, done) {
    if (max === undefined || typeof max === 'function') [min, max, done] = [0, min, max];
    const range = max - min;
    if (!(Number.isSafeInteger(min) && Number.isSafeInteger(max) && range > 0 && range < 2 ** 48)) throw Object.assign(new RangeError(`no whole number lies between ${min} and ${max}`), { code: 'ERR_OUT_OF_RANGE' });
    const draw = () => host.random(6).reduce((n, b) => n * 256 + b, 0);
    const limit = 2 ** 48 - 2 ** 48 % range;
    let n = draw();
    while (n >= limit) n = draw();
    if (done) return void kit.nextTick(done, null, n % range + min);
    return n % range + min;
  }
  function getRandomValues(into) {
    new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(host.random(into.byteLength));
    return into;
  }
  const subtle = {
    async digest(algorithm, data) { return host.hash(nameOf(algorithm?.name ?? algorithm), Uint8Array.from(bytesOf(data))).buffer; },
  };
  const web = { getRandomValues, randomUUID, subtle };
  define('crypto', web);
  const refuse = name => () => { throw new Error(`crypto.${name} is not there; there are digests, HMACs and random numbers`); };
  kit.crypto = {
    createHash: name => new Hash(nameOf(name)),
    createHmac: (name, key) => new Hash(nameOf(name), Uint8Array.from(input(key))),
    hash: (name, data, coding = 'hex') => output(host.hash(nameOf(name), input(data)), coding),
    getHashes: () => JSON.parse(host.hash()),
    randomUUID, randomInt, getRandomValues, webcrypto: web, subtle, Hash,
    randomBytes: (size, done) => done ? void kit.nextTick(done, null, random(size)) : random(size),
    randomFillSync: into => (bytesOf(into).set(random(into.byteLength)), into),
    timingSafeEqual: (a, b) => {
      const x = bytesOf(a), y = bytesOf(b);
      if (x.length !== y.length) throw Object.assign(new RangeError('Input buffers must have the same byte length'), { code: 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH' });
      return x.every((v, i) => v === y[i]);
    },
  };
  for (const name of ['createCipheriv', 'createDecipheriv', 'createSign', 'createVerify', 'generateKeyPairSync', 'pbkdf2Sync', 'scryptSync', 'sign', 'verify']) kit.crypto[name] = refuse(name);

  const pair = (name, f) => ({
    [`${name}Sync`]: data => kit.toBuffer(f(input(data))),
    [name](data, options, done = options) {
      let outcome;
      try { outcome = [null, kit.toBuffer(f(input(data)))]; } catch (e) { outcome = [e]; }
      kit.nextTick(done, ...outcome);
    },
  });
  kit.zlib = {
    ...pair('gzip', b => host.pack('gzip', b)), ...pair('gunzip', b => host.unpack('gzip', b)),
    ...pair('deflate', b => host.pack('deflate', b)), ...pair('inflate', b => host.unpack('deflate', b)),
    ...pair('deflateRaw', b => host.pack('raw', b)), ...pair('inflateRaw', b => host.unpack('raw', b)),
    ...pair('unzip', b => host.unpack(b[0] === 0x1f ? 'gzip' : 'deflate', b)),
    constants: { Z_DEFAULT_COMPRESSION: -1, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9 },
  };
  for (const name of ['createGzip', 'createGunzip', 'createDeflate', 'createInflate', 'brotliCompressSync', 'brotliDecompressSync']) kit.zlib[name] = () => { throw new Error(`zlib.${name} is not there; there are gzipSync, gunzipSync, deflateSync and inflateSync`); };
})
