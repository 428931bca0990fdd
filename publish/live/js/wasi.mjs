// The system interface of a guest: WASI preview 1 as package sandbox gives it,
// call by call. Nothing here can name anything outside the guest, and all of it
// is deterministic: time is virtual, random numbers come from a seed.
import { errno, clean, RegularFile } from "./files.mjs";
import { Times, giveUp, rightRead, rightTruncate, rightWrite, rightsAll, rightsOf } from "./attributes.mjs";
import { Exit, Quota, Storage } from "./limits.mjs";
import { Random, seedOf } from "./random.mjs";

const hostCallFuel = 100;
const maxDescriptors = 1024;
const maxPath = 4096;
const maxFileSize = 2 ** 40;

// The epoch of guests in nanoseconds: the first second of the year 2000.
const epoch = 946684800n * 1000000000n;

const typeChar = 2, typeDir = 3, typeRegular = 4;
const oflagCreate = 1, oflagDirectory = 2, oflagExcl = 4, oflagTrunc = 8;
const fdflagAppend = 1, fdflagsKnown = 31;

const flagsIn = (fdflags) => fdflags & fdflagsKnown & ~fdflagAppend; // those that change nothing here

const text = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// inode is the FNV-1a hash of a path, the same for the same tree.
function inode(name) {
  let h = 0xcbf29ce484222325n;
  for (const b of text.encode(name)) h = BigInt.asUintN(64, (h ^ BigInt(b)) * 0x100000001b3n);
  return h;
}

const max = (a, b) => a > b ? a : b;
const min = (a, b) => a < b ? a : b;
const joined = (dir, name) => dir === "." ? name : `${dir}/${name}`;

// The functions of preview 1: their parameters (i for 32 bits, I for 64), and
// the methods that do them. What throws a number has that error.
const functions = {
  args_get: "ii", args_sizes_get: "ii", environ_get: "ii", environ_sizes_get: "ii", clock_res_get: "ii", clock_time_get: "iIi",
  fd_advise: "iIIi", fd_allocate: "iII", fd_close: "i", fd_datasync: "i", fd_fdstat_get: "ii", fd_fdstat_set_flags: "ii",
  fd_fdstat_set_rights: "iII", fd_filestat_get: "ii", fd_filestat_set_size: "iI", fd_filestat_set_times: "iIIi", fd_pread: "iiiIi",
  fd_prestat_get: "ii", fd_prestat_dir_name: "iii", fd_pwrite: "iiiIi", fd_read: "iiii", fd_readdir: "iiiIi", fd_renumber: "ii",
  fd_seek: "iIii", fd_sync: "i", fd_tell: "ii", fd_write: "iiii", path_create_directory: "iii", path_filestat_get: "iiiii",
  path_filestat_set_times: "iiiiIIi", path_link: "iiiiiii", path_open: "iiiiiIIii", path_readlink: "iiiiii",
  path_remove_directory: "iii", path_rename: "iiiiii", path_symlink: "iiiii", path_unlink_file: "iii", poll_oneoff: "iiii",
  proc_raise: "i", sched_yield: "", random_get: "ii", sock_accept: "iii", sock_recv: "iiiiii", sock_send: "iiiii", sock_shutdown: "ii",
};

// errorNumber is what the guest is told of what was thrown.
function errorNumber(e) {
  if (typeof e === "number") return e;
  throw e;
}

// Input is standard input that is there from the start.
class Input {
  constructor(bytes) {
    this.bytes = bytes;
  }

  read(buffer) {
    const part = this.bytes.subarray(0, buffer.length);
    buffer.set(part);
    this.bytes = this.bytes.subarray(part.length);
    return part.length;
  }
}

// Wasi is one guest's side of the interface. Set memory to what the guest
// exports before it calls anything.
export class Wasi {
  memory = null;
  times = new Times();
  virtual = 0n; // nanoseconds by which time has moved beyond the fuel burnt

