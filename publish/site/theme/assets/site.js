// Search over the index that was made with the site. Nothing is asked of any
// server but for the index, once, when the reader turns to the search box; from
// a disk it works as well. Without this script the box is not shown.
"use strict";
(() => {
  const form = document.querySelector("form.search");
  const box = document.getElementById("wb-search");
  const list = document.getElementById("wb-found");
  const count = document.getElementById("wb-found-count");
  const root = document.body.dataset.root;
  if (!form || !box) return;
  form.hidden = false;

  let index = null; // {pages, parts, words, sorted} once it is loaded
  globalThis.wbSearch = (data) => {
    let page = 0, word = "";
    const parts = data.parts.map(([step, length, title, id]) => ({ page: (page += step), length, title, id: id || plainID(title || "") }));
    const words = new Map();
    for (const line of data.words ? data.words.split("\n") : []) {
      const blank = line.indexOf(" ");
      word = word.slice(0, parseInt(line[0], 36)) + line.slice(1, blank);
      words.set(word, line.slice(blank + 1));
    }
    index = { pages: data.pages, parts, words, sorted: [...words.keys()].sort() };
    index.mean = parts.reduce((sum, p) => sum + p.length, 0) / Math.max(1, parts.length) || 1;
    show();
  };
  const load = () => {
    if (load.done) return;
    load.done = true;
    const script = document.createElement("script");
    script.src = root + (document.body.dataset.index || "") + "assets/search-index.js";
    document.head.append(script);
  };

  // wordsOf takes a query apart as the index was: lower case, no accents, pairs
  // of ideographs.
  const wordsOf = (text) => {
    const out = [];
    const plain = text.toLowerCase().normalize("NFKD").replace(/\p{Mn}/gu, "");
    for (const run of plain.match(/[\p{L}\p{Nd}_]+/gu) || []) {
      for (const part of run.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+/gu)) {
        if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(part)) {
          const chars = [...part];
          for (let i = 0; i + 1 < chars.length; i++) out.push(chars[i] + chars[i + 1]);
        } else if (part.length > 1) out.push(part);
      }
    }
    return out;
  };

  // starting gives the words of the index that begin with a prefix.
  const starting = (prefix) => {
    let low = 0, high = index.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (index.sorted[middle] < prefix) low = middle + 1; else high = middle;
    }
    const out = [];
    while (low < index.sorted.length && index.sorted[low].startsWith(prefix) && out.length < 64) out.push(index.sorted[low++]);
    return out;
  };

  // plainID is the id that most headings have.
  const plainID = (title) => title.replace(/[A-Z]/g, (c) => c.toLowerCase()).replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

  // postings gives [part, count] pairs of a word.
  const postings = (word) => {
    const out = [];
    let part = 0, step = 0;
    for (const c of index.words.get(word)) {
      const more = "0123456789abcdefghijklmnopqrstuv".indexOf(c), last = "ABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%()".indexOf(c);
      if (more >= 0) step = step * 32 + more;
      else if (last >= 0) { part += step * 32 + last; step = 0; out.push([part, 1]); }
      else out[out.length - 1][1] = 2 + ":;=?@[]^_`{|}~".indexOf(c);
    }
    return out;
  };

  // find ranks the parts of pages that have all words between their headings and the
  // rest of the page (the last word may be unfinished): those first that have more of
  // the words themselves, then by BM25. A page shows at most three of its parts.
  const find = (query) => {
    const words = wordsOf(query);
    const mine = new Map(); // part: {score, has}
    let pages = null;
    words.forEach((word, i) => {
      const best = new Map(), here = new Set();
      const known = index.words.has(word);
      const among = i + 1 === words.length ? starting(word) : known ? [word] : starting(word);
      for (const w of among) {
        const list = postings(w);
        const rarity = Math.log(1 + (index.parts.length - list.length + 0.5) / (list.length + 0.5));
        for (const [part, n] of list) {
          const length = index.parts[part].length / index.mean;
          const score = rarity * (n * 2.2) / (n + 1.2 * (0.25 + 0.75 * length)) * (w === word ? 1 : 0.5);
          best.set(part, Math.max(best.get(part) || 0, score));
          here.add(index.parts[part].page);
        }
      }
      for (const [part, score] of best) {
        const m = mine.get(part) || { score: 0, has: 0 };
        m.score += score;
        m.has++;
        mine.set(part, m);
      }
      pages = pages === null ? here : new Set([...pages].filter((page) => here.has(page)));
    });
    const shown = new Map();
    return [...mine].map(([part, m]) => ({ ...index.parts[part], part, ...m })).filter((p) => pages.has(p.page))
      .sort((a, b) => b.has - a.has || b.score - a.score || a.part - b.part)
      .filter((p) => { shown.set(p.page, (shown.get(p.page) || 0) + 1); return shown.get(p.page) <= 3; });
  };

  // texts are pages that were read for their passages, by address.
  const texts = new Map();
  const read = (href) => {
    if (!texts.has(href)) {
      texts.set(href, globalThis.fetch && location.protocol !== "file:"
        ? fetch(href).then((r) => r.ok ? r.text() : "").then((html) => new DOMParser().parseFromString(html, "text/html"), () => null)
        : Promise.resolve(null));
    }
    return texts.get(href);
  };

  // passageOf is the text of a page below a heading, up to the next one.
  const passageOf = (page, id) => {
    const body = page.getElementById("content");
    if (!body) return "";
    const start = id && page.getElementById(id);
    const out = [];
    const walk = page.createTreeWalker(body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    let on = !start;
    for (let n = walk.nextNode(); n && out.length < 4000; n = walk.nextNode()) {
      if (n.nodeType === 3) {
        if (on && !n.parentElement.closest("annotation, svg, .made, .footref") && !(start && start.contains(n))) out.push(n.data);
      } else if (n === start) on = true;
      else if (on && /^H[2-6]$/.test(n.tagName)) break;
    }
    return out.join(" ").replace(/\s+/g, " ").trim();
  };

  // fill writes the part of a text around the first words that were asked for, these
  // marked.
  const fill = (element, text, words) => {
    const plain = [...text].map((c) => { const p = c.toLowerCase().normalize("NFKD").replace(/\p{Mn}/gu, ""); return p.length === 1 ? p : p[0] || " "; }).join("");
    const chars = [...text];
    const places = [];
    for (const word of words) {
      for (let at = plain.indexOf(word), n = 0; at >= 0 && n < 20; at = plain.indexOf(word, at + 1), n++) {
        if (at === 0 || !/[\p{L}\p{Nd}_]/u.test(plain[at - 1]) || /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(word)) places.push([at, at + word.length]);
      }
    }
    places.sort((a, b) => a[0] - b[0]);
    let from = places.length ? Math.max(0, places[0][0] - 60) : 0;
    if (from > 0) from = plain.indexOf(" ", from) + 1;
    let to = Math.min(chars.length, from + 180);
    if (to < chars.length) to = Math.max(plain.lastIndexOf(" ", to), from);
    element.replaceChildren(from > 0 ? "… " : "");
    let at = from;
    for (const [a, b] of places) {
      if (a < at || b > to) continue;
      const mark = document.createElement("mark");
      mark.textContent = chars.slice(a, b).join("");
      element.append(chars.slice(at, a).join(""), mark);
      at = b;
    }
    element.append(chars.slice(at, to).join("") + (to < chars.length ? " …" : ""));
  };

  const most = 12;
  const show = () => {
    if (!index) return;
    const query = box.value.trim(), words = wordsOf(query);
    list.replaceChildren();
    const found = query ? find(query) : [];
    for (const { page, id, title } of found.slice(0, most)) {
      const [path, of] = index.pages[page];
      const address = root + path.split("/").map(encodeURIComponent).join("/");
      const link = document.createElement("a");
      link.href = id ? address + "#" + encodeURIComponent(id) : address;
      const name = document.createElement("b");
      name.textContent = title || of;
      const where = document.createElement("small");
      where.textContent = title ? of : "";
      const text = document.createElement("span");
      link.append(name, " ", where, text);
      const line = document.createElement("li");
      line.append(link);
      list.append(line);
      read(address).then((html) => { if (html) fill(text, passageOf(html, id), words); });
    }
    list.hidden = found.length === 0;
    count.textContent = !query ? "" : found.length === 0 ? form.dataset.none : found.length === 1 ? form.dataset.single : `${found.length} ${form.dataset.many}`;
  };

  box.addEventListener("focus", load);
  box.addEventListener("input", () => { load(); show(); });
  // Where the host keeps pages in a sandbox without forms, nothing is submitted.
  // Enter in the box clicks the button, too.
  const first = (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  };
  form.addEventListener("submit", first);
  form.querySelector("button")?.addEventListener("click", first);
  // Arrows walk through what was found; Escape puts it away.
  form.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "ArrowDown" && links.length) { event.preventDefault(); links[Math.min(at + 1, links.length - 1)].focus(); }
    if (event.key === "ArrowUp" && at >= 0) { event.preventDefault(); (at === 0 ? box : links[at - 1]).focus(); }
    if (event.key === "Escape") { box.value = ""; show(); box.focus(); }
  });
  // A hit on the page itself leads there and puts the list away.
  list.addEventListener("click", () => { box.value = ""; list.hidden = true; });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); box.focus(); }
  });
})();
