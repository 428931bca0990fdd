// fs: the files the block was given, as node's fs reads and writes them. The
// tree is the sandbox's: there is no way out of it.
(kit => {
  'use strict';
  const { host, toBuffer, encoding, bytesOf } = kit;
  const { parse } = JSON;

  const name = path => {
    if (path instanceof URL) {
      if (path.protocol !== 'file:') throw Object.assign(new TypeError('The URL must be of scheme file'), { code: 'ERR_INVALID_URL_SCHEME' });
      return decodeURIComponent(path.pathname);
    }
    if (typeof path === 'string') return path;
    if (path instanceof Uint8Array) return host.decode(path, false);
    throw Object.assign(new TypeError(`The "path" argument must be of type string or an instance of Buffer or URL. Received ${kit.show(path)}`), { code: 'ERR_INVALID_ARG_TYPE' });
  };
  const codingOf = options => typeof options === 'string' ? options : options?.encoding ?? null;
  const input = path => path === 0 || path === '/dev/stdin';
  const data = (v, options) => typeof v !== 'string' ? bytesOf(v) : toBuffer(v, codingOf(options) ?? 'utf8');

  class Stats {
    constructor(s) { Object.assign(this, { mode: s.dir ? 0o40755 : 0o100644, size: s.size, mtimeMs: s.mtime, mtime: new Date(s.mtime) }); }
    isFile() { return (this.mode & 0o170000) === 0o100000; }
    isDirectory() { return !this.isFile(); }
    isSymbolicLink() { return false; }
  }
  class Dirent {
    constructor(e, path) { this.name = e.name; this.parentPath = this.path = path; Object.defineProperty(this, 'directory', { value: e.dir }); }
    isFile() { return !this.directory; }
    isDirectory() { return this.directory; }
    isSymbolicLink() { return false; }
  }

  const sync = {
    readFile(path, options) {
      const bytes = input(path) ? host.stdin() : host.readFile(name(path));
      const coding = codingOf(options);
      return coding === null ? toBuffer(bytes) : encoding(coding).to(bytes);
    },
    writeFile(path, v, options) {
      if (path === 1 || path === 2) return void host.write(path, data(v, options));
      host.writeFile(name(path), data(v, options), options?.flag === 'a');
    },
    appendFile(path, v, options) { host.writeFile(name(path), data(v, options), true); },
    stat(path, options) {
      try { return new Stats(parse(host.stat(name(path)))); } catch (e) {
        if (options?.throwIfNoEntry === false && e.code === 'ENOENT') return undefined;
        throw e;
      }
    },
    readdir(path, options) {
      const at = name(path), list = parse(host.readDir(at));
      const all = options?.recursive ? list.flatMap(e => e.dir ? [e, ...sync.readdir(`${at}/${e.name}`, { ...options, withFileTypes: true }).map(d => ({ name: `${e.name}/${d.name}`, dir: d.isDirectory() }))] : [e]) : list;
      return options?.withFileTypes ? all.map(e => new Dirent(e, at)) : all.map(e => e.name);
    },
    mkdir(path, options) { host.mkdir(name(path), !!options?.recursive); },
    rm(path, options) { host.remove(name(path), !!options?.recursive, !!options?.force); },
    rmdir(path, options) { host.remove(name(path), !!options?.recursive, false); },
    unlink(path) { host.remove(name(path), false, false); },
    rename(from, to) { host.rename(name(from), name(to)); },
    copyFile(from, to) { host.writeFile(name(to), host.readFile(name(from)), false); },
    access(path) { host.stat(name(path)); },
  };
  sync.lstat = sync.stat;

  const fs = { constants: { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 }, Stats, Dirent, promises: {} };
  for (const [key, f] of Object.entries(sync)) {
    fs[`${key}Sync`] = f;
    fs.promises[key] = async (...args) => f(...args);
    fs[key] = (...args) => {
      const done = args.pop();
      if (typeof done !== 'function') throw Object.assign(new TypeError(`The "cb" argument must be of type function. Received ${kit.show(done)}`), { code: 'ERR_INVALID_ARG_TYPE' });
      let outcome;
      try { outcome = [null, f(...args)]; } catch (e) { outcome = [e]; }
      kit.nextTick(done, ...outcome);
    };
  }
  fs.existsSync = path => { try { host.stat(name(path)); return true; } catch { return false; } };
  fs.exists = (path, done) => kit.nextTick(done, fs.existsSync(path));
  for (const key of ['open', 'read', 'write', 'close', 'createReadStream', 'createWriteStream', 'watch', 'symlink', 'link', 'chmod', 'chown', 'readlink']) {
    const refuse = () => { throw new Error(`fs.${key} is not there in the sandbox; read and write whole files with readFileSync and writeFileSync`); };
    fs[key] = refuse;
    if (!key.startsWith('create') && key !== 'watch') fs[`${key}Sync`] = refuse;
  }
  fs.writeSync = (fd, v) => {
    if (fd !== 1 && fd !== 2) throw new Error('fs.writeSync writes descriptors 1 and 2; write whole files with writeFileSync');
    const bytes = data(v);
    host.write(fd, bytes);
    return bytes.length;
  };
  kit.fs = fs;
})