  // Text of args, env and dir has a character for each byte when it is binary.
  // Standard input is bytes, or something to read them from; that, and the two
  // sinks, may answer with promises, see Machine.callWaiting.
  constructor({ args, env, dir, preopens, stdin, tree, limits, meter, stdout, stderr, seed, storage, binary }) {
    const nul = (s) => binary ? Uint8Array.from(s + "\0", (c) => c.charCodeAt(0)) : text.encode(s + "\0");
    this.args = args.map(nul);
    this.env = (dir && !env.some((kv) => kv.startsWith("PWD=")) ? [...env, "PWD=/" + clean(dir).replace(/^\.$/, "")] : env).map(nul);
    this.tree = tree;
    this.meter = meter;
    this.stdin = stdin instanceof Uint8Array ? new Input(stdin) : stdin;
    this.output = new Quota("output", limits.output);
    this.storage = storage ?? new Storage("files", limits.files);
    this.random = new Random(seedOf(seed));
    this.fds = [
      { kind: "input", readable: true },
      { kind: "output", writable: true, sink: stdout },
      { kind: "output", writable: true, sink: stderr },
    ];
    for (const name of preopens ?? ["/"]) {
      this.fds.push({ kind: "dir", name: clean(name === "." ? dir || "/" : name), preopen: text.encode(name) });
    }
  }

  // imports are the functions as a module imports them.
  get imports() {
    const module = {
      proc_exit: (code) => {
        throw new Exit(code >>> 0);
      },
    };
    for (const name of Object.keys(functions)) {
      module[name] = (...args) => {
        this.meter.burn(hostCallFuel);
        try {
          const code = this[name](...args.map((a) => typeof a === "number" ? a >>> 0 : a));
          return code instanceof Promise ? code.then((late) => late ?? 0, errorNumber) : code ?? 0;
        } catch (e) {
          return errorNumber(e);
        }
      };
    }
    return module;
  }

  // ---- memory ----

  bytes(at, n) {
    const buffer = this.memory ? this.memory.buffer : new ArrayBuffer(0);
    if (at + n > buffer.byteLength) throw errno.fault;
    return new Uint8Array(buffer, at, n);
  }

  view(at, n) {
    const b = this.bytes(at, n);
    return new DataView(b.buffer, b.byteOffset, n);
  }

  put32(at, word) { this.view(at, 4).setUint32(0, word, true); }
  put64(at, word) { this.view(at, 8).setBigUint64(0, BigInt.asUintN(64, BigInt(word)), true); }

  // ---- arguments, environment, time, chance ----

  sizes(list, count, size) {
    this.put32(count, list.length);
    this.put32(size, list.reduce((n, s) => n + s.length, 0));
  }

  strings(list, pointers, buffer) {
    for (const s of list) {
      this.put32(pointers, buffer);
      this.bytes(buffer, s.length).set(s);
      pointers += 4;
      buffer += s.length;
    }
  }

  args_sizes_get(count, size) { this.sizes(this.args, count, size); }
  args_get(pointers, buffer) { this.strings(this.args, pointers, buffer); }
  environ_sizes_get(count, size) { this.sizes(this.env, count, size); }
  environ_get(pointers, buffer) { this.strings(this.env, pointers, buffer); }

  elapsed() {
    this.virtual += 1000n;
    return this.virtual + BigInt(this.meter.used);
  }

  clock_res_get(id, at) {
    if (id > 3) return errno.inval;
    this.put64(at, 1000);
  }

  clock_time_get(id, _precision, at) {
    if (id > 3) return errno.inval;
    this.put64(at, id === 0 ? epoch + this.elapsed() : this.elapsed());
  }

  random_get(at, n) { this.random.fill(this.bytes(at, n)); }
  sched_yield() {}
  proc_raise() { return errno.notsup; }
  sock_accept() { return errno.notsup; }
  sock_recv() { return errno.notsup; }
  sock_send() { return errno.notsup; }

  sock_shutdown(n) {
    this.fd(n);
    return errno.notsock;
  }

