// The panels of a page: each runs one component in a worker of its own. When a
// run has ended, its panel tells by an event: "wb:result", whose detail has the
// value as JSON, stdout, stderr, exit, error, fuel, and same: "yes", "no" or "".
import { sha256 } from "./digest.mjs";
import { parseJSON } from "./value.mjs";
import { exact, read } from "./fields.mjs";
import { compiled } from "./program.mjs";
import { element, textBlock, value } from "./show.mjs";

const data = JSON.parse(document.getElementById("wb-live").textContent);
let workerURL; // of the runtime, once a reader runs something
const text = new TextDecoder();
const number = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");

const contents = new Map(), programs = new Map();

// once keeps what is made for a key, unless making it fails: perhaps it works the
// next time.
function once(map, key, make) {
  if (!map.has(key)) {
    const made = make();
    map.set(key, made);
    made.catch(() => map.delete(key));
  }
  return map.get(key);
}

// ready is a module compiled.
const ready = (digest, limits, size) => once(programs, `${digest} ${limits.memory} ${size}`, async () => compiled(await content(digest), limits, size));

// content is the bytes with a digest: from the page, or from a file beside it.
function content(digest) {
  return once(contents, digest, async () => {
    const inPage = document.getElementById(`wb-live-${digest}`);
    const packed = inPage
      ? Uint8Array.from(atob(inPage.textContent), (c) => c.charCodeAt(0))
      : await fetched(data.modules[digest]);
    if (packed[0] !== 0x1f || packed[1] !== 0x8b) return checked(digest, packed); // the server has unpacked it
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return checked(digest, new Uint8Array(await new Response(stream).arrayBuffer()));
  });
}

// worker is the runtime's program, as a URL of this page's own.
async function worker() {
  workerURL ??= URL.createObjectURL(new Blob([await content(data.worker)], { type: "text/javascript" }));
  return new Worker(workerURL);
}

