// The verifier of pages, sites and bundles for browsers and Node: the same
// checks in the same order as the Go package wb/publish/verify, with the same
// codes. It needs WebCrypto with Ed25519 and nothing else.
//
//   verifyPage(bytes, options)    one HTML page
//   verifySite(files, options)    a Map from path to bytes
//   verifyBundle(bytes, options)  a .wbundle
//
// bytes are Uint8Arrays. options: want (a did:key), keys (text of a key log),
// known ({sequence, manifest_sha256, keys, log_root}), partial. Each gives a
// report: {valid, kind, signature, asset_integrity, issuer_did, …, code, path,
// message}.

class Fault extends Error {
  constructor(code, text, path = "") {
    super(text);
    this.code = code;
    this.path = path;
  }
}

const fail = (code, text, path) => {
  throw new Fault(code, text, path);
};

// within says which file a failure is about.
async function within(path, work) {
  try {
    return await work();
  } catch (e) {
    if (e instanceof Fault && !e.path) e.path = path;
    throw e;
  }
}

// ---- bytes ----

const utf8 = new TextEncoder();
const latin1 = (bytes) => {
  let out = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    out += String.fromCharCode.apply(null, bytes.subarray(at, at + 8192));
  }
  return out;
};
const fromLatin1 = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));
const decode = (bytes) => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail("json-encoding", "not UTF-8");
  }
};
const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
const unhex = (text) => Uint8Array.from(text.match(/../g), (b) => parseInt(b, 16));
const equal = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
const concat = (...parts) => {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
};
const lower = (text) => text.replace(/[A-Z]/g, (c) => c.toLowerCase());
const base64 = (bytes) => btoa(latin1(bytes));
const unbase64 = (text) => {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4) return null;
  const bytes = fromLatin1(atob(text));
  return base64(bytes) === text ? bytes : null;
};
const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const digest = async (bytes) => hex(await sha256(bytes));

// ---- canonical JSON (RFC 8785), read strictly ----

const maxDepth = 64;
const escapes = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class Parser {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }
  invalid(text) {
    fail("json-invalid", `character ${this.at}: ${text}`);
  }
  space() {
    while (" \t\n\r".includes(this.text[this.at] ?? "x")) this.at++;
  }
  document() {
    this.space();
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) this.invalid("text after the value");
    return value;
  }
  value(depth) {
    if (depth > maxDepth) fail("json-depth", `nested deeper than ${maxDepth}`);
    const c = this.text[this.at] ?? "";
    if (c === "{") return this.object(depth);
    if (c === "[") return this.array(depth);
    if (c === '"') return this.string();
    if (c === "-" || (c >= "0" && c <= "9")) return this.number();
    for (const [word, value] of [["true", true], ["false", false], ["null", null]]) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    return this.invalid("expected a value");
  }
  // next reads , or the end of a container.
  next(end) {
    this.space();
    const c = this.text[this.at];
    if (c !== "," && c !== end) this.invalid(`expected , or ${end}`);
    this.at++;
    return c === ",";
  }
  empty(end) {
    this.at++;
    this.space();
    if (this.text[this.at] !== end) return false;
    this.at++;
    return true;
  }
  array(depth) {
    const out = [];
    if (this.empty("]")) return out;
    do {
      this.space();
      out.push(this.value(depth + 1));
    } while (this.next("]"));
    return out;
  }
  object(depth) {
    const out = new Map(); // not an object: __proto__ is a name like others
    if (this.empty("}")) return out;
    do {
      this.space();
      if (this.text[this.at] !== '"') this.invalid("expected a member's name");
      const name = this.string();
      if (out.has(name)) fail("json-duplicate-key", `member ${JSON.stringify(name)} a second time`);
      this.space();
      if (this.text[this.at] !== ":") this.invalid("expected :");
      this.at++;
      this.space();
      out.set(name, this.value(depth + 1));
    } while (this.next("}"));
    return out;
  }
  number() {
    const pattern = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
    pattern.lastIndex = this.at;
    const m = pattern.exec(this.text);
    if (!m) this.invalid("bad number");
    this.at += m[0].length;
    if (/[0-9.eE]/.test(this.text[this.at] ?? "")) this.invalid("bad number");
    const n = Number(m[0]);
    if (!Number.isFinite(n)) fail("json-number", "number too large");
    if (!m[1] && !m[2] && m[0] !== "-0" && String(n) !== m[0]) fail("json-number", "a double would round this integer");
    return n;
  }
  string() {
    this.at++;
    let out = "";
    for (;;) {
      if (this.at >= this.text.length) this.invalid("string without end");
      const c = this.text[this.at++];
      if (c === '"') return out;
      if (c < " ") this.invalid("control character in a string");
      if (c !== "\\") {
        out += c;
        continue;
      }
      const e = this.text[this.at] ?? "";
      if (Object.hasOwn(escapes, e)) {
        out += escapes[e];
        this.at++;
        continue;
      }
      if (e !== "u") this.invalid("unknown escape");
      out += this.escaped();
    }
  }
  escaped() {
    const unit = this.unit();
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    if (this.text[this.at] !== "\\" || this.text[this.at + 1] !== "u") fail("json-encoding", "half of a surrogate pair");
    this.at++;
    const low = this.unit();
    if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) fail("json-encoding", "half of a surrogate pair");
    return String.fromCharCode(unit, low);
  }
  unit() {
    const digits = this.text.slice(this.at + 1, this.at + 5);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.invalid("bad \\u escape");
    this.at += 5;
    return parseInt(digits, 16);
  }
}

