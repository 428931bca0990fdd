// Does with modules of the runtime what the Go test does with its own packages.
import { readFileSync } from "node:fs";
import { sha256 } from "../js/digest.mjs";
import { readOutput } from "../js/output.mjs";
import { Random, seedOf } from "../js/random.mjs";
import { neutral } from "../js/show.mjs";
import { json, parseJSON } from "../js/value.mjs";

const { texts, readings, harmful } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const random = new Uint8Array(5000), stream = new Random(seedOf());
for (let at = 0; at < random.length; at += 100) stream.fill(random.subarray(at, at + 100));
console.log(JSON.stringify({
  Random: Buffer.from(random).toString("base64"),
  Values: texts.map((text) => {
    try {
      const v = parseJSON(text);
      return `${json(v, true)} ${json(v)}`;
    } catch {
      return "error";
    }
  }),
  Read: readings.map((r) => json(readOutput(new Uint8Array(Buffer.from(r.text, "base64")), r), true)),
  Neutral: harmful.map(neutral),
  Digest: sha256(new TextEncoder().encode("abc")),
}));