async function fetched(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

// checked are bytes if they are those that the page names. Where the browser can
// work out digests itself, it is faster.
async function checked(digest, bytes) {
  const native = await globalThis.crypto?.subtle?.digest("SHA-256", bytes);
  const found = native ? Array.from(new Uint8Array(native), (b) => b.toString(16).padStart(2, "0")).join("") : sha256(bytes);
  if (found !== digest) throw new Error("the program is not the one that this page names");
  return bytes;
}

class Panel {
  worker = null;

  constructor(section) {
    this.section = section;
    this.recipe = data.components[section.dataset.live];
    this.form = section.querySelector("form");
    this.fields = [...this.form.querySelectorAll("[data-kind]")];
    this.run = section.querySelector(".live-run");
    this.stop = section.querySelector(".live-stop");
    this.status = section.querySelector(".live-status");
    this.out = section.querySelector(".live-out");
    // Not the form's submit: where the host keeps pages in a sandbox without forms,
    // there is none. Enter in a field clicks the button, too.
    this.run.addEventListener("click", (e) => {
      e.preventDefault();
      this.start();
    });
    this.stop.addEventListener("click", () => this.end("Stopped."));
    this.form.addEventListener("reset", () => {
      this.end("");
      this.out.replaceChildren();
      this.out.hidden = true;
    });
    section.hidden = false;
  }

  // published are the inputs of the run that made the page.
  get published() {
    return (this.recipe.inputs ?? []).map(({ name, type, value }) => [name, exact(name, type, parseJSON(value))]);
  }

  async start() {
    this.end("");
    let inputs;
    try {
      inputs = this.recipe.inputs?.map((input, i) => [input.name, read(this.fields[i], input)]) ?? [];
    } catch (e) {
      this.show({ error: e.message });
      return;
    }
    const ticket = this.ticket = {};
    this.busy(true);
    try {
      const image = data.images[this.recipe.image];
      const { limits } = this.recipe;
      const more = Object.entries(this.recipe.beside ?? {}).map(async ([name, digest]) => [name, await ready(digest, limits)]);
      const needs = [this.recipe.module, ...Object.values(this.recipe.beside ?? {}), image?.memory, image?.library];
      const missing = needs.reduce((sum, digest) => sum + (contents.has(digest) ? 0 : data.sizes?.[digest] ?? 0), 0);
      this.status.textContent = missing < 1e5 ? "Running…" : `Fetching ${(missing / 1e6).toFixed(1)} MB…`;
      const [made, program, memory, library, ...others] = await Promise.all([
        worker(), ready(this.recipe.module, limits, image?.size), image && content(image.memory), image?.library && content(image.library), ...more,
      ]);
      if (this.ticket !== ticket) {
        made.terminate();
        return;
      }
      this.status.textContent = "Running…";
      this.worker = made;
      this.worker.onmessage = ({ data: message }) => {
        if (message.done) this.show(message, inputs);
        else this.tell(message.fuel);
      };
      this.worker.onerror = (e) => {
        e.preventDefault();
        this.show({ error: `this browser cannot run it (${e.message ?? "the worker failed"})` });
      };
      this.worker.postMessage({ recipe: { ...this.recipe, image: image && { ...image } }, program, beside: Object.fromEntries(others), memory, library, inputs });
    } catch (e) {
      this.show({ error: `this browser cannot run it (${e.message})` });
    }
  }

  // tell says how far the run is, not more often than somebody who listens to
  // the page can bear.
  tell(fuel) {
    const now = performance.now();
    if (now - (this.told ?? 0) < 1500) return;
    this.told = now;
    this.status.textContent = `Running… ${number(fuel)} units of fuel`;
  }

  busy(yes) {
    const focused = document.activeElement;
    this.section.toggleAttribute("data-running", yes);
    this.stop.disabled = !yes;
    this.run.disabled = yes;
    if (yes && focused === this.run) this.stop.focus();
    if (!yes && focused === this.stop) this.run.focus();
  }

  // end stops what runs, at once.
  end(message) {
    this.worker?.terminate();
    this.worker = null;
    this.ticket = null;
    this.busy(false);
    this.status.textContent = message;
  }

  show(r, inputs) {
    this.end(r.error ? "It failed." : "Done.");
    const parts = [];
    const stdout = r.stdout ? text.decode(r.stdout) : "", stderr = r.stderr ? text.decode(r.stderr) : "";
    if (r.error) parts.push(element("p", { className: "live-error" }, r.error));
    else if (r.value) parts.push(...value(this.recipe.show, parseJSON(r.value), stdout));
    const printed = this.recipe.entry === "start" && !r.error ? "" : stdout;
    for (const [label, body] of [["Standard output", printed], ["Standard error", stderr]]) {
      if (body && this.recipe.entry !== "kernel") parts.push(element("p", { className: "live-label" }, label), ...textBlock(body));
    }
    if (r.fuel !== undefined) parts.push(this.verdict(r, inputs));
    this.out.replaceChildren(...parts);
    this.out.hidden = false;
    const same = this.section.dataset.same ?? "";
    this.section.dispatchEvent(new CustomEvent("wb:result", { bubbles: true, detail: { ...r, stdout, stderr, same } }));
  }

  // verdict says how the run compares with the one that made the page.
  verdict(r, inputs) {
    const { kept } = this.recipe;
    const facts = [`${number(r.fuel)} units of fuel`];
    if (r.exit) facts.push(`exit code ${r.exit}`);
    const line = element("p", { className: "live-verdict" }, facts.join(" · "));
    delete this.section.dataset.same;
    if (inputs && JSON.stringify(inputs) === JSON.stringify(this.published)) {
      const same = !r.error && r.digest === kept.value && r.exit === kept.exit;
      const fuel = r.fuel === kept.fuel;
      line.dataset.same = same ? "yes" : "no";
      this.section.dataset.same = same && fuel ? "yes" : "no";
      line.append(" · ", element("strong", {}, same ? fuel ? "the same bytes and fuel as published" : "the same bytes as published" : "not what was published"));
    } else {
      line.append(" · your inputs");
    }
    return line;
  }
}

for (const section of document.querySelectorAll("[data-live]")) {
  if (data.components[section.dataset.live] && globalThis.Worker && globalThis.WebAssembly) new Panel(section);
}
