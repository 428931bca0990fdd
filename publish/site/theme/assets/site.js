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

  let index = null; // {pages, words, sorted} once it is loaded
  globalThis.wbSearch = (data) => {
    index = { pages: data.pages, words: data.words, sorted: Object.keys(data.words) };
    index.sorted.sort();
    index.mean = data.pages.reduce((sum, p) => sum + p[3], 0) / Math.max(1, data.pages.length);
    show();
  };
  const load = () => {
    if (load.done) return;
    load.done = true;
    const script = document.createElement("script");
    script.src = root + "assets/search-index.js";
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

  // postings gives [page, count] pairs of a word.
  const postings = (word) => {
    let page = 0;
    return index.words[word].split(" ").map((entry) => {
      const [step, n] = entry.split("*");
      page += Number(step);
      return [page, n ? Number(n) : 1];
    });
  };

  // find ranks the pages that have all words (the last one may be unfinished) by
  // BM25.
  const find = (query) => {
    const words = wordsOf(query);
    let scores = null;
    words.forEach((word, i) => {
      const mine = new Map();
      const known = Object.hasOwn(index.words, word);
      const among = i + 1 === words.length ? starting(word) : known ? [word] : starting(word);
      for (const w of among) {
        const list = postings(w);
        const rarity = Math.log(1 + (index.pages.length - list.length + 0.5) / (list.length + 0.5));
        for (const [page, n] of list) {
          const length = index.pages[page][3] / index.mean;
          const score = rarity * (n * 2.2) / (n + 1.2 * (0.25 + 0.75 * length)) * (w === word ? 1 : 0.5);
          mine.set(page, Math.max(mine.get(page) || 0, score));
        }
      }
      if (scores === null) scores = mine;
      else scores = new Map([...scores].filter(([page]) => mine.has(page)).map(([page, s]) => [page, s + mine.get(page)]));
    });
    return [...(scores || [])].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([page]) => index.pages[page]);
  };

  const show = () => {
    if (!index) return;
    const query = box.value.trim();
    list.replaceChildren();
    const found = query ? find(query) : [];
    for (const [href, title, excerpt] of found.slice(0, 12)) {
      const link = document.createElement("a");
      link.href = root + href.split("/").map(encodeURIComponent).join("/");
      const name = document.createElement("b");
      name.textContent = title;
      const text = document.createElement("span");
      text.textContent = excerpt;
      link.append(name, " ", text);
      const line = document.createElement("li");
      line.append(link);
      list.append(line);
    }
    list.hidden = found.length === 0;
    count.textContent = !query ? "" : found.length === 0 ? "Nothing found" : found.length === 1 ? "1 page" : `${found.length} pages`;
  };

  box.addEventListener("focus", load);
  box.addEventListener("input", () => { load(); show(); });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  // Arrows walk through what was found; Escape puts it away.
  form.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "ArrowDown" && links.length) { event.preventDefault(); links[Math.min(at + 1, links.length - 1)].focus(); }
    if (event.key === "ArrowUp" && at >= 0) { event.preventDefault(); (at === 0 ? box : links[at - 1]).focus(); }
    if (event.key === "Escape") { box.value = ""; show(); box.focus(); }
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); box.focus(); }
  });
})();