const parse = (bytes) => new Parser(decode(bytes)).document();

// canonical writes a parsed value; sort and JSON.stringify do as RFC 8785 says.
function canonical(value) {
  if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]";
  if (value instanceof Map) {
    const names = [...value.keys()].sort();
    return "{" + names.map((n) => JSON.stringify(n) + ":" + canonical(value.get(n))).join(",") + "}";
  }
  return JSON.stringify(value);
}

function check(bytes) {
  const value = parse(bytes);
  if (!equal(utf8.encode(canonical(value)), bytes)) fail("json-noncanonical", "not in canonical form");
  return value;
}

// plain turns Maps into objects for reports.
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([k, v]) => [k, plain(v)]));
  return value;
}

// Shapes of manifests: exactly these members, of these types.
const text = (v) => typeof v === "string";
const integer = (v) => Number.isInteger(v);
const object = (v) => v instanceof Map;
const listOf = (shape) => (v) => Array.isArray(v) && v.every((e) => matches(e, shape));
const matches = (v, shape) =>
  v instanceof Map && v.size === Object.keys(shape).length && Object.entries(shape).every(([name, is]) => v.has(name) && is(v.get(name)));

const assertionShape = { label: text, data: object };
const pageShape = {
  version: text, issuer_did: text, claim_generator: text, issued_at: text, asset_sha256: text,
  assertions: listOf(assertionShape), signature: text,
};
const fileShape = { path: text, size: integer, sha256: text };
const siteShape = {
  version: text, kind: text, identity_did: text, issuer_did: text, claim_generator: text, issued_at: text, sequence: integer,
  root: text, files: listOf(fileShape), assertions: listOf(assertionShape), signature: text,
};
const detachedShape = {
  version: text, identity_did: text, issuer_did: text, claim_generator: text, issued_at: text,
  size: integer, sha256: text, assertions: listOf(assertionShape), keys: text, signature: text,
};
const entryShape = {
  version: text, kind: text, index: integer, previous: text, signer: text, key: text, sequence: integer, reason: text, at: text,
  signature: text, proof: text,
};
const releaseShape = { version: text, sequence: integer, manifest_sha256: text };

function versioned(value, version, shape) {
  if (!(value instanceof Map)) fail("manifest-fields", "the manifest is no object");
  if (!text(value.get("version"))) fail("manifest-fields", "the manifest has no version");
  if (value.get("version") !== version) fail("manifest-version", `version ${value.get("version")}, this program reads ${version}`);
  if (!matches(value, shape)) fail("manifest-fields", "a field is missing, unknown or of the wrong type");
  return value;
}

// without is the canonical form of a manifest without some of its members.
function without(value, ...names) {
  const rest = new Map(value);
  for (const name of names) rest.delete(name);
  return utf8.encode(canonical(rest));
}

