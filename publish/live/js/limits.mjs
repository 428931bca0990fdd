// What a guest may use, and how it is told that it used it up: the limits of
// the sandbox, with its words.
import { errno } from "./files.mjs";

const units = [[1 << 30, "GiB"], [1 << 20, "MiB"], [1 << 10, "KiB"]];

const byteSize = (n) => {
  for (const [size, name] of units) {
    if (n >= size && n % size === 0) return `${n / size} ${name}`;
  }
  return `${n} bytes`;
};

// Halt ends a guest from inside a host function.
export class Halt extends Error {}

// LimitError says that a guest reached one of its limits.
export class LimitError extends Halt {
  constructor(kind, limit) {
    super(kind === "fuel" ? `fuel limit ${limit} exceeded`
      : kind === "stack" ? "stack limit exceeded (recursion too deep)"
      : `${kind} limit ${byteSize(limit)} exceeded`);
    this.kind = kind;
  }
}

// Exit is a guest that ended itself.
export class Exit extends Halt {
  constructor(code) {
    super(`exited with code ${code}`);
    this.code = code;
  }
}

// Trap is a guest that did something undefined.
export class Trap extends Error {
  constructor(reason, frames) {
    super(reason);
    this.reason = reason;
    this.frames = frames;
  }
}

// Quota is a number of bytes that may be used; a negative limit is none.
export class Quota {
  used = 0;
  hit = false;

  constructor(kind, limit) {
    this.kind = kind;
    this.limit = limit;
  }

  // take uses n bytes and returns how many of them are allowed.
  take(n) {
    if (this.limit >= 0 && this.used + n > this.limit) {
      n = Math.max(0, this.limit - this.used);
      this.hit = true;
    }
    this.used += n;
    return n;
  }

  error() { return new LimitError(this.kind, this.limit); }
}

const entryCost = 256;

// Storage is what a guest may add to its files.
export class Storage extends Quota {
  // charge takes bytes; a negative number gives back.
  charge(n) {
    if (this.limit >= 0 && n > 0 && this.used + n > this.limit) {
      this.hit = true;
      throw errno.nospc;
    }
    this.used = Math.max(0, this.used + n);
  }

  // entries takes room for names, and cut gives back what opening a file cut off.
  entries(n) { this.charge(n * entryCost); }
  cut(n) { this.charge(-n); }
}

const slice = 1 << 17;
const maxGrant = 2 ** 31 - 1;

// Meter counts a guest's fuel. The guest counts down in its own counter;
// granted is the sum of what it was given, so granted less the counter is what
// its code has burnt. What the host does for it is added on top.
export class Meter {
  granted = 0;
  hostFuel = 0;
  unseen = 0;
  counter = null; // the guest's global, once it is there

  constructor(limit) {
    this.limit = limit;
  }

  get used() { return this.counter ? this.granted - this.counter.value + this.hostFuel : this.hostFuel; }

  // refill is the guest's call for more: the next value of its counter. It
  // needs at least one more unit.
  refill(left) {
    const used = this.granted - left + this.hostFuel;
    this.check(used + 1);
    let next = Math.min(slice, maxGrant);
    if (this.limit >= 0) next = Math.min(next, this.limit - used);
    this.granted += next - left;
    return next;
  }

  check(used) {
    this.unseen = 0;
    if (this.limit >= 0 && used > this.limit) throw new LimitError("fuel", this.limit);
  }

  // burn charges for work that the host does.
  burn(n) {
    this.hostFuel += n;
    this.unseen += n;
    if (this.unseen >= slice) this.check(this.used);
  }
}