  // poll_oneoff waits for the first of several things. Descriptors are always
  // ready; when there are only clocks, time moves on to the earliest.
  poll_oneoff(from, to, count, done) {
    if (count === 0 || count > 4096) return errno.inval;
    const subs = this.view(from, count * 48);
    this.bytes(to, count * 32);
    const delay = (i) => {
      const timeout = min(subs.getBigUint64(i * 48 + 24, true), 1n << 62n);
      if (!(subs.getUint8(i * 48 + 40) & 1)) return timeout;
      // A look at the time here is free: it does not move it on.
      const now = this.virtual + 1000n + BigInt(this.meter.used);
      return max(0n, timeout - (subs.getUint32(i * 48 + 16, true) === 0 ? epoch + now : now));
    };
    let wait = null;
    for (let i = 0; i < count; i++) {
      if (subs.getUint8(i * 48 + 8) !== 0) {
        wait = null;
        break;
      }
      const d = delay(i);
      if (wait === null || d < wait) wait = d;
    }
    const sleeping = wait !== null;
    if (sleeping) this.virtual += min(wait, 1n << 61n);
    let n = 0;
    for (let i = 0; i < count; i++) {
      const kind = subs.getUint8(i * 48 + 8);
      let e = 0;
      if (kind === 0) {
        if (!sleeping || delay(i) > wait) continue;
      } else if (kind === 1 || kind === 2) {
        if (!this.fds[subs.getUint32(i * 48 + 16, true)]) e = errno.badf;
      } else {
        e = errno.inval;
      }
      const event = this.view(to + n * 32, 32);
      new Uint8Array(event.buffer, event.byteOffset, 32).fill(0);
      event.setBigUint64(0, subs.getBigUint64(i * 48, true), true);
      event.setUint16(8, e, true);
      event.setUint8(10, kind);
      if (kind !== 0) event.setBigUint64(16, 1n, true);
      n++;
    }
    this.put32(done, n);
  }

  // ---- descriptors ----

  fd(n) {
    const d = this.fds[n];
    if (!d) throw errno.badf;
    return d;
  }

  add(d) {
    let n = this.fds.findIndex((old) => !old);
    if (n < 0) n = this.fds.length;
    if (n >= maxDescriptors) throw errno.mfile;
    this.fds[n] = d;
    return n;
  }

  // dup gives a descriptor a second number, no lower than least.
  dup(n, least) {
    const d = this.fd(n);
    while (this.fds[least]) least++;
    if (least >= maxDescriptors) throw errno.mfile;
    while (this.fds.length < least) this.fds.push(null);
    this.fds[least] = d;
    return least;
  }

  fd_fdstat_get(n, at) {
    const d = this.fd(n);
    const view = this.view(at, 24);
    this.bytes(at, 24).fill(0);
    const { base, inheriting } = rightsOf(d);
    view.setUint8(0, d.kind === "dir" ? typeDir : d.kind === "file" ? typeRegular : typeChar);
    view.setUint8(2, (d.flags ?? 0) | (d.append ? fdflagAppend : 0));
    view.setBigUint64(8, base, true);
    view.setBigUint64(16, inheriting, true);
  }

  fd_fdstat_set_flags(n, flags) { Object.assign(this.fd(n), { append: (flags & fdflagAppend) !== 0, flags: flagsIn(flags) }); }
  fd_fdstat_set_rights(n, base, inheriting) { giveUp(this.fd(n), BigInt.asUintN(64, base), BigInt.asUintN(64, inheriting)); }
  fd_advise(n) { this.fd(n); }
  fd_sync(n) { this.fd(n); }
  fd_datasync(n) { this.fd(n); }

  fd_filestat_set_times(n, access, change, flags) {
    const d = this.fd(n);
    if (d.kind !== "file" && d.kind !== "dir") return errno.inval;
    this.setTimes(d.name, access, change, flags);
  }

  setTimes(name, access, change, flags) { this.times.set(name, access, change, flags, epoch + this.elapsed()); }

