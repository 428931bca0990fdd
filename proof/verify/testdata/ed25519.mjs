// Verifies every signature of a file that the Go test wrote and compares codes.
import { readFileSync } from "node:fs";
import { Fault, verifySignature } from "../js/verify.mjs";

try {
  await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
} catch {
  console.error("no Ed25519");
  process.exit(1);
}
let wrong = 0;
for (const c of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  let code = "";
  try {
    await verifySignature(c.did, new Uint8Array(Buffer.from(c.message ?? "", "base64")), c.signature);
  } catch (e) {
    code = e instanceof Fault ? e.code : String(e);
  }
  if (code === c.want) continue;
  console.log(`${c.name}: ${code}, want ${c.want}`);
  wrong++;
}
process.exit(wrong ? 1 : 0);
