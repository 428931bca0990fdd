// Compares canonicalize with the vectors of wb/publish/jcs.
import { readFileSync } from "node:fs";
import { canonicalize } from "../js/verify.mjs";

let wrong = 0;
for (const v of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  let out = "", code = "";
  try {
    out = canonicalize(new TextEncoder().encode(v.in));
  } catch (e) {
    code = e.code ?? String(e);
  }
  if (out === (v.out ?? "") && code === (v.code ?? "")) continue;
  console.log(`${v.name}: ${out} ${code}, want ${v.out ?? ""} ${v.code ?? ""}`);
  wrong++;
}
process.exit(wrong ? 1 : 0);
