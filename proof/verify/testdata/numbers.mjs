// Reads the bits of doubles, one a line in hexadecimal, and writes the numbers.
import { readFileSync } from "node:fs";

const view = new DataView(new ArrayBuffer(8));
const out = [];
for (const line of readFileSync(0, "utf8").split("\n")) {
  if (!line) continue;
  view.setBigUint64(0, BigInt("0x" + line));
  out.push(JSON.stringify(view.getFloat64(0)));
}
process.stdout.write(out.join("\n") + "\n");