  fd_allocate(n, offset, length) {
    const d = this.fd(n);
    if (d.kind !== "file" || !d.writable) return errno.badf;
    const start = BigInt.asIntN(64, offset), end = BigInt.asIntN(64, start + BigInt.asIntN(64, length));
    if (start < 0n || BigInt.asIntN(64, length) <= 0n || end < 0n) return errno.inval;
    if (end > BigInt(d.file.size)) this.resize(d, end);
  }

  fd_close(n) {
    this.fd(n);
    this.fds[n] = null;
  }

  fd_renumber(from, to) {
    const d = this.fd(from);
    this.fd(to);
    if (from !== to) {
      this.fds[to] = d;
      this.fds[from] = null;
    }
  }

  fd_filestat_get(n, at) {
    const d = this.fd(n);
    if (d.kind === "file") return this.filestat(at, d.name, d.file);
    if (d.kind === "dir") return this.filestat(at, d.name, this.tree.find(d.name));
    this.bytes(at, 64).fill(0);
    this.view(at, 64).setUint8(16, typeChar);
  }

  filestat(at, name, node) {
    const view = this.view(at, 64);
    this.bytes(at, 64).fill(0);
    view.setBigUint64(8, inode(name), true);
    view.setUint8(16, node.dir ? typeDir : typeRegular);
    view.setBigUint64(24, 1n, true);
    if (!node.dir) view.setBigUint64(32, BigInt(node.size), true);
    const { access, change } = this.times.of(name, epoch);
    for (const [o, time] of [[40, access], [48, change], [56, epoch]]) view.setBigUint64(o, BigInt.asUintN(64, time), true);
  }

  fd_filestat_set_size(n, size) {
    const d = this.fd(n);
    if (d.kind !== "file" || !d.writable) return errno.badf;
    if (BigInt.asIntN(64, size) < 0n) return errno.inval;
    this.resize(d, size);
  }

  fd_prestat_get(n, at) {
    const d = this.fd(n);
    if (!d.preopen) return errno.badf;
    this.put64(at, BigInt(d.preopen.length) << 32n);
  }

  fd_prestat_dir_name(n, at, length) {
    const d = this.fd(n);
    if (!d.preopen) return errno.badf;
    if (length < d.preopen.length) return errno.nametoolong;
    this.bytes(at, d.preopen.length).set(d.preopen);
  }

  fd_seek(n, offset, whence, at) {
    const d = this.fd(n);
    if (d.kind !== "file") return d.kind === "dir" ? errno.isdir : errno.spipe;
    if (whence > 2) return errno.inval;
    const pos = BigInt.asIntN(64, offset) + BigInt([0, d.pos, d.file.size][whence]);
    if (pos < 0n || pos > 1n << 62n) return errno.inval;
    d.pos = Number(pos);
    this.put64(at, pos);
  }

  fd_tell(n, at) {
    const d = this.fd(n);
    if (d.kind !== "file") return d.kind === "dir" ? errno.isdir : errno.spipe;
    this.put64(at, d.pos);
  }

  fd_readdir(n, at, length, cookie, used) {
    const d = this.fd(n);
    if (d.kind !== "dir") return errno.badf;
    const buffer = this.bytes(at, length);
    cookie = BigInt.asUintN(64, cookie);
    if (cookie === 0n || !d.entries) {
      const dot = { dir: true };
      d.entries = [[".", dot], ["..", dot], ...this.tree.list(d.name)];
    }
    let filled = 0;
    const put = (bytes) => {
      const part = bytes.subarray(0, buffer.length - filled);
      buffer.set(part, filled);
      filled += part.length;
    };
    for (let i = Number(min(cookie, 1n << 52n)); i < d.entries.length && filled < buffer.length; i++) {
      const [name, node] = d.entries[i];
      const bytes = text.encode(name), head = new DataView(new ArrayBuffer(24));
      head.setBigUint64(0, BigInt(i + 1), true);
      head.setBigUint64(8, inode(clean(joined(d.name, name))), true);
      head.setUint32(16, bytes.length, true);
      head.setUint8(20, node.dir ? typeDir : typeRegular);
      put(new Uint8Array(head.buffer));
      put(bytes);
    }
    this.put32(used, filled);
  }

