// The worker a component runs in. It is asked once and then ended; the page
// ends it earlier when the reader stops it.
import { run } from "./run.mjs";
import { sha256 } from "./digest.mjs";
import { json, parseJSON } from "./value.mjs";

const ticks = 64; // how often, in refills, the page hears of fuel

globalThis.onmessage = async ({ data: { recipe, program, beside, memory, library, inputs } }) => {
  let n = 0;
  const tick = (fuel) => {
    if (++n % ticks === 0) postMessage({ fuel });
  };
  if (memory) Object.assign(recipe.image, { memory, library });
  try {
    const out = await run(recipe, program, inputs.map(([name, text]) => [name, parseJSON(text)]), tick, beside);
    const exact = out.value === undefined ? "" : json(out.value, true);
    postMessage({ done: true, ...out, value: exact, digest: exact && sha256(new TextEncoder().encode(exact)) });
  } catch (e) {
    postMessage({ done: true, error: String(e?.message ?? e), stdout: new Uint8Array(0), stderr: new Uint8Array(0), exit: 1, fuel: 0, value: "" });
  }
};
