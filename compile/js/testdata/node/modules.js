// The modules of node, as far as they are there.
const path = require('path'), url = require('url'), util = require('node:util'), assert = require('assert'), EventEmitter = require('events'), qs = require('querystring'), fs = require('fs');
for (const p of ['/a/b/../c', 'a//b/./c/', '', '.', '..', '/', 'a/..', './x', '../../y', 'a/b/c.tar.gz', '.hidden', 'x.', 'dir/.rc', '/a/b/', 'no.ext/file'])
  console.log(JSON.stringify(p), path.normalize(p), path.dirname(p), path.basename(p), JSON.stringify(path.extname(p)), path.isAbsolute(p), JSON.stringify(path.parse(p)));
console.log(path.join('a', '', '../b', './c'), path.join(''), path.join('/a', '..', '..', 'b'), path.basename('/x/y.html', '.html'), path.basename('y.html', 'y.html'), path.resolve('/a', 'b', '../c', './d/'), path.resolve('/a', '/b'));
console.log(path.relative('/data/a/b', '/data/c/d'), path.relative('/a', '/a'), path.relative('/a/b', '/a'), path.relative('/', '/x'), path.format({ dir: '/d', name: 'n', ext: '.e' }), path.format({ root: '/', base: 'b' }), path.sep, path.delimiter);
for (const u of ['https://u:p@Example.COM:443/a/../b%20 c?q=1 2&z=é#h x', 'http://h:8080', 'file:///a/b', 'mailto:x@y.z', 'http://[::1]:80/x', 'https://e.org/%7Efoo/../bar', 'ftp://h/a;b?c', 'javascript:alert(1)', 'http://h?x#y', 'https://h/a\\b', 'data:text/plain,hi', 'ws://h:80/'])
  { const x = new URL(u); console.log(x.href, x.origin, [x.protocol, x.username, x.password, x.host, x.hostname, x.port, x.pathname, x.search, x.hash].join('|'), x.searchParams.toString()); }
for (const [u, b] of [['../x?y', 'http://h/a/b/c'], ['/x', 'http://h/a'], ['//o/x', 'https://h/a'], ['?q', 'http://h/a?b#c'], ['#f', 'http://h/a?b#c'], ['', 'http://h/a?b#c'], ['x:y', 'http://h/'], ['./', 'http://h/a/b'], ['..', 'http://h/a/b/'], ['http:x', 'http://h/a/b']])
  console.log(u, b, new URL(u, b).href);
for (const bad of ['', 'x', '//h', 'http://', 'http://a b', 'http://h:99999', 'http://[x'])
  try { console.log(bad, new URL(bad).href); } catch (e) { console.log(bad, e.name, e.code, e.message); }