  // ---- reading and writing ----

  // vectors calls f for each buffer of a scatter/gather list until one comes
  // back short, and writes how many bytes were done.
  vectors(list, count, result, f) {
    if (count > 1 << 28) throw errno.fault;
    const iovs = this.view(list, count * 8);
    let total = 0;
    const finish = (e) => {
      if (e !== undefined && !(typeof e === "number" && total > 0)) throw e;
      this.put32(result, total);
    };
    const from = (i) => {
      for (; i < count; i++) {
        const n = iovs.getUint32(i * 8 + 4, true);
        const buffer = this.bytes(iovs.getUint32(i * 8, true), n);
        if (n === 0) continue;
        let done;
        try {
          done = f(buffer);
        } catch (e) {
          return finish(e);
        }
        if (done instanceof Promise) {
          return done.then((late) => {
            total += late;
            return late < n ? finish() : from(i + 1);
          }, finish);
        }
        total += done;
        if (done < n) break;
      }
      return finish();
    };
    return from(0);
  }

  fd_read(n, list, count, result) {
    const d = this.fds[n];
    if (!d?.readable) return d?.kind === "dir" ? errno.isdir : errno.badf;
    return this.vectors(list, count, result, (b) => {
      if (d.kind === "input") return this.stdin.read(b);
      const k = d.file.read(b, d.pos);
      d.pos += k;
      return k;
    });
  }

  fd_pread(n, list, count, offset, result) {
    const d = this.fds[n];
    if (!d?.readable) return d?.kind === "dir" ? errno.isdir : errno.badf;
    if (d.kind !== "file") return errno.spipe;
    if (BigInt.asIntN(64, offset) < 0n) return errno.inval;
    let pos = Number(offset);
    this.vectors(list, count, result, (b) => {
      const k = d.file.read(b, pos);
      pos += k;
      return k;
    });
  }

  fd_write(n, list, count, result) {
    const d = this.fds[n];
    if (!d?.writable) return errno.badf;
    return this.vectors(list, count, result, (b) => {
      if (d.kind === "output") return this.stream(d, b);
      if (d.append) d.pos = d.file.size;
      const k = this.writeFile(d, b, d.pos);
      d.pos += k;
      return k;
    });
  }

  fd_pwrite(n, list, count, offset, result) {
    const d = this.fds[n];
    if (!d?.writable) return errno.badf;
    if (d.kind !== "file") return errno.spipe;
    if (BigInt.asIntN(64, offset) < 0n) return errno.inval;
    let pos = Number(offset);
    this.vectors(list, count, result, (b) => {
      const k = this.writeFile(d, b, pos);
      pos += k;
      return k;
    });
  }

  // stream passes output on. Reaching the limit ends the guest.
  stream(d, b) {
    const part = b.subarray(0, this.output.take(b.length));
    const done = part.length > 0 ? d.sink(part.slice()) : 0;
    if (this.output.hit) throw this.output.error();
    return done ?? part.length;
  }

  writeFile(d, b, pos) {
    if (pos + b.length > maxFileSize) throw errno.fbig;
    const grow = pos + b.length - d.file.size;
    if (grow > 0) this.storage.charge(grow);
    this.times.forget(d.name);
    return d.file.write(b, pos);
  }

  resize(d, size) {
    if (size > BigInt(maxFileSize)) throw errno.fbig;
    this.storage.charge(Number(size) - d.file.size);
    d.file.resize(Number(size));
    this.times.forget(d.name);
  }

  // ---- paths ----

