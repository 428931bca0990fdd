// What a guest may do with its descriptors, and the times it gave its files.
import { errno } from "./files.mjs";

export const rightRead = 1n << 1n;
export const rightWrite = 1n << 6n;
export const rightTruncate = 1n << 19n;
export const rightsAll = (1n << 30n) - 1n;

// rightsOfFiles are those that no directory has: reading, seeking, telling,
// writing, advising, allocating and setting the size.
const rightsOfFiles = rightRead | 1n << 2n | 1n << 5n | rightWrite | 1n << 7n | 1n << 8n | 1n << 22n;

// rightsOf are what a descriptor may do, and what is opened below it.
export function rightsOf(d) {
  let base = rightsAll;
  if (d.kind === "dir") base &= ~rightsOfFiles;
  else {
    if (!d.readable) base &= ~rightRead;
    if (!d.writable) base &= ~rightWrite;
  }
  const { dropped = { base: 0n, inheriting: 0n } } = d;
  return { base: base & ~dropped.base, inheriting: rightsAll & ~dropped.inheriting };
}

// giveUp takes rights from a descriptor. None comes back.
export function giveUp(d, base, inheriting) {
  const has = rightsOf(d);
  if (base & ~has.base || inheriting & ~has.inheriting) throw errno.notcapable;
  d.dropped = { base: (d.dropped?.base ?? 0n) | has.base & ~base, inheriting: (d.dropped?.inheriting ?? 0n) | has.inheriting & ~inheriting };
  if (d.kind !== "dir") {
    d.readable &&= (base & rightRead) !== 0n;
    d.writable &&= (base & rightWrite) !== 0n;
  }
}

// The flags of fd_filestat_set_times.
const access = 1, accessNow = 2, change = 4, changeNow = 8;

// Times are those that a guest gave its files, in nanoseconds, by name. They last
// as long as the run.
export class Times {
  known = new Map();

  set(name, accessed, changed, flags, now) {
    flags &= 0xffff; // the rest of the word is undefined
    if (flags & access && flags & accessNow || flags & change && flags & changeNow || flags >= changeNow << 1) throw errno.inval;
    const times = { ...this.known.get(name) };
    if (flags & access) times.access = BigInt.asIntN(64, accessed);
    else if (flags & accessNow) times.access = now;
    if (flags & change) times.change = BigInt.asIntN(64, changed);
    else if (flags & changeNow) times.change = now;
    this.known.set(name, times);
  }

  // of gives the times a guest sees: those that it gave, else the usual one.
  of(name, usual) {
    const { access = 0n, change = 0n } = this.known.get(name) ?? {};
    return { access: access || usual, change: change || usual };
  }

  // forget drops the times of a file that was removed or written, and those below
  // a directory that is no more.
  forget(name) {
    for (const key of this.known.keys()) {
      if (key === name || key.startsWith(`${name}/`)) this.known.delete(key);
    }
  }

  // move lets a file that was renamed keep its times.
  move(from, to) {
    this.forget(to);
    for (const [key, times] of [...this.known]) {
      if (key !== from && !key.startsWith(`${from}/`)) continue;
      this.known.delete(key);
      this.known.set(to + key.slice(from.length), times);
    }
  }
}