// ---- strict Ed25519 ----

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const fieldPrime = (1n << 255n) - 19n;
const groupOrder = (1n << 252n) + 27742317777372353535851937790883648493n;
const number = (bytes) => bytes.reduceRight((n, b) => (n << 8n) | BigInt(b), 0n);
const smallY = new Set([
  0n, 1n, fieldPrime - 1n,
  number(unhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")),
  number(unhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")),
]);
const yOf = (point) => number(point) & ((1n << 255n) - 1n);

function publicKey(did) {
  const bad = () => fail("key-malformed", `${did} is no Ed25519 did:key`);
  if (!did.startsWith("did:key:z") || did.length > 137) bad();
  let n = 0n;
  const digits = did.slice(9);
  for (const c of digits) {
    if (!alphabet.includes(c)) bad();
    n = n * 58n + BigInt(alphabet.indexOf(c));
  }
  let text = n === 0n ? "" : n.toString(16);
  if (text.length % 2) text = "0" + text;
  const zeros = digits.match(/^1*/)[0].length;
  const bytes = concat(new Uint8Array(zeros), text ? unhex(text) : new Uint8Array());
  if (bytes.length !== 34 || bytes[0] !== 0xed || bytes[1] !== 0x01) bad();
  const key = bytes.slice(2);
  if (yOf(key) >= fieldPrime) fail("key-noncanonical", `${did} encodes a point in a second way`);
  if (smallY.has(yOf(key))) fail("key-weak", `${did} is a point of small order`);
  return key;
}

async function verifyRaw(key, message, signature) {
  const commitment = signature.subarray(0, 32);
  if (number(signature.subarray(32)) >= groupOrder || yOf(commitment) >= fieldPrime) {
    fail("signature-noncanonical", "a second spelling of a signature");
  }
  if (smallY.has(yOf(commitment))) fail("signature-weak", "its commitment is a point of small order");
  let good = false;
  try {
    const k = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
    good = await crypto.subtle.verify({ name: "Ed25519" }, k, signature, message);
  } catch (e) {
    if (e.name === "NotSupportedError") throw e; // no verdict in this browser
  }
  if (!good) fail("signature-invalid", "the key did not sign this");
}

async function verifySignature(did, message, encoded) {
  const key = publicKey(did);
  const signature = unbase64(encoded);
  if (!signature || signature.length !== 64) fail("signature-malformed", "not the base64 of 64 bytes");
  await verifyRaw(key, message, signature);
}

// ---- key logs ----

const genesis = "genesis", rotate = "rotate", revoke = "revoke";
const noSequence = -1;

class KeyLog {
  constructor(bytes) {
    this.text = latin1(bytes);
    this.entries = [];
    this.gone = new Map();
  }
  static async parse(bytes) {
    const log = new KeyLog(bytes);
    if (!log.text.endsWith("\n")) fail("keylog-malformed", "does not end with a line");
    const lines = log.text.slice(0, -1).split("\n").map(fromLatin1);
    for (const [i, line] of lines.entries()) {
      const entry = check(line);
      if (!matches(entry, entryShape)) fail("keylog-malformed", `entry ${i} lacks fields or has others`);
      await log.add(entry, i, i ? await digest(lines[i - 1]) : "");
      log.entries.push(entry);
    }
    return log;
  }
  async add(e, i, previous) {
    const broken = (why) => fail("keylog-chain", `entry ${i} ${why}`);
    const [kind, signer, key] = ["kind", "signer", "key"].map((n) => e.get(n));
    if (e.get("version") !== "workbooks-keylog/1") fail("keylog-malformed", `entry ${i} is of another version`);
    if (e.get("sequence") < 0) fail("keylog-malformed", `entry ${i} has a negative sequence`);
    if (e.get("index") !== i) broken("stands elsewhere");
    if ((kind === genesis) !== (i === 0)) broken(`is of kind ${kind}`);
    if (i === 0) {
      if (signer !== key || e.get("previous") !== "") broken("is not its own signer's");
      return this.signed(e, i);
    }
    if (e.get("previous") !== previous) broken("does not follow the one before");
    if (signer !== this.current()) broken("is by a key that was not current");
    if (this.gone.get(signer)?.get("kind") === revoke) broken("is by a revoked key");
    await this.signed(e, i);
    if (kind === rotate) {
      if (this.has(key)) broken("reinstates a revoked key");
      this.gone.set(signer, e);
    } else if (kind === revoke) {
      if (!this.has(key)) broken("revokes a key that the log never had");
      this.gone.set(key, e);
    } else fail("keylog-malformed", `entry ${i} is of kind ${kind}`);
  }
  async signed(e, i) {
    const message = without(e, "signature", "proof");
    const verified = async (did, signature) => {
      try {
        await verifySignature(did, message, signature);
      } catch (err) {
        if (!(err instanceof Fault)) throw err;
        fail("keylog-signature", `entry ${i}: ${err.message}`);
      }
    };
    await verified(e.get("signer"), e.get("signature"));
    if (e.get("kind") === rotate) return verified(e.get("key"), e.get("proof"));
    if (e.get("proof") !== "") fail("keylog-malformed", `entry ${i} has a superfluous proof`);
  }
  has(key) {
    return this.entries.some((e) => e.get("kind") !== revoke && e.get("key") === key);
  }
  current() {
    return this.entries.findLast((e) => e.get("kind") !== revoke)?.get("key");
  }
  identity() {
    return this.entries[0].get("key");
  }
  allows(key, sequence) {
    if (!this.has(key)) fail("key-unknown", `${key} is not in the key log of ${this.identity()}`);
    const end = this.gone.get(key);
    if (!end) return;
    const from = end.get("sequence");
    if (end.get("kind") === revoke && (sequence === noSequence || sequence >= from)) fail("key-revoked", `${key} was revoked from release ${from} on`);
    if (end.get("kind") === rotate && sequence >= from) fail("key-retired", `${key} gave way at release ${from}`);
  }
  continues(old) {
    if (!this.text.startsWith(old)) fail("keylog-rollback", "the key log lacks entries that it had before");
  }
}

// keyText is a key log given as text or bytes, in the form KeyLog compares.
const keyText = (log) => (log === undefined || log === "" ? "" : latin1(typeof log === "string" ? utf8.encode(log) : log));

// ---- pages ----

// Put together from parts, since this text stands in pages itself.
const tag = "<" + "script";
const elementOpen = tag + ' type="application/workbooks-c2pa+json" id="wb-c2pa-manifest">';
const bundleOpen = tag + ' type="application/workbooks-bundle+zip;base64" id="wb-bundle">';
const elementClose = "</" + "script>\n";
const siteLabel = "workbooks.site", sourceLabel = "workbooks.source";

function scriptTags(low, id) {
  const out = [];
  for (let at = low.indexOf(tag); at >= 0; at = low.indexOf(tag, at + tag.length)) {
    let end = low.indexOf(">", at);
    const last = end < 0;
    if (last) end = low.length;
    if (low.slice(at, end).includes(id)) out.push(at);
    if (last) break;
  }
  return out;
}

function locate(page) {
  const low = lower(page);
  const tags = scriptTags(low, "wb-c2pa-manifest");
  if (tags.length === 0) fail("manifest-missing", "the page has no manifest");
  if (tags.length > 1) fail("manifest-duplicate", `the page has ${tags.length} manifests`);
  const start = tags[0];
  let end = low.lastIndexOf("</body");
  if (end < 0) end = page.length;
  const body = start + elementOpen.length;
  if (!page.startsWith(elementOpen, start)) fail("manifest-altered", "the manifest's tag is not spelled as it must be");
  if (end < body + elementClose.length || !page.slice(body, end).endsWith(elementClose)) {
    fail("manifest-misplaced", "the manifest does not stand right before the end of the body");
  }
  const text = page.slice(body, end - elementClose.length);
  if (text.includes("<")) fail("manifest-unescaped", "a < in the manifest");
  return { start, end, text };
}

function readPage(bytes) {
  const page = latin1(bytes);
  const { start, end, text } = locate(page);
  const raw = fromLatin1(text);
  const value = parse(raw);
  const spelled = utf8.encode(canonical(value).replaceAll("<", "\\u003c"));
  if (!equal(spelled, raw)) fail("json-noncanonical", "the manifest is not in canonical form");
  return {
    manifest: versioned(value, "workbooks-c2pa/1", pageShape),
    covered: concat(bytes.subarray(0, start), bytes.subarray(end)),
  };
}

const signed = (m) => verifySignature(m.get("issuer_did"), without(m, "signature"), m.get("signature"));

function releaseOf(manifest) {
  const a = manifest.get("assertions").find((a) => a.get("label") === siteLabel);
  const sequence = a?.get("data").get("sequence");
  return integer(sequence) ? { identity: a.get("data").get("identity_did"), sequence } : null;
}

async function page(r, bytes, options) {
  const { manifest, covered } = readPage(bytes);
  r.issuer_did = manifest.get("issuer_did");
  r.issued_at = manifest.get("issued_at");
  r.assertions = plain(manifest.get("assertions"));
  r.asset_integrity = (await digest(covered)) === manifest.get("asset_sha256");
  await signed(manifest);
  r.signature = true;
  if (!r.asset_integrity) fail("asset-changed", "the page is not the one that was signed");
  if (options.keys) {
    const log = await KeyLog.parse(fromLatin1(keyText(options.keys)));
    r.identity_did = log.identity();
    log.allows(r.issuer_did, noSequence);
  }
  await revoked(r.issuer_did, noSequence, options.heard);
  wanted(r, options.want);
  await embedded(covered, manifest);
  return manifest;
}

// revoked refuses what a key signed that a log says is not to be believed. What
// else the log says is for other checks.
async function revoked(key, sequence, log) {
  if (!keyText(log)) return;
  const known = await KeyLog.parse(fromLatin1(keyText(log)));
  try {
    known.allows(key, sequence);
  } catch (e) {
    if (e.code === "key-revoked") throw e;
    if (!(e instanceof Fault)) throw e;
  }
}

function wanted(r, did) {
  if (did && did !== r.issuer_did && did !== r.identity_did) fail("issuer-unexpected", `signed by ${r.issuer_did}, not by ${did}`);
}

function extract(bytes) {
  const html = latin1(bytes);
  const start = html.indexOf(bundleOpen);
  if (start < 0) return null;
  const text = html.slice(start + bundleOpen.length);
  const end = text.indexOf("<");
  if (text.includes(bundleOpen)) fail("bundle-malformed", "the page holds two bundles");
  if (end < 0 || !text.startsWith(elementClose, end)) fail("bundle-malformed", "the bundle's element does not end");
  return unbase64(text.slice(0, end)) ?? fail("bundle-malformed", "the bundle is not base64");
}

async function embedded(html, manifest) {
  const zip = extract(html);
  if (!zip) return;
  const inner = await verifyBundle(zip, { want: manifest.get("issuer_did") });
  if (!inner.valid) fail(inner.code, inner.message, inner.path || "wb-bundle");
  await sources(manifest, unpack(zip));
}

async function sources(manifest, files) {
  for (const a of manifest.get("assertions")) {
    if (a.get("label") !== sourceLabel) continue;
    const path = a.get("data").get("path") ?? "";
    const data = files.get(path);
    if (!data || (await digest(data)) !== a.get("data").get("sha256")) fail("statement-mismatch", "is not the source the page was made from", path);
  }
}

// ---- bundles ----

function unpack(data) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const u16 = (at) => view.getUint16(at, true), u32 = (at) => view.getUint32(at, true);
  const end = latin1(data).lastIndexOf("PK\x05\x06");
  if (end < 0 || data.length - end < 22) fail("zip-malformed", "no end of a zip file");
  if (data.length - end > 22) fail("zip-hidden", "bytes behind the end");
  const count = u16(end + 10), start = u32(end + 16);
  if (u32(end + 4) !== 0 || u16(end + 8) !== count) fail("zip-malformed", "spans disks");
  if (start + u32(end + 12) !== end) fail("zip-malformed", "the directory is not where the end says");
  const files = new Map(), folded = new Set();
  let dir = start, at = 0;
  for (let i = 0; i < count; i++) {
    if (end - dir < 46 || u32(dir) !== 0x02014b50) fail("zip-malformed", "the directory is cut short");
    const nameLen = u16(dir + 28);
    if (end - dir < 46 + nameLen) fail("zip-malformed", "the directory is cut short");
    const rawName = data.subarray(dir + 46, dir + 46 + nameLen);
    let name;
    try {
      name = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(rawName);
    } catch {
      fail("zip-path", "a name that is not UTF-8");
    }
    const bad = (code, why) => fail(code, why, name);
    if (!safePath(name)) bad("zip-path", "a name that could leave the directory");
    if (folded.has(lower(name))) bad("zip-duplicate", "a second time");
    if ((u16(dir + 8) & ~0x800) !== 0 || u16(dir + 10) !== 0) bad("zip-method", "compressed or encrypted");
    if (u16(dir + 30) !== 0 || u16(dir + 32) !== 0) bad("zip-hidden", "has extra fields or a comment");
    if (u16(dir + 34) !== 0) bad("zip-malformed", "on another disk");
    const type = u32(dir + 38) >>> 28;
    if (type !== 0o10 && type !== 0) bad("file-irregular", "a link or a device");
    folded.add(lower(name));
    if (u32(dir + 42) !== at) bad("zip-hidden", "does not begin where the file before ends");
    const size = u32(dir + 20), body = at + 30 + nameLen;
    if (body + size > start || body > start) bad("zip-malformed", "is cut short");
    if (u32(at) !== 0x04034b50) bad("zip-malformed", "has no header of its own");
    if (!equal(data.subarray(at + 4, at + 28), data.subarray(dir + 6, dir + 30)) || !equal(data.subarray(at + 30, body), rawName)) {
      bad("zip-mismatch", "the directory and the file's own header differ");
    }
    if (u16(at + 28) !== 0) bad("zip-hidden", "has extra fields");
    if (u32(dir + 24) !== size) bad("zip-size", "stored, yet of two sizes");
    const content = data.subarray(body, body + size);
    if (crc32(content) !== u32(dir + 16)) bad("zip-checksum", "its checksum is wrong");
    files.set(name, content);
    at = body + size;
    dir += 46 + nameLen;
  }
  if (dir !== end || at !== start) fail("zip-hidden", "bytes between the files and the directory");
  return files;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});
