// Errors without stacks, whose text is the same in every engine.
const bare = e => { Object.defineProperty(e, 'stack', { value: `${e.name}: ${e.message}`, configurable: true, writable: true }); return e; };
class MyError extends Error {}
class Named extends Error { constructor(m) { super(m); this.name = 'NamedError'; } }
const coded = bare(new Error('coded')); coded.code = 'ECODE'; coded.info = { a: [1, { b: 2 }] };
console.log(bare(new Error('plain')));
console.log([bare(new TypeError('in array'))], { e: bare(new RangeError('in object')) });
console.log(coded);
console.log({ nested: { coded } });
console.log(bare(new MyError('mine')));
console.log(bare(new Named('named')));
console.log(bare(new Error('with cause', { cause: bare(new TypeError('why')) })));
console.log(bare(new Error('with plain cause', { cause: 'text' })));
console.log(bare(new AggregateError([bare(new Error('one')), 2], 'many')));
console.log(bare(new Error('')), bare(new Error('two\nlines')));
console.log(bare(Object.assign(new Error('m'), { name: 'Custom' })));
console.log(String(new Error('s')), new Error('t').toString(), `${new MyError('u')}`, Object.prototype.toString.call(new Error('v')));
try { null.f(); } catch (e) { console.log(e instanceof TypeError, e.name, e.constructor.name); }
try { undefinedName; } catch (e) { console.log(e.name, e.message); }
try { JSON.parse('{'); } catch (e) { console.log(e.name); }
try { decodeURIComponent('%'); } catch (e) { console.log(e.name); }
try { new Array(-1); } catch (e) { console.log(e.name); }
try { 'x'.repeat(-1); } catch (e) { console.log(e.name); }
try { BigInt(1.5); } catch (e) { console.log(e.name); }
try { const c = 1; c = 2; } catch (e) { console.log(e.name); }
try { Symbol() + ''; } catch (e) { console.log(e.name); }
try { class A { constructor() { this.x; } } A(); } catch (e) { console.log(e.name); }
try { structuredClone(() => 1); } catch (e) { console.log(e.name, e instanceof Error); }