  // resolve turns a path relative to a directory descriptor into a name.
  resolve(n, at, length) {
    const d = this.fd(n);
    if (d.kind !== "dir") throw errno.notdir;
    if (length > maxPath) throw errno.nametoolong;
    const bytes = this.bytes(at, length);
    if (length === 0) throw errno.noent;
    if (bytes[0] === 0x2f) throw errno.notcapable;
    if (bytes.includes(0)) throw errno.inval;
    let path;
    try {
      path = strict.decode(bytes);
    } catch {
      throw errno.ilseq;
    }
    return [clean(`${d.name}/${path}`), path.endsWith("/") || path.endsWith("/.") || path.endsWith("/..")];
  }

  path_open(n, _lookup, at, length, oflags, rights, _inheriting, fdflags, result) {
    const [name, wantDir] = this.resolve(n, at, length);
    const d = { name, readable: (rights & rightRead) !== 0n, writable: (rights & rightWrite) !== 0n, append: (fdflags & fdflagAppend) !== 0, flags: flagsIn(fdflags), pos: 0 };
    const create = (oflags & oflagCreate) !== 0, exclusive = (oflags & oflagExcl) !== 0, truncate = (oflags & oflagTrunc) !== 0;
    if (truncate && (this.fd(n).dropped?.base ?? 0n) & rightTruncate) return errno.notcapable;
    let node = null;
    try {
      node = this.tree.find(name);
    } catch (e) {
      if (wantDir || oflags & oflagDirectory) throw e;
    }
    if (node?.dir) {
      if (create && exclusive) return errno.exist;
      if ((create || truncate) && !(oflags & oflagDirectory)) return errno.isdir;
      if (oflags & oflagDirectory && d.readable && d.writable && BigInt.asUintN(64, rights) !== rightsAll) return errno.isdir;
      Object.assign(d, { kind: "dir", readable: false, writable: false });
    } else {
      if (wantDir || oflags & oflagDirectory) return errno.notdir;
      if (create && !node) this.storage.entries(1);
      const size = node?.size ?? 0;
      d.file = this.tree.open(name, { create, exclusive, truncate, write: d.writable });
      d.kind = "file";
      if (truncate && node) this.storage.cut(size);
    }
    const fd = this.add(d);
    try {
      this.put32(result, fd);
    } catch (e) {
      this.fds[fd] = null;
      throw e;
    }
  }

  path_create_directory(n, at, length) {
    const [name] = this.resolve(n, at, length);
    this.storage.entries(1);
    this.tree.mkdir(name);
  }

  path_filestat_get(n, _flags, at, length, result) {
    const [name, wantDir] = this.resolve(n, at, length);
    const node = this.tree.find(name);
    if (wantDir && !node.dir) return errno.notdir;
    this.filestat(result, name, node);
  }

  path_filestat_set_times(n, _flags, at, length, access, change, flags) {
    const [name] = this.resolve(n, at, length);
    this.tree.find(name);
    this.setTimes(name, access, change, flags);
  }

  path_unlink_file(n, at, length) {
    const [name, wantDir] = this.resolve(n, at, length);
    const node = this.tree.find(name);
    if (node.dir) return errno.isdir;
    if (wantDir) return errno.notdir;
    const size = node instanceof RegularFile ? node.size : 0;
    this.tree.remove(name);
    this.times.forget(name);
    this.storage.charge(-size);
    this.storage.entries(-1);
  }

  path_remove_directory(n, at, length) {
    const [name] = this.resolve(n, at, length);
    if (!this.tree.find(name).dir) return errno.notdir;
    this.tree.remove(name);
    this.times.forget(name);
    this.storage.entries(-1);
  }

  path_rename(n, at, length, m, toAt, toLength) {
    const [from] = this.resolve(n, at, length);
    const [to] = this.resolve(m, toAt, toLength);
    this.tree.rename(from, to);
    this.times.move(from, to);
  }

  path_link() { return errno.notsup; }
  path_symlink() { return errno.notsup; }

  path_readlink(n, at, length) {
    this.tree.find(this.resolve(n, at, length)[0]);
    return errno.inval;
  }
}