function crc32(bytes) {
  let crc = 0xffffffff;
  for (const b of bytes) crc = crcTable[(crc ^ b) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function safePath(path) {
  if (path === "" || utf8.encode(path).length > 1024 || /[\\:*?"<>|\x00-\x1f\x7f]/.test(path)) return false;
  return path.split("/").every((part) => part !== "" && !part.endsWith(".") && !part.endsWith(" "));
}

// ---- sites ----

const sitePath = ".well-known/wb-site.json", keysPath = ".well-known/wb-keys.jsonl", logPrefix = ".well-known/wb-log/";
const bundlePath = "manifest.json", bundleKeysPath = "keys.jsonl";
const isPage = (path) => /\.html?$/.test(lower(path));

async function readManifest(r, bytes, kind) {
  const m = versioned(check(bytes), "workbooks-site/1", siteShape);
  const k = m.get("kind"), sequence = m.get("sequence");
  if (k !== "site" && k !== "bundle") fail("manifest-fields", `kind ${k}`);
  if ((k === "site" && sequence < 1) || (k === "bundle" && sequence !== 0)) fail("manifest-fields", `a ${k} with sequence ${sequence}`);
  r.issuer_did = m.get("issuer_did");
  r.identity_did = m.get("identity_did");
  r.issued_at = m.get("issued_at");
  r.sequence = sequence;
  r.files = m.get("files").length;
  r.assertions = plain(m.get("assertions"));
  await signed(m);
  r.signature = true;
  if (k !== kind) fail("bundle-kind", `the manifest is that of a ${k}`);
  await checkList(m);
  return m;
}

async function checkList(m) {
  const folded = new Set();
  let before = null;
  const files = m.get("files");
  for (const f of files) {
    const path = f.get("path");
    const reserved = m.get("kind") === "bundle" ? path === bundlePath : path === sitePath || path.startsWith(logPrefix);
    if (!safePath(path) || reserved) fail("path-unsafe", "a path that a file must not have", path);
    if (before !== null && before >= path) fail("file-order", "out of order, or a second time", path);
    if (folded.has(lower(path))) fail("path-collision", "differs from another by case alone", path);
    folded.add(lower(path));
    before = path;
  }
  const leaves = await Promise.all(files.map((f) => leafHash(utf8.encode(canonical(f)))));
  if (hex(await treeHash(leaves)) !== m.get("root")) fail("root-mismatch", "the list is not the one its root names");
}

const leafHash = (entry) => sha256(concat(new Uint8Array([0]), entry));
async function treeHash(leaves) {
  if (leaves.length === 0) return sha256(new Uint8Array());
  if (leaves.length === 1) return leaves[0];
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return sha256(concat(new Uint8Array([1]), await treeHash(leaves.slice(0, half)), await treeHash(leaves.slice(half))));
}

const bytewise = (a, b) => {
  const [x, y] = [utf8.encode(a), utf8.encode(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
};

async function contents(r, m, files, partial) {
  const listed = new Set(m.get("files").map((f) => f.get("path")));
  const extra = new Map(), unlisted = [];
  for (const path of [...files.keys()].sort(bytewise)) {
    const own = m.get("kind") === "bundle" ? path === bundlePath : path === sitePath || path.startsWith(logPrefix);
    if (listed.has(path) || own) continue;
    unlisted.push(path);
    extra.set(await digest(files.get(path)), path);
  }
  for (const f of m.get("files")) await same(m, f, files, extra);
  if (unlisted.length && !partial) fail("file-unlisted", "is not in the manifest", unlisted[0]);
  r.asset_integrity = true;
}

async function same(m, f, files, extra) {
  const path = f.get("path"), data = files.get(path);
  if (!data && extra.has(f.get("sha256"))) fail("file-renamed", `is there as ${extra.get(f.get("sha256"))}`, path);
  if (!data) fail("file-missing", "is in the manifest but does not exist", path);
  if ((await digest(data)) === f.get("sha256") && data.length === f.get("size")) return;
  if (isPage(path) && (await otherRelease(m, data))) fail("snapshot-mixed", "is of another release of the site", path);
  if (data.length !== f.get("size")) fail("file-size", "has another length than in the manifest", path);
  fail("file-changed", "has other bytes than in the manifest", path);
}

async function otherRelease(m, bytes) {
  try {
    const { manifest, covered } = readPage(bytes);
    await signed(manifest);
    const release = releaseOf(manifest);
    return (
      (await digest(covered)) === manifest.get("asset_sha256") &&
      release !== null && release.identity === m.get("identity_did") && release.sequence !== m.get("sequence")
    );
  } catch (e) {
    if (e instanceof Fault) return false;
    throw e;
  }
}

// newer is the longer of two logs of which one continues the other.
async function newer(log, known) {
  if (log.text.startsWith(known)) return log;
  const other = await KeyLog.parse(fromLatin1(known));
  other.continues(log.text);
  return other;
}

// heard is newer, where a log of another identity says nothing.
async function heard(log, other) {
  const known = await KeyLog.parse(fromLatin1(other));
  return known.identity() === log.identity() ? newer(log, other) : log;
}

async function keylog(r, m, files, path, options) {
  const bytes = files.get(path) ?? fail("keylog-malformed", "is missing", path);
  let log = await within(path, () => KeyLog.parse(bytes));
  if (log.identity() !== m.get("identity_did")) fail("key-unknown", "belongs to another identity", path);
  const bundled = m.get("kind") === "bundle", sequence = bundled ? noSequence : m.get("sequence");
  for (const old of [options.keys, options.known?.keys, options.heard]) { // it says more than that the log is short
    await within(path, () => revoked(m.get("issuer_did"), sequence, old));
  }
  for (const old of [keyText(options.keys), keyText(options.known?.keys)]) {
    if (!old) continue;
    if (!bundled) {
      await within(path, () => log.continues(old));
    } else {
      log = await newer(log, old);
    }
  }
  if (keyText(options.heard)) log = await within(path, () => heard(log, keyText(options.heard)));
  await within(path, () => log.allows(m.get("issuer_did"), sequence));
  wanted(r, options.want);
}

async function pages(m, files) {
  for (const f of m.get("files")) {
    const path = f.get("path");
    if (!isPage(path)) continue;
    const one = {};
    try {
      one.manifest = await within(path, () => page(one, files.get(path), {}));
    } catch (e) {
      if (e.code === "manifest-missing") fail("page-unsigned", "has no manifest of its own", path);
      throw e;
    }
    if (one.issuer_did !== m.get("issuer_did")) fail("page-issuer", `is signed by ${one.issuer_did}`, path);
    if (m.get("kind") === "bundle") continue;
    const release = releaseOf(one.manifest);
    if (!release || release.identity !== m.get("identity_did") || release.sequence < 1 || release.sequence > m.get("sequence")) {
      fail("snapshot-mixed", "belongs to no release of the site up to this one", path);
    }
  }
}

// ---- the log of releases ----

const tileWidth = 256;
function tilePath(level, n, width) {
  let name = String(n % 1000).padStart(3, "0");
  for (n = Math.floor(n / 1000); n > 0; n = Math.floor(n / 1000)) name = `x${String(n % 1000).padStart(3, "0")}/${name}`;
  return `tile/${level}/${name}${width < tileWidth ? ".p/" + width : ""}`;
}

function parseCheckpoint(bytes) {
  const bad = () => fail("log-checkpoint", "not a checkpoint with one signature");
  let note;
  try {
    note = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    bad();
  }
  const m = /^([^\n]*)\n(0|[1-9][0-9]{0,6})\n([^\n]*)\n\n\u2014 ([^ ]*) ([^\n]*)\n$/.exec(note) ?? bad();
  const size = Number(m[2]), signature = unbase64(m[5]);
  if (size > 1 << 20 || !signature || signature.length !== 68) bad();
  return { text: note.slice(0, note.indexOf("\n\n") + 1), origin: m[1], name: m[4], size, signature };
}

async function readReleases(files, origin, issuer) {
  const note = files.get("checkpoint") ?? fail("log-missing", "the site has no log of releases");
  const c = parseCheckpoint(note);
  if (c.origin !== origin || c.name !== origin) fail("log-origin", `the log belongs to ${c.origin}, but the site to ${origin}`);
  const key = publicKey(issuer);
  const keyHash = (await sha256(concat(utf8.encode(origin + "\n\x01"), key))).subarray(0, 4);
  let good = equal(c.signature.subarray(0, 4), keyHash);
  try {
    if (good) await verifyRaw(key, utf8.encode(c.text), c.signature.subarray(4));
  } catch (e) {
    if (!(e instanceof Fault)) throw e;
    good = false;
  }
  if (!good) fail("log-signature", `the checkpoint is not signed by ${issuer}`);
  const lines = [];
  for (let at = 0; at < c.size; at += tileWidth) {
    const width = Math.min(tileWidth, c.size - at);
    const path = tilePath("entries", at / tileWidth, width);
    const data = files.get(path) ?? new Uint8Array();
    let i = 0;
    for (let k = 0; k < width; k++) {
      const n = data.length - i < 2 ? Infinity : data[i] * 256 + data[i + 1];
      if (data.length - i < 2 + n) fail("log-tile", "lacks entries", logPrefix + path);
      lines.push(data.subarray(i + 2, i + 2 + n));
      i += 2 + n;
    }
  }
  const leaves = await Promise.all(lines.map(leafHash));
  const rootAt = async (n) => base64(await treeHash(leaves.slice(0, n)));
  if (`${origin}\n${c.size}\n${await rootAt(c.size)}\n` !== c.text) fail("log-tile", "the entries do not give the checkpoint's hash");
  const want = await tiles(lines, leaves);
  for (const path of [...want.keys()].sort()) {
    if (!files.has(path) || !equal(files.get(path), want.get(path))) fail("log-tile", "does not hold the hashes of the entries", logPrefix + path);
  }
  for (const path of [...files.keys()].sort(bytewise)) {
    if (!want.has(path) && path !== "checkpoint") fail("file-unlisted", "is no part of the log", logPrefix + path);
  }
  return { lines, rootAt };
}

async function tiles(lines, leaves) {
  const out = new Map();
  for (let at = 0; at < lines.length; at += tileWidth) {
    const part = lines.slice(at, at + tileWidth);
    out.set(
      tilePath("entries", at / tileWidth, part.length),
      concat(...part.flatMap((l) => [new Uint8Array([l.length >> 8, l.length & 255]), l])),
    );
  }
  for (let level = 0, hashes = leaves; hashes.length > 0; level++) {
    const above = [];
    for (let at = 0; at < hashes.length; at += tileWidth) {
      const part = hashes.slice(at, at + tileWidth);
      out.set(tilePath(level, at / tileWidth, part.length), concat(...part));
      if (part.length === tileWidth) above.push(await treeHash(part));
    }
    hashes = above;
  }
  return out;
}

function lastRelease(lines) {
  if (lines.length === 0) fail("log-entry", "no release is logged");
  let last;
  for (const [i, line] of lines.entries()) {
    try {
      last = check(line);
    } catch (e) {
      if (!(e instanceof Fault)) throw e;
      fail("log-entry", `entry ${i + 1}: ${e.message}`);
    }
    if (!matches(last, releaseShape) || last.get("version") !== "workbooks-release/1" || last.get("sequence") !== i + 1) {
      fail("log-entry", `entry ${i + 1} is of another release`);
    }
  }
  return last;
}

async function site(r, files, options) {
  const bytes = files.get(sitePath) ?? fail("site-manifest-missing", `no ${sitePath}`);
  const m = await within(sitePath, () => readManifest(r, bytes, "site"));
  await contents(r, m, files, options.partial);
  await keylog(r, m, files, keysPath, options);
  await pages(m, files);
  const log = new Map([...files].filter(([p]) => p.startsWith(logPrefix)).map(([p, data]) => [p.slice(logPrefix.length), data]));
  const releases = await readReleases(log, m.get("identity_did"), m.get("issuer_did"));
  const last = lastRelease(releases.lines), sequence = m.get("sequence"), own = await digest(bytes);
  if (last.get("sequence") !== sequence || last.get("manifest_sha256") !== own) fail("log-entry", "the log ends with another release");
  const known = options.known;
  if (known) {
    if (sequence < known.sequence) fail("sequence-rollback", `release ${sequence}; release ${known.sequence} was seen before`);
    if (sequence === known.sequence && own !== known.manifest_sha256) fail("sequence-fork", `release ${sequence} differs from the one seen before`);
    if ((await releases.rootAt(known.sequence)) !== known.log_root) fail("log-fork", "the log does not continue the one seen before");
  }
}

// ---- reports ----

async function report(kind, work) {
  const r = { valid: false, kind, signature: false, asset_integrity: false, assertions: [] };
  try {
    await work(r);
    r.valid = true;
  } catch (e) {
    if (!(e instanceof Fault)) throw e;
    Object.assign(r, { code: e.code, path: e.path, message: e.message });
  }
  return r;
}

// detached verifies a file against the signature that lies beside it.
async function detached(r, data, signature, options) {
  if (signature.length === 0) fail("manifest-missing", "the signature is empty");
  const ends = signature.at(-1) === 10;
  const m = check(ends ? signature.subarray(0, -1) : signature);
  if (!ends) fail("json-noncanonical", "the signature does not end with a line");
  versioned(m, "workbooks-detached/1", detachedShape);
  for (const name of ["issuer_did", "identity_did", "issued_at"]) r[name] = m.get(name);
  r.assertions = plain(m.get("assertions"));
  r.asset_integrity = data.length === m.get("size") && (await digest(data)) === m.get("sha256");
  await signed(m);
  r.signature = true;
  let log = await KeyLog.parse(utf8.encode(m.get("keys")));
  if (log.identity() !== m.get("identity_did")) fail("key-unknown", "the key log belongs to another identity");
  const known = keyText(options.keys);
  if (known) log = await newer(log, known);
  await revoked(m.get("issuer_did"), noSequence, options.heard);
  if (keyText(options.heard)) log = await heard(log, keyText(options.heard));
  log.allows(m.get("issuer_did"), noSequence);
  wanted(r, options.want);
  if (!r.asset_integrity) fail("asset-changed", "the file is not the one that was signed");
}

export const verifyDetached = (data, signature, options = {}) => report("detached", (r) => detached(r, data, signature, options));
export const verifyPage = (bytes, options = {}) => report("page", (r) => page(r, bytes, options));
export const verifySite = (files, options = {}) => report("site", (r) => site(r, files, options));
export const verifyBundle = (bytes, options = {}) =>
  report("bundle", async (r) => {
    const files = unpack(bytes);
    const manifest = files.get(bundlePath) ?? fail("bundle-manifest-missing", `no ${bundlePath}`);
    const m = await readManifest(r, manifest, "bundle");
    await contents(r, m, files, false);
    await keylog(r, m, files, bundleKeysPath, options);
    await sources(m, files);
    await pages(m, files);
  });

// canonicalize gives the RFC 8785 form of a JSON text.
export const canonicalize = (bytes) => canonical(parse(bytes));
export { verifySignature, Fault };
