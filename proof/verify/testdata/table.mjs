// Verifies every case of a file that the Go test wrote and prints the reports.
import { readFileSync } from "node:fs";
import { verifyBundle, verifyDetached, verifyPage, verifySite } from "../js/verify.mjs";

try {
  await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
} catch {
  console.error("no Ed25519");
  process.exit(1);
}
const bytes = (text) => new Uint8Array(Buffer.from(text ?? "", "base64"));
const reports = [];
for (const c of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const options = { want: c.want, keys: c.keys || undefined, heard: c.heard || undefined, known: c.known, partial: c.partial };
  const files = () => new Map(Object.entries(c.files).map(([path, data]) => [path, bytes(data)]));
  reports.push(
    c.kind === "page" ? await verifyPage(bytes(c.bytes), options)
    : c.kind === "detached" ? await verifyDetached(bytes(c.bytes), bytes(c.signature), options)
    : c.kind === "site" ? await verifySite(files(), options)
    : await verifyBundle(bytes(c.bytes), options),
  );
}
console.log(JSON.stringify(reports));
