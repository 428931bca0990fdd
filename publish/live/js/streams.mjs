// What processes of a script share: files with a position, ends of pipes, bytes,
// and the streams of the run, as package compile/shell has them. Reads and writes
// give a number of bytes, or a promise of one when they have to wait; 0 bytes
// read is the end. Failures are thrown as error numbers.
import { errno } from "./files.mjs";

const badf = () => {
  throw errno.badf;
};

// Stream is an opening of something; the last process to let go of it closes it.
export class Stream {
  refs = 1;
  ahead = new Uint8Array(0); // read but not yet consumed, see readUntil

  constructor(end) {
    this.end = end;
  }

  keep() {
    this.refs++;
    return this;
  }

  drop() {
    if (--this.refs === 0) this.end.close?.();
  }

  read(buffer) {
    if (this.ahead.length === 0) return this.end.read(buffer);
    const part = this.ahead.subarray(0, buffer.length);
    buffer.set(part);
    this.ahead = this.ahead.subarray(part.length);
    return part.length;
  }

  write(bytes) { return this.end.write(bytes); }

  // readUntil reads up to and including a byte and keeps what it had to read
  // beyond for whoever reads the stream next.
  async readUntil(delim, buffer) {
    let done = 0;
    while (done < buffer.length) {
      let { ahead } = this;
      if (ahead.length === 0) {
        const chunk = new Uint8Array(8 << 10);
        let n = 0;
        try {
          n = await this.end.read(chunk);
        } catch (e) {
          if (done === 0 || typeof e !== "number") throw e;
        }
        if (n === 0) return done;
        ahead = chunk.subarray(0, n);
      }
      let part = ahead.subarray(0, buffer.length - done);
      const found = part.indexOf(delim);
      if (found >= 0) part = part.subarray(0, found + 1);
      buffer.set(part, done);
      done += part.length;
      this.ahead = ahead.subarray(part.length);
      if (found >= 0) break;
    }
    return done;
  }
}

// nothing is /dev/null.
export const nothing = { read: () => 0, write: (bytes) => bytes.length };

// given reads bytes that are there from the start.
export const given = (data) => ({
  read(buffer) {
    const part = data.subarray(0, buffer.length);
    buffer.set(part);
    data = data.subarray(part.length);
    return part.length;
  },
  write: badf,
});

// file is an open file with a position that all who share the stream move.
export function file(node, { readable, writable, append }, storage) {
  let pos = 0;
  return {
    read(buffer) {
      if (!readable) badf();
      const n = node.read(buffer, pos);
      pos += n;
      return n;
    },
    write(bytes) {
      if (!writable) badf();
      if (append) pos = node.size;
      const grow = pos + bytes.length - node.size;
      if (grow > 0) storage.charge(grow);
      pos += node.write(bytes, pos);
      return bytes.length;
    },
  };
}

// Pipe carries bytes from one stage to the next. An ordinary pipe hands over: a
// write ends when all of it has been read. An unbounded one keeps what is
// written; that counts against the memory of the run.
export class Pipe {
  data = new Uint8Array(0); // not read yet
  closed = false; // for reading
  ended = false; // for writing
  waiting = []; // who wants to hear of changes
  turn = Promise.resolve(); // the bounded writes before

  constructor(kernel, unbounded) {
    this.kernel = kernel;
    this.unbounded = unbounded;
  }

  changed() {
    const { waiting } = this;
    this.waiting = [];
    for (const wake of waiting) wake();
  }

  change() {
    return new Promise((wake) => {
      this.waiting.push(wake);
    });
  }

  read(buffer) {
    if (this.data.length > 0) {
      const part = this.data.subarray(0, buffer.length);
      buffer.set(part);
      this.data = this.data.subarray(part.length);
      if (this.unbounded) this.kernel.release(part.length);
      this.changed();
      return part.length;
    }
    return this.ended ? 0 : this.change().then(() => this.read(buffer));
  }

  write(bytes) {
    if (this.unbounded) return this.hold(bytes);
    const written = this.turn.then(() => this.handOver(bytes));
    this.turn = written.catch(() => {});
    return written;
  }

  async handOver(bytes) {
    if (this.closed) throw errno.pipe;
    this.data = bytes.slice();
    this.changed();
    while (this.data.length > 0) {
      if (!this.closed) {
        await this.change();
        continue;
      }
      const done = bytes.length - this.data.length;
      this.data = new Uint8Array(0);
      if (done === 0) throw errno.pipe;
      return done;
    }
    return bytes.length;
  }

  hold(bytes) {
    this.kernel.reserve(bytes.length);
    if (this.closed) {
      this.kernel.release(bytes.length);
      throw errno.pipe;
    }
    const all = new Uint8Array(this.data.length + bytes.length);
    all.set(this.data);
    all.set(bytes, this.data.length);
    this.data = all;
    this.changed();
    return bytes.length;
  }

  // The two ends.
  get reader() {
    return {
      read: (buffer) => this.read(buffer),
      write: badf,
      close: () => {
        this.closed = true;
        if (this.unbounded) {
          this.kernel.release(this.data.length);
          this.data = new Uint8Array(0);
        }
        this.changed();
      },
    };
  }

  get writer() {
    return {
      read: badf,
      write: (bytes) => this.write(bytes),
      close: () => {
        this.ended = true;
        this.changed();
      },
    };
  }
}
