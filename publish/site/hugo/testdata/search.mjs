// Runs the search of a site without a browser: a document of as little as the
// script needs. Arguments: site.js, search-index.js, queries. Prints what each finds.
import { readFileSync } from "node:fs";
import vm from "node:vm";

const [script, index, ...queries] = process.argv.slice(2);
const element = (extra = {}) => {
  const heard = {};
  return { children: [], hidden: true, value: "", dataset: { root: "./" }, heard, ...extra,
    addEventListener: (name, f) => { heard[name] = f; },
    append(...nodes) { this.children.push(...nodes); },
    replaceChildren(...nodes) { this.children = nodes; },
    querySelector: () => null, querySelectorAll: () => [] };
};
const form = Object.assign(element(), { dataset: { none: "Nothing found", single: "1 place", many: "places" } }), box = element(), list = element(), count = element();
const context = vm.createContext({ location: { protocol: "file:" }, document: {
  body: element(), head: { append: (tag) => { loaded = tag.src; } }, activeElement: null,
  querySelector: () => form, getElementById: (id) => ({ "wb-search": box, "wb-found": list, "wb-found-count": count })[id],
  createElement: () => element(), addEventListener: () => {} } });
let loaded = "";
vm.runInContext(readFileSync(script, "utf8"), context);
if (form.hidden) throw new Error("the search box stays hidden");
if (loaded) throw new Error("the index is loaded before anybody searches");
box.heard.focus();
if (loaded !== "./assets/search-index.js") throw new Error(`loads ${loaded}`);
vm.runInContext(readFileSync(index, "utf8"), context);
for (const query of queries) {
  box.value = query;
  box.heard.input();
  console.log(`${query}: ${list.children.map((line) => line.children[0].href).join(" ")} (${count.textContent})`);
}