const u = new URL('https://h/p?a=1&b=2');
u.searchParams.append('c', 'x y&z'); u.searchParams.delete('a'); console.log(u.href); u.search = '?q=é'; console.log(u.href, u.searchParams.get('q'));
u.pathname = 'new path'; u.hash = 'frag ment'; u.port = '8443'; u.hostname = 'other.org'; u.protocol = 'http'; u.username = 'me'; console.log(u.href, JSON.stringify(u), String(u)); u.host = 'h2:99'; console.log(u.host); u.port = ''; u.hash = ''; u.search = ''; console.log(u.href);
const sp = new URLSearchParams([['a', '1'], ['b', '2'], ['a', '3']]);
console.log(sp.getAll('a'), sp.has('b', '2'), sp.size, [...sp.keys()], [...sp], sp); sp.sort(); sp.set('a', '9'); console.log(sp.toString(), new URLSearchParams({ x: '~*()!\'', y: 'ü' }).toString(), new URLSearchParams('?a=%zz&b=+&&c').toString(), URL.canParse('x'), URL.canParse('x', 'http://h'));
console.log(new URL('https://u:p@h:1/p?q=1#f'), [new URL('http://h')], { deep: { deep: { deep: new URL('http://h') } } });
console.log(qs.parse('a=1&b=2&a=3&c'), qs.stringify({ a: 1, b: ['x', 'y z'] }));
console.log(url.fileURLToPath('file:///a%20b'), url.pathToFileURL('/a b').href);
console.log(Buffer.from('héllo'), Buffer.from('héllo').toString('base64'), Buffer.from('aGk', 'base64').toString(), Buffer.from('6869', 'hex').toString('utf8'), Buffer.from([1, 2, 300]), Buffer.alloc(3, 'ab'), Buffer.concat([Buffer.from('a'), Buffer.from('b')]).toString());
console.log(Buffer.byteLength('é'), Buffer.from('abc').equals(Buffer.from('abc')), Buffer.from('abc').slice(1).toString(), Buffer.from('a-_', 'base64url').toString('hex'), Buffer.from('é', 'latin1'), Buffer.from('é', 'utf16le'), Buffer.from('xyz').indexOf('z'), Buffer.isBuffer(Buffer.alloc(0)), Buffer.from('hello').readUInt16BE(1), Buffer.compare(Buffer.from('a'), Buffer.from('b')));
const wb = Buffer.alloc(12); wb.writeInt32LE(-5, 0); wb.writeDoubleBE(1.5, 4); console.log(wb, wb.readInt32LE(0), wb.readDoubleBE(4), JSON.stringify(Buffer.from('x')), [Buffer.alloc(60)], wb.toString('latin1', 0, 2), Buffer.from('€').toString('ascii'));
console.log(new TextEncoder().encode('é😀\ud800'), new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x68, 0xff, 0xe2, 0x82, 0x41, 0xf0, 0x9f, 0x98])), new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x68])).length, new TextEncoder().encodeInto('aé', new Uint8Array(2)));
const td = new TextDecoder(); console.log([...[0xe2, 0x82, 0xac, 0x41]].map(b => td.decode(new Uint8Array([b]), { stream: true })), td.decode(), new TextDecoder('utf-16le').decode(new Uint8Array([0x68, 0, 0x69, 0])));
try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xff])); } catch (e) { console.log(e.name, e.code); }
console.log(btoa('hi\xff'), atob('aGk='), structuredClone({ a: [1, new Date(0), new Map([[1, new Set([2])]]), /x/g, new Uint8Array([1, 2]), undefined, 5n] }));
const cyc = { n: 1 }; cyc.me = cyc; const copy = structuredClone(cyc); console.log(copy.me === copy, copy !== cyc, structuredClone(new TypeError('t')).name, structuredClone(Object(5)) instanceof Number);
const e = new EventEmitter(); e.on('x', (...a) => console.log('on', a)); e.once('x', a => console.log('once', a)); e.prependListener('x', () => console.log('first'));
console.log(e.emit('x', 1, 2), e.emit('x', 3), e.emit('none'), e.listenerCount('x'), e.eventNames()); try { e.emit('error', new Error('unheard')); } catch (err) { console.log(err.message); }
for (const f of [() => assert(0), () => assert.equal(1, 2), () => assert.strictEqual('a', 'b', 'own text'), () => assert.deepStrictEqual({ a: [1, new Map([[1, { b: 2 }]])] }, { a: [1, new Map([[1, { b: 2 }]])] }), () => assert.deepEqual([1, '2'], ['1', 2]), () => assert.throws(() => { throw new TypeError('x'); }, TypeError), () => assert.throws(() => {}), () => assert.throws(() => { throw new Error('abc'); }, /b/), () => assert.notStrictEqual(1, 1), () => assert.match('abc', /x/), () => assert.deepStrictEqual(new Set([1, { a: 1 }]), new Set([1, { a: 1 }])), () => assert.deepStrictEqual([1, 2], [1, 3]), () => assert.ifError(null), () => assert.fail('boom')])
  try { f(); console.log('passed'); } catch (err) { console.log(err.name, err.code, err.name === 'AssertionError' && err.operator !== 'deepStrictEqual' && err.operator !== '==' ? err.message.split('\n')[0] : ''); }
console.log(util.isDeepStrictEqual({ a: 1 }, { a: 1 }), util.isDeepStrictEqual([1], ['1']), util.types.isDate(new Date()), util.types.isRegExp({}), util.types.isPromise(Promise.resolve()), util.types.isTypedArray(new Uint8Array()), util.types.isProxy(new Proxy({}, {})), util.inspect.custom === Symbol.for('nodejs.util.inspect.custom'));
util.promisify((a, done) => done(null, a + 1))(1).then(v => console.log('promisified', v));
util.callbackify(async a => a * 2)(4, (err, v) => console.log('called back', err, v));
console.log(fs.existsSync('/no/such/file')); try { fs.readFileSync('/no/such/file'); } catch (err) { console.log(err.code, err.message); } try { fs.readFileSync('/'); } catch (err) { console.log(err.code, err.message); } try { require('./no-such-module'); } catch (err) { console.log(err.code); }
console.log(typeof require('os').EOL, typeof module, module.exports === exports, this === module.exports, typeof __filename, require.main === module, typeof globalThis.global);
