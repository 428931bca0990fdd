// Modules made ready to run: compiled by the page, once for all the runs of their
// components under the same memory limit, and given to the workers.

const pageSize = 65536;

// LEB128 numbers of the binary format.
function readU32(bytes, at) {
  let n = 0, shift = 0;
  for (;;) {
    const b = bytes[at++];
    n += (b & 0x7f) * 2 ** shift;
    if (b < 0x80) return [n, at];
    shift += 7;
  }
}

function u32(n) {
  const out = [];
  for (; n > 127; n = Math.floor(n / 128)) out.push(n % 128 | 0x80);
  return [...out, n];
}

const memorySection = 5;

// bounded is a module whose memory cannot grow beyond limit bytes, and the
// pages it starts with and once wanted at most.
function bounded(wasm, limit) {
  for (let at = 8; at < wasm.length;) {
    const id = wasm[at];
    const [size, start] = readU32(wasm, at + 1);
    if (id === memorySection) {
      const [count, flagsAt] = readU32(wasm, start);
      if (count === 0) break;
      const [min, afterMin] = readU32(wasm, flagsAt + 1);
      const max = wasm[flagsAt] & 1 ? readU32(wasm, afterMin)[0] : 65536;
      if (limit < 0 || limit >= max * pageSize) return { wasm, min, max };
      const body = [1, 1, ...u32(min), ...u32(Math.max(min, Math.floor(limit / pageSize)))];
      const section = [memorySection, ...u32(body.length), ...body];
      const out = new Uint8Array(at + section.length + wasm.length - start - size);
      out.set(wasm.subarray(0, at));
      out.set(section, at);
      out.set(wasm.subarray(start + size), at + section.length);
      return { wasm: out, min, max };
    }
    at = start + size;
  }
  return { wasm, min: 0, max: 0 };
}

// compiled is a module whose memory, beyond that of an image, is limited: {module,
// most (bytes of memory), min, max (pages)}.
export async function compiled(wasm, limits, size = 0) {
  const most = limits.memory < 0 ? -1 : limits.memory + size;
  const { wasm: own, min, max } = bounded(wasm, most);
  return { module: await WebAssembly.compile(own), most, min, max };
}
