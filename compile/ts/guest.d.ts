// What the machine gives a program beyond ES2023: a console, timers, URLs,
// text codings, and the modules of node that make sense in a sandbox. Only what
// is there is declared.

// Globals

interface Console {
  log(...data: any[]): void;
  info(...data: any[]): void;
  debug(...data: any[]): void;
  warn(...data: any[]): void;
  error(...data: any[]): void;
  trace(...data: any[]): void;
  dir(item: any, options?: any): void;
  table(data: any, columns?: readonly string[]): void;
  group(...label: any[]): void;
  groupCollapsed(...label: any[]): void;
  groupEnd(): void;
  time(label?: string): void;
  timeLog(label?: string, ...data: any[]): void;
  timeEnd(label?: string): void;
  count(label?: string): void;
  countReset(label?: string): void;
  assert(condition?: any, ...data: any[]): void;
}
declare var console: Console;

interface Timeout { ref(): this; unref(): this; hasRef(): boolean; refresh(): this; [Symbol.toPrimitive](): number }
declare function setTimeout<A extends any[]>(f: (...args: A) => void, ms?: number, ...args: A): Timeout;
declare function setInterval<A extends any[]>(f: (...args: A) => void, ms?: number, ...args: A): Timeout;
declare function setImmediate<A extends any[]>(f: (...args: A) => void, ...args: A): Timeout;
declare function clearTimeout(timer?: Timeout | number | null): void;
declare function clearInterval(timer?: Timeout | number | null): void;
declare function clearImmediate(timer?: Timeout | null): void;
declare function queueMicrotask(f: () => void): void;
declare function structuredClone<T>(value: T): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;

