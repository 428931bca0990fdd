const crypto = require('node:crypto'), zlib = require('zlib'), assert = require('assert/strict');
for (const name of ['md5', 'sha1', 'sha256', 'SHA-512', 'sha3-256', 'sha512-256']) console.log(name, crypto.createHash(name).update('abc').digest('hex'));
const h = crypto.createHash('sha256').update('a');
const c = h.copy();
console.log(h.update('b', 'utf8').digest('base64'), c.digest('base64url'), crypto.createHash('sha1').update(Buffer.from('é')).digest());
try { h.update('x'); } catch (e) { console.log(e.code); }
console.log(crypto.createHmac('sha256', 'key').update('text').digest('hex'), crypto.createHmac('md5', Buffer.from([1, 2])).update('text').digest('latin1').length);
try { crypto.createHash('nope'); } catch (e) { console.log(e.message); }
console.log(crypto.getHashes().includes('sha256'), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/.test(crypto.randomUUID()), crypto.randomBytes(5).length, crypto.randomInt(3, 4), crypto.timingSafeEqual(Buffer.from('a'), Buffer.from('a')));
crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc')).then(b => {
  console.log(b.byteLength, Buffer.from(b).toString('hex').slice(0, 8));
  zlib.gunzip(zlib.gzipSync('later'), (e, b) => console.log(e, b.toString()));
});
const text = 'hello '.repeat(100);
console.log(zlib.gunzipSync(zlib.gzipSync(text)).toString() === text, zlib.inflateSync(zlib.deflateSync(Buffer.from(text))).length, zlib.inflateRawSync(zlib.deflateRawSync(text)).length, zlib.unzipSync(zlib.gzipSync('x')).toString());
console.log(zlib.gunzipSync(Buffer.from('H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==', 'base64')).toString());
try { zlib.gunzipSync(Buffer.from('nonsense')); } catch (e) { console.log(e.code); }
assert.equal(1, 1);
