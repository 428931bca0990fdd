// TextEncoder, TextDecoder and the bytes behind Javy.IO. The host converts:
// UTF-8 in both directions is its native tongue.
(kit => {
  'use strict';
  const { host, define } = kit;

  // bytesOf views any buffer as bytes, without copying.
  const bytesOf = data => {
    if (data === undefined) return new Uint8Array(0);
    if (ArrayBuffer.isView(data)) return data instanceof Uint8Array ? data : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (data instanceof ArrayBuffer || data instanceof SharedArrayBuffer) return new Uint8Array(data);
    throw new TypeError('expected an ArrayBuffer or a typed array');
  };

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text = '') { return host.encode(`${text}`); }
    encodeInto(text, into) {
      let read = 0, written = 0;
      for (const c of `${text}`) {
        const bytes = host.encode(c);
        if (written + bytes.length > into.length) break;
        into.set(bytes, written);
        written += bytes.length;
        read += c.length;
      }
      return { read, written };
    }
  }

  class TextDecoder {
    #fatal; #keepMark; #rest = new Uint8Array(0); #started = false; #encoding;
    constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
      const name = `${label}`.trim().toLowerCase();
      if (/^(unicode-1-1-)?utf-?8$/.test(name)) this.#encoding = 'utf-8';
      else if (/^(utf-16(le)?|ucs-2|unicode)$/.test(name)) this.#encoding = 'utf-16le';
      else throw new RangeError(`TextDecoder: ${label} is not supported; there are utf-8 and utf-16le`);
      this.#fatal = !!fatal;
      this.#keepMark = !!ignoreBOM;
    }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepMark; }
    decode(data, { stream = false } = {}) {
      let bytes = bytesOf(data);
      if (this.#rest.length > 0) {
        const joined = new Uint8Array(this.#rest.length + bytes.length);
        joined.set(this.#rest);
        joined.set(bytes, this.#rest.length);
        bytes = joined;
      }
      let end = bytes.length;
      if (stream) end -= this.#encoding === 'utf-8' ? incomplete(bytes) : bytes.length % 2;
      this.#rest = bytes.slice(end);
      let text = this.#encoding === 'utf-8' ? host.decode(bytes.subarray(0, end), this.#fatal) : wide(bytes.subarray(0, end));
      if (text === undefined) throw Object.assign(new TypeError('The encoded data was not valid for encoding utf-8'), { code: 'ERR_ENCODING_INVALID_ENCODED_DATA' });
      if (!this.#started && !this.#keepMark && text.startsWith('\ufeff')) text = text.slice(1);
      this.#started = stream && (this.#started || end > 0);
      return text;
    }
  }

  // incomplete counts the bytes at the end that begin a character whose rest
  // may come with the next chunk.
  function incomplete(bytes) {
    for (let n = 1; n <= Math.min(3, bytes.length); n++) {
      const b = bytes[bytes.length - n];
      if (b < 0x80) return 0;
      if (b >= 0xc0) return (b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2) > n ? n : 0;
    }
    return 0;
  }

  function wide(bytes) {
    let text = '';
    for (let i = 0; i + 1 < bytes.length; i += 2) text += String.fromCharCode(bytes[i] | bytes[i + 1] << 8);
    return text.toWellFormed();
  }

  define('TextEncoder', TextEncoder);
  define('TextDecoder', TextDecoder);

  // Javy.IO reads standard input and writes the output streams in bytes.
  let input, at = 0;
  define('Javy', { IO: {
    readSync(fd, buffer) {
      if (fd !== 0) throw new Error(`Javy.IO.readSync: only file descriptor 0 can be read, not ${fd}`);
      input ??= host.stdin();
      const n = Math.min(buffer.length, input.length - at);
      buffer.set(input.subarray(at, at + n));
      at += n;
      return n;
    },
    writeSync(fd, buffer) {
      if (fd !== 1 && fd !== 2) throw new Error(`Javy.IO.writeSync: only file descriptors 1 and 2 can be written, not ${fd}`);
      host.write(fd, bytesOf(buffer));
      return buffer.length;
    },
  }, JSON: {
    fromStdin: () => JSON.parse(host.decode(host.stdin(), false)),
    toStdout: v => host.write(1, JSON.stringify(v)),
  } });

  kit.bytesOf = bytesOf;
  kit.TextEncoder = TextEncoder;
  kit.TextDecoder = TextDecoder;
  // A session reads the input of each job from its start.
  kit.onBegin.push(() => { input = undefined; at = 0; });
})