interface TextEncoder { readonly encoding: string; encode(text?: string): Uint8Array; encodeInto(text: string, into: Uint8Array): { read: number; written: number } }
declare var TextEncoder: { prototype: TextEncoder; new(): TextEncoder };
interface TextDecoder { readonly encoding: string; readonly fatal: boolean; readonly ignoreBOM: boolean; decode(bytes?: ArrayBufferLike | ArrayBufferView | null, options?: { stream?: boolean }): string }
declare var TextDecoder: { prototype: TextDecoder; new(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder };

interface URLSearchParams extends Iterable<[string, string]> {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(f: (value: string, name: string, all: URLSearchParams) => void, self?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  toString(): string;
}
declare var URLSearchParams: { prototype: URLSearchParams; new(init?: string | Record<string, string> | Iterable<[string, string]> | URLSearchParams): URLSearchParams };
interface URL {
  href: string; protocol: string; username: string; password: string; host: string; hostname: string; port: string; pathname: string; search: string; hash: string;
  readonly origin: string; readonly searchParams: URLSearchParams;
  toString(): string; toJSON(): string;
}
declare var URL: { prototype: URL; new(url: string | URL, base?: string | URL): URL; canParse(url: string | URL, base?: string | URL): boolean; parse(url: string | URL, base?: string | URL): URL | null };

interface Performance { readonly timeOrigin: number; now(): number; mark(name: string): any; measure(name: string, ...rest: any[]): any; toJSON(): any }
declare var performance: Performance;

interface Crypto { readonly subtle: { digest(algorithm: string | { name: string }, data: ArrayBufferLike | ArrayBufferView): Promise<ArrayBuffer> }; getRandomValues<T extends ArrayBufferView>(into: T): T; randomUUID(): `${string}-${string}-${string}-${string}-${string}` }
declare var crypto: Crypto;

type BufferEncoding = 'utf8' | 'utf-8' | 'hex' | 'base64' | 'base64url' | 'latin1' | 'binary' | 'ascii' | 'utf16le' | 'ucs2';
interface Buffer extends Uint8Array<ArrayBuffer> {
  toString(encoding?: BufferEncoding, start?: number, end?: number): string;
  toJSON(): { type: 'Buffer'; data: number[] };
  equals(other: Uint8Array): boolean;
  compare(other: Uint8Array): -1 | 0 | 1;
  copy(target: Uint8Array, targetStart?: number, start?: number, end?: number): number;
  write(text: string, offset?: number, length?: number, encoding?: BufferEncoding): number;
  slice(start?: number, end?: number): Buffer;
  subarray(start?: number, end?: number): Buffer;
  indexOf(value: any, from?: number, encoding?: BufferEncoding): number;
  includes(value: any, from?: number, encoding?: BufferEncoding): boolean;
  readUInt8(at?: number): number; readUInt16LE(at?: number): number; readUInt16BE(at?: number): number; readUInt32LE(at?: number): number; readUInt32BE(at?: number): number;
  readInt8(at?: number): number; readInt16LE(at?: number): number; readInt16BE(at?: number): number; readInt32LE(at?: number): number; readInt32BE(at?: number): number;
  readFloatLE(at?: number): number; readFloatBE(at?: number): number; readDoubleLE(at?: number): number; readDoubleBE(at?: number): number;
  writeUInt8(n: number, at?: number): number; writeUInt16LE(n: number, at?: number): number; writeUInt16BE(n: number, at?: number): number; writeUInt32LE(n: number, at?: number): number; writeUInt32BE(n: number, at?: number): number;
  writeInt8(n: number, at?: number): number; writeInt16LE(n: number, at?: number): number; writeInt16BE(n: number, at?: number): number; writeInt32LE(n: number, at?: number): number; writeInt32BE(n: number, at?: number): number;
  writeFloatLE(n: number, at?: number): number; writeFloatBE(n: number, at?: number): number; writeDoubleLE(n: number, at?: number): number; writeDoubleBE(n: number, at?: number): number;
}
interface BufferConstructor {
  prototype: Buffer;
  from(text: string, encoding?: BufferEncoding): Buffer;
  from(bytes: ArrayBufferLike | Uint8Array | readonly number[]): Buffer;
  alloc(size: number, fill?: string | number, encoding?: BufferEncoding): Buffer;
  allocUnsafe(size: number): Buffer;
  concat(list: readonly Uint8Array[], length?: number): Buffer;
  isBuffer(v: unknown): v is Buffer;
  isEncoding(name: string): name is BufferEncoding;
  byteLength(text: string | ArrayBufferView, encoding?: BufferEncoding): number;
  compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1;
}
declare var Buffer: BufferConstructor;

interface OutputStream { readonly fd: number; readonly isTTY: boolean; write(data: string | Uint8Array, ...rest: any[]): boolean; end(data?: string | Uint8Array): void }
interface InputStream extends AsyncIterable<any> { readonly fd: 0; setEncoding(encoding: BufferEncoding): this; on(event: 'data' | 'end' | 'readable' | 'close', f: (data: any) => void): this; once(event: string, f: (data: any) => void): this; read(): any; resume(): this; pause(): this }
interface Process {
  readonly argv: string[]; readonly argv0: string; readonly env: Record<string, string | undefined>; readonly platform: string; readonly arch: string; readonly pid: number;
  readonly version: string; readonly versions: Record<string, string>; title: string; exitCode: number | string | undefined;
  readonly stdin: InputStream; readonly stdout: OutputStream; readonly stderr: OutputStream;
  cwd(): string;
  exit(code?: number): never;
  nextTick<A extends any[]>(f: (...args: A) => void, ...args: A): void;
  uptime(): number;
  hrtime: { (before?: [number, number]): [number, number]; bigint(): bigint };
  memoryUsage(): Record<string, number>;
  on(event: string, f: (...args: any[]) => void): this;
  once(event: string, f: (...args: any[]) => void): this;
  emitWarning(warning: string | Error): void;
}
declare var process: Process;
declare var require: { (name: string): any; resolve(name: string): string; main: any; cache: any };
declare var global: typeof globalThis;
declare var scriptArgs: string[];
/** All of standard input: the run's input, for a component without inputs. */
declare var inputRaw: string;
declare namespace Javy {
  namespace IO {
    function readSync(fd: number, into: Uint8Array): number;
    function writeSync(fd: number, bytes: Uint8Array): number;
  }
}
interface ImportMeta { readonly url: string }

// Modules of node

declare module 'fs' {
  export interface Stats { readonly size: number; readonly mtimeMs: number; readonly mtime: Date; isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }
  export interface Dirent { readonly name: string; isFile(): boolean; isDirectory(): boolean }
  type Path = string | URL | Buffer;
  type Coding = BufferEncoding | { encoding: BufferEncoding; flag?: string };
  type Data = string | Uint8Array;
  type WriteOptions = BufferEncoding | { encoding?: BufferEncoding; flag?: string; mode?: number } | null;
  export function readFileSync(path: Path | 0, options: Coding): string;
  export function readFileSync(path: Path | 0, options?: { encoding?: null; flag?: string } | null): Buffer;
  export function writeFileSync(path: Path | 1 | 2, data: Data, options?: WriteOptions): void;
  export function appendFileSync(path: Path, data: Data, options?: WriteOptions): void;
  export function existsSync(path: Path): boolean;
  export function statSync(path: Path): Stats;
  export function lstatSync(path: Path): Stats;
  export function accessSync(path: Path, mode?: number): void;
  export function readdirSync(path: Path, options: { withFileTypes: true; recursive?: boolean }): Dirent[];
  export function readdirSync(path: Path, options?: BufferEncoding | { encoding?: BufferEncoding; withFileTypes?: false; recursive?: boolean }): string[];
  export function mkdirSync(path: Path, options?: number | { recursive?: boolean; mode?: number }): string | undefined;
  export function mkdtempSync(prefix: string): string;
  export function rmSync(path: Path, options?: { recursive?: boolean; force?: boolean }): void;
  export function rmdirSync(path: Path, options?: { recursive?: boolean }): void;
  export function unlinkSync(path: Path): void;
  export function renameSync(from: Path, to: Path): void;
  export function copyFileSync(from: Path, to: Path): void;
  export function realpathSync(path: Path): string;
  type Done<T> = (error: (Error & { code?: string }) | null, value: T) => void;
  export function readFile(path: Path, options: Coding, done: Done<string>): void;
  export function readFile(path: Path, done: Done<Buffer>): void;
  export function writeFile(path: Path, data: Data, done: (error: Error | null) => void): void;
  export function writeFile(path: Path, data: Data, options: WriteOptions, done: (error: Error | null) => void): void;
  export const constants: Record<string, number>;
  export namespace promises {
    function readFile(path: Path, options: Coding): Promise<string>;
    function readFile(path: Path, options?: { encoding?: null } | null): Promise<Buffer>;
    function writeFile(path: Path, data: Data, options?: WriteOptions): Promise<void>;
    function appendFile(path: Path, data: Data, options?: WriteOptions): Promise<void>;
    function stat(path: Path): Promise<Stats>;
    function lstat(path: Path): Promise<Stats>;
    function access(path: Path, mode?: number): Promise<void>;
    function readdir(path: Path, options: { withFileTypes: true; recursive?: boolean }): Promise<Dirent[]>;
    function readdir(path: Path, options?: { withFileTypes?: false; recursive?: boolean }): Promise<string[]>;
    function mkdir(path: Path, options?: number | { recursive?: boolean }): Promise<string | undefined>;
    function mkdtemp(prefix: string): Promise<string>;
    function rm(path: Path, options?: { recursive?: boolean; force?: boolean }): Promise<void>;
    function rmdir(path: Path): Promise<void>;
    function unlink(path: Path): Promise<void>;
    function rename(from: Path, to: Path): Promise<void>;
    function copyFile(from: Path, to: Path): Promise<void>;
  }
}
declare module 'fs/promises' { import { promises } from 'fs'; export = promises; }

declare module 'path' {
  interface ParsedPath { root: string; dir: string; base: string; ext: string; name: string }
  interface Path {
    join(...parts: string[]): string; resolve(...parts: string[]): string; normalize(p: string): string; relative(from: string, to: string): string;
    dirname(p: string): string; basename(p: string, ext?: string): string; extname(p: string): string; isAbsolute(p: string): boolean;
    parse(p: string): ParsedPath; format(p: Partial<ParsedPath>): string; readonly sep: '/'; readonly delimiter: ':'; readonly posix: Path;
  }
  const path: Path;
  export = path;
}
declare module 'path/posix' { import path = require('path'); export = path; }

declare module 'util' {
  export function inspect(v: any, options?: any): string;
  export function format(format?: any, ...args: any[]): string;
  export function formatWithOptions(options: any, format?: any, ...args: any[]): string;
  export function isDeepStrictEqual(a: unknown, b: unknown): boolean;
  export function promisify(f: (...args: any[]) => void): (...args: any[]) => Promise<any>;
  export function callbackify(f: (...args: any[]) => Promise<any>): (...args: any[]) => void;
  export function inherits(f: any, base: any): void;
  export function deprecate<F extends Function>(f: F, message: string): F;
  export function debuglog(section: string): (...args: any[]) => void;
  export function stripVTControlCharacters(text: string): string;
  export function styleText(style: string | readonly string[], text: string): string;
  export function toUSVString(text: string): string;
  export const types: Record<string, (v: unknown) => boolean>;
  const encoder: typeof TextEncoder, decoder: typeof TextDecoder;
  export { encoder as TextEncoder, decoder as TextDecoder };
}
declare module 'util/types' { import { types } from 'util'; export = types; }

declare module 'assert' {
  function assert(value: unknown, message?: string | Error): asserts value;
  namespace assert {
    class AssertionError extends Error { actual: unknown; expected: unknown; operator: string; code: 'ERR_ASSERTION' }
    function ok(value: unknown, message?: string | Error): asserts value;
    function equal(actual: unknown, expected: unknown, message?: string | Error): void;
    function notEqual(actual: unknown, expected: unknown, message?: string | Error): void;
    function strictEqual<T>(actual: unknown, expected: T, message?: string | Error): asserts actual is T;
    function notStrictEqual(actual: unknown, expected: unknown, message?: string | Error): void;
    function deepEqual(actual: unknown, expected: unknown, message?: string | Error): void;
    function notDeepEqual(actual: unknown, expected: unknown, message?: string | Error): void;
    function deepStrictEqual<T>(actual: unknown, expected: T, message?: string | Error): asserts actual is T;
    function notDeepStrictEqual(actual: unknown, expected: unknown, message?: string | Error): void;
    function match(text: string, re: RegExp, message?: string | Error): void;
    function doesNotMatch(text: string, re: RegExp, message?: string | Error): void;
    function fail(message?: string | Error): never;
    function ifError(value: unknown): asserts value is null | undefined;
    function throws(f: () => unknown, want?: any, message?: string): void;
    function doesNotThrow(f: () => unknown, message?: string): void;
    function rejects(p: Promise<unknown> | (() => Promise<unknown>), want?: any, message?: string): Promise<void>;
    function doesNotReject(p: Promise<unknown> | (() => Promise<unknown>), message?: string): Promise<void>;
    const strict: typeof assert;
  }
  export = assert;
}
declare module 'assert/strict' { import assert = require('assert'); export = assert; }

declare module 'events' {
  type Listener = (...args: any[]) => void;
  class EventEmitter {
    on(event: string | symbol, f: Listener): this;
    addListener(event: string | symbol, f: Listener): this;
    prependListener(event: string | symbol, f: Listener): this;
    once(event: string | symbol, f: Listener): this;
    off(event: string | symbol, f: Listener): this;
    removeListener(event: string | symbol, f: Listener): this;
    removeAllListeners(event?: string | symbol): this;
    emit(event: string | symbol, ...args: any[]): boolean;
    listeners(event: string | symbol): Listener[];
    listenerCount(event: string | symbol): number;
    eventNames(): (string | symbol)[];
    setMaxListeners(n: number): this;
    static once(emitter: EventEmitter, event: string | symbol): Promise<any[]>;
  }
  import self = require('events');
  namespace EventEmitter { export { self as EventEmitter } }
  export = EventEmitter;
}

declare module 'buffer' {
  const buffer: BufferConstructor;
  export { buffer as Buffer };
  export function atob(text: string): string;
  export function btoa(text: string): string;
}

declare module 'crypto' {
  interface Hash { update(data: string | ArrayBufferView, encoding?: BufferEncoding): Hash; digest(): Buffer; digest(encoding: BufferEncoding): string; copy(): Hash }
  export function createHash(algorithm: 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512' | (string & {})): Hash;
  export function createHmac(algorithm: string, key: string | ArrayBufferView): Hash;
  export function hash(algorithm: string, data: string | ArrayBufferView, encoding?: BufferEncoding): string;
  export function getHashes(): string[];
  export function randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  export function randomBytes(size: number): Buffer;
  export function randomInt(max: number): number;
  export function randomInt(min: number, max: number): number;
  export function timingSafeEqual(a: ArrayBufferView, b: ArrayBufferView): boolean;
  export function getRandomValues<T extends ArrayBufferView>(into: T): T;
  export const webcrypto: Crypto;
}

declare module 'zlib' {
  type Data = string | ArrayBufferLike | ArrayBufferView;
  type Done = (error: Error | null, bytes: Buffer) => void;
  export function gzipSync(data: Data): Buffer;
  export function gunzipSync(data: Data): Buffer;
  export function deflateSync(data: Data): Buffer;
  export function inflateSync(data: Data): Buffer;
  export function deflateRawSync(data: Data): Buffer;
  export function inflateRawSync(data: Data): Buffer;
  export function unzipSync(data: Data): Buffer;
  export function gzip(data: Data, done: Done): void;
  export function gunzip(data: Data, done: Done): void;
  export function deflate(data: Data, done: Done): void;
  export function inflate(data: Data, done: Done): void;
}

declare module 'os' {
  export const EOL: '\n';
  export function platform(): string;
  export function type(): string;
  export function arch(): string;
  export function release(): string;
  export function tmpdir(): string;
  export function homedir(): string;
  export function hostname(): string;
  export function endianness(): 'LE';
  export function cpus(): any[];
  export function availableParallelism(): number;
  export function totalmem(): number;
  export function freemem(): number;
  export function uptime(): number;
  export function userInfo(): { username: string; uid: number; gid: number; shell: string | null; homedir: string };
}

declare module 'url' {
  const url: typeof URL, params: typeof URLSearchParams;
  export { url as URL, params as URLSearchParams };
  export function fileURLToPath(u: string | URL): string;
  export function pathToFileURL(p: string): URL;
}
declare module 'querystring' {
  export function parse(text: string, sep?: string, eq?: string): Record<string, string | string[] | undefined>;
  export function stringify(o: Record<string, any>, sep?: string, eq?: string): string;
  export function escape(text: string): string;
  export function unescape(text: string): string;
}
declare module 'string_decoder' {
  export class StringDecoder { constructor(encoding?: BufferEncoding); write(bytes: Uint8Array): string; end(bytes?: Uint8Array): string }
}
declare module 'readline' {
  export interface Interface extends AsyncIterable<string> { on(event: 'line', f: (line: string) => void): this; on(event: 'close', f: () => void): this; question(text: string, done: (answer: string) => void): void; close(): void }
  export function createInterface(options: { input: any; output?: any; terminal?: boolean; crlfDelay?: number }): Interface;
}
declare module 'timers' { const setTimeout_: typeof setTimeout, setInterval_: typeof setInterval, setImmediate_: typeof setImmediate; export { setTimeout_ as setTimeout, setInterval_ as setInterval, setImmediate_ as setImmediate } }
declare module 'timers/promises' {
  export function setTimeout<T = void>(ms?: number, value?: T): Promise<T>;
  export function setImmediate<T = void>(value?: T): Promise<T>;
}
declare module 'perf_hooks' { const p: Performance; export { p as performance } }
declare module 'process' { const process: Process; export = process }
declare module 'console' { const console: Console; export = console }

declare module 'module' { export function createRequire(from: string | URL): (name: string) => any; export const builtinModules: string[]; export function isBuiltin(name: string): boolean }

declare module 'node:fs' { import m = require('fs'); export = m; }
declare module 'node:fs/promises' { import m = require('fs/promises'); export = m; }
declare module 'node:path' { import m = require('path'); export = m; }
declare module 'node:path/posix' { import m = require('path/posix'); export = m; }
declare module 'node:util' { import m = require('util'); export = m; }
declare module 'node:util/types' { import m = require('util/types'); export = m; }
declare module 'node:assert' { import m = require('assert'); export = m; }
declare module 'node:assert/strict' { import m = require('assert/strict'); export = m; }
declare module 'node:events' { import m = require('events'); export = m; }
declare module 'node:buffer' { import m = require('buffer'); export = m; }
declare module 'node:crypto' { import m = require('crypto'); export = m; }
declare module 'node:os' { import m = require('os'); export = m; }
declare module 'node:url' { import m = require('url'); export = m; }
declare module 'node:querystring' { import m = require('querystring'); export = m; }
declare module 'node:string_decoder' { import m = require('string_decoder'); export = m; }
declare module 'node:readline' { import m = require('readline'); export = m; }
declare module 'node:timers' { import m = require('timers'); export = m; }
declare module 'node:timers/promises' { import m = require('timers/promises'); export = m; }
declare module 'node:perf_hooks' { import m = require('perf_hooks'); export = m; }
declare module 'node:process' { import m = require('process'); export = m; }
declare module 'node:console' { import m = require('console'); export = m; }
declare module 'node:zlib' { import m = require('zlib'); export = m; }
declare module 'node:module' { import m = require('module'); export = m; }
