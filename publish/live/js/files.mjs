// A guest's tree of files in memory, with the rules of the sandbox's MemFS:
// no links, names in order, the errors of Linux. Names are relative and clean;
// "." is the root. Failures are thrown as error numbers of WASI preview 1.

export const errno = {
  badf: 8, exist: 20, fault: 21, fbig: 22, ilseq: 25, inval: 28, io: 29, isdir: 31, mfile: 33, nametoolong: 37, noent: 44,
  nospc: 51, notdir: 54, notempty: 55, notsock: 57, notsup: 58, perm: 63, pipe: 64, spipe: 70, xdev: 75, notcapable: 76, rofs: 69,
};

// byBytes orders names as their UTF-8 does.
const encoder = new TextEncoder();
function byBytes(a, b) {
  const x = encoder.encode(a), y = encoder.encode(b);
  for (let i = 0; i < x.length && i < y.length; i++) {
    if (x[i] !== y[i]) return x[i] - y[i];
  }
  return x.length - y.length;
}

const parts = (name) => name === "." ? [] : name.split("/");
const within = (name, dir) => dir === "." || name === dir || name.startsWith(dir + "/");

// clean resolves "." and ".." on the text; above the root is the root.
export function clean(path) {
  const out = [];
  for (const part of path.split("/")) {
    if (part === "..") out.pop();
    else if (part !== "" && part !== ".") out.push(part);
  }
  return out.join("/") || ".";
}

class Directory {
  children = new Map();
  get dir() { return true; }
}

// RegularFile has content that grows in place.
export class RegularFile {
  constructor(data = new Uint8Array(0)) {
    this.buffer = data;
    this.size = data.length;
    this.owned = false; // the buffer may be written to
  }

  get dir() { return false; }
  get data() { return this.buffer.subarray(0, this.size); }

  resize(size) {
    if (!this.owned || size > this.buffer.length) {
      const next = new Uint8Array(Math.max(size, this.owned ? Math.min(this.buffer.length * 2, size + (1 << 24)) : size));
      next.set(this.buffer.subarray(0, Math.min(this.size, size)));
      this.buffer = next;
      this.owned = true;
    }
    if (size < this.size) this.buffer.fill(0, size, this.size);
    this.size = size;
  }

  read(into, at) {
    if (at >= this.size) return 0;
    const n = Math.min(into.length, this.size - at);
    into.set(this.buffer.subarray(at, at + n));
    return n;
  }

  write(from, at) {
    if (from.length === 0) return 0;
    this.resize(Math.max(this.size, at + from.length));
    this.buffer.set(from, at);
    return from.length;
  }
}

// Tree is what a guest sees as "/".
export class Tree {
  root = new Directory();

  // put makes a file (content) or a directory (null) and those above it.
  put(name, content) {
    const path = parts(clean(name));
    let dir = this.root;
    for (const [i, part] of path.entries()) {
      const last = i === path.length - 1;
      let child = dir.children.get(part);
      if (!child || last && content && !child.dir) {
        child = last && content ? new RegularFile(content) : new Directory();
        dir.children.set(part, child);
      }
      dir = child;
    }
  }

  find(name) {
    let node = this.root;
    for (const part of parts(name)) {
      if (!node.dir) throw errno.notdir;
      node = node.children.get(part);
      if (!node) throw errno.noent;
    }
    return node;
  }

  // parent is the directory that holds, or would hold, a name, and its base.
  parent(name) {
    if (name === ".") throw errno.inval;
    const at = name.lastIndexOf("/");
    const dir = this.find(at < 0 ? "." : name.slice(0, at));
    if (!dir.dir) throw errno.notdir;
    return [dir, name.slice(at + 1)];
  }

  list(name) {
    const node = this.find(name);
    if (!node.dir) throw errno.notdir;
    return [...node.children].sort(([a], [b]) => byBytes(a, b));
  }

  open(name, { create, exclusive, truncate }) {
    let node;
    try {
      node = this.find(name);
    } catch (e) {
      if (e !== errno.noent || !create) throw e;
      const [dir, base] = this.parent(name);
      node = new RegularFile();
      dir.children.set(base, node);
      return node;
    }
    if (create && exclusive) throw errno.exist;
    if (node.dir) throw errno.isdir;
    if (truncate) node.resize(0);
    return node;
  }

  mkdir(name) {
    if (name === ".") throw errno.exist;
    const [dir, base] = this.parent(name);
    if (dir.children.has(base)) throw errno.exist;
    dir.children.set(base, new Directory());
  }

  remove(name) {
    const [dir, base] = this.parent(name);
    const node = dir.children.get(base);
    if (!node) throw errno.noent;
    if (node.dir && node.children.size > 0) throw errno.notempty;
    dir.children.delete(base);
  }

  rename(from, to) {
    const [source, sourceBase] = this.parent(from);
    const [target, targetBase] = this.parent(to);
    const node = source.children.get(sourceBase);
    if (!node) throw errno.noent;
    if (from === to) return;
    const old = target.children.get(targetBase);
    const toDir = old ? old.dir : node.dir;
    if (node.dir && within(to, from)) throw errno.inval;
    if (toDir && within(from, to)) throw errno.notempty;
    if (node.dir && !toDir) throw errno.notdir;
    if (!node.dir && toDir) throw errno.isdir;
    if (old?.dir && old.children.size > 0) throw errno.notempty;
    source.children.delete(sourceBase);
    target.children.set(targetBase, node);
  }
}

// LibraryTree is a tree with a library behind it: a directory that can be read and
// that no listing shows. The library is the length of its table of contents, that
// table (pairs of name and size), and the contents.
export class LibraryTree extends Tree {
  shelf = new Tree();

  constructor(tree, dir, library) {
    super();
    this.root = tree.root;
    this.dir = clean(dir);
    const start = 4 + new DataView(library.buffer, library.byteOffset).getUint32(0, true);
    let at = start;
    for (const [name, size] of JSON.parse(new TextDecoder().decode(library.subarray(4, start)))) {
      this.shelf.put(name, library.subarray(at, at + size));
      at += size;
    }
  }

  has(name) { return within(name, this.dir); }
  inside(name) { return name === this.dir ? "." : name.slice(this.dir.length + 1); }

  find(name) { return this.has(name) ? this.shelf.find(this.inside(name)) : super.find(name); }
  list(name) { return this.has(name) ? this.shelf.list(this.inside(name)) : super.list(name); }

  open(name, how) {
    if (!this.has(name)) return super.open(name, how);
    if (how.create || how.truncate || how.write) throw errno.rofs;
    return this.shelf.open(this.inside(name), how);
  }

  mkdir(name) { return this.has(name) ? readOnly() : super.mkdir(name); }
  remove(name) { return this.has(name) ? readOnly() : super.remove(name); }
  rename(from, to) { return this.has(from) || this.has(to) ? readOnly() : super.rename(from, to); }
}

function readOnly() {
  throw errno.rofs;
}
