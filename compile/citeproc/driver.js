// What wb asks of citeproc-js: the citations and the bibliography of a document.
// Requests and answers are those of compile/citations.go.
"use strict";
globalThis.console ??= { log() {}, warn() {}, error() {} };

// collate compares letters and numbers, no marks, cases or punctuation.
function collate(a, b) {
  const fold = s => String(s).normalize("NFD").replace(/&#\d+;/g, "").toLowerCase().replace(/\|/g, " ").replace(/[^\p{L}\p{N}\s]/gu, "")
    .replace(/\d+/g, digits => digits.padStart(12, "0")).replace(/\s+/g, " ").trim();
  const x = fold(a), y = fold(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

const OPEN = "\ue010", CLOSE = "\ue011"; // around a title

function engine(request, style, variableWrapper) {
  const sys = {
    retrieveLocale: lang => request.locales[lang] ?? request.locales[lang.slice(0, 2)] ?? request.locales["en-US"],
    retrieveItem: id => request.items[id],
    stringCompare: collate,
    ...(variableWrapper && { variableWrapper }),
  };
  const e = new CSL.Engine(sys, style, request.lang);
  e.opt.development_extensions.wrap_url_and_doi = true;
  return e;
}

// traits are what a style says of citations as a whole.
function traits(e, style) {
  const category = /<category\b[^>]*citation-format="([^"]*)"/.exec(style);
  const layout = /<citation\b[\s\S]*?<layout\b([^>]*)>/.exec(style);
  return {
    note: e.opt.xclass === "note",
    sup: !!layout && /vertical-align="sup"/.test(layout[1]),
    named: !category || !["numeric", "label"].includes(category[1]),
  };
}

// inner is HTML without the blocks around it, and without a number in the margin.
const inner = entry => entry.replace(/<div class="csl-left-margin">[\s\S]*?<\/div>/, "").replace(/<\/?div[^>]*>/g, "").trim();

const escaped = text => text.replace(/&/g, "&#38;").replace(/</g, "&#60;").replace(/>/g, "&#62;").replace(/"/g, "&#34;");

const balanced = html => (html.match(/<\w/g) ?? []).length === (html.match(/<\//g) ?? []).length;

class Document {
  constructor(request) {
    this.request = request;
    this.main = engine(request, request.style);
    this.traits = traits(this.main, request.style);
  }

  // cited registers all citations in order and gives each its usual text.
  cited() {
    const list = this.request.citations.map((c, at) => ({
      citationID: "c" + at,
      citationItems: c.items.map(i => ({ ...i })),
      properties: { noteIndex: this.traits.note ? c.note : 0 },
    }));
    const texts = this.main.rebuildProcessorState(list, "html", this.request.uncited);
    return this.request.citations.map((c, at) => this.linked(c, at, this.shown(c, at, texts[at]?.[2] ?? "")));
  }

  // order are the items of a citation as the style sorts them.
  order(at) { return this.main.registry.citationreg.citationById["c" + at].sortedItems; }

  // linked leads from each work of a citation to its entry, where it can be told
  // which part of the text is whose.
  linked(c, at, text) {
    const { layout_prefix, layout_suffix, layout_delimiter } = this.main.citation.opt;
    let before = "", after = "";
    const outer = /^(<sup>)([\s\S]*)(<\/sup>)$/.exec(text);
    if (outer && balanced(outer[2])) [, before, text, after] = outer;
    const open = escaped(layout_prefix), shut = escaped(layout_suffix);
    if (text.startsWith(open) && text.endsWith(shut) && text.length >= open.length + shut.length) {
      before += open, after = shut + after;
      text = text.slice(open.length, text.length - shut.length);
    }
    const items = this.order(at), delimiter = escaped(layout_delimiter);
    const parts = items.length === 1 ? [text] : text.split(delimiter);
    if (parts.length === items.length && parts.every(balanced)) {
      text = parts.map((part, i) => part.includes("<a ") ? part : `<a href="#${this.request.anchors[items[i][1].id]}">${part}</a>`).join(delimiter);
    }
    return before + text + after;
  }

  // shown is a citation in the style that its author asks for.
  shown(c, at, usual) {
    let text = usual;
    switch (c.mode) {
      case "author": text = this.author(c, at) || this.render(at, c); break;
      case "noauthor": text = this.render(at, c, { "suppress-author": true }); break;
      case "year": text = this.render(at, c, { "suppress-author": true, locator: undefined, label: undefined }); break;
      case "text":
        if (!this.traits.named) break;
        text = [this.author(c, at, true), this.render(at, c, { "suppress-author": true })].filter(Boolean).join(" ");
        break;
      case "title": text = this.wrapped(c, this.title(c.items[0].id)); break;
      case "bibentry": text = this.wrapped(c, this.entry(c.items[0].id)); break;
      case "locators": text = this.locator(c, at) || this.render(at, c); break;
      default: if (c.bare || this.request.uncited.length > 0) text = this.render(at, c); // those may need letters behind years
    }
    return c.caps ? text.replace(/^((?:<[^>]*>|&#\d+;|\P{L})*?)(\p{L})/u, (_, before, letter) => before + letter.toUpperCase()) : text;
  }

  // render writes a citation again, its first item with changes.
  render(at, c, change) {
    const e = this.main;
    const items = this.order(at).map(([item, cite], i) => [item, i === 0 ? { ...cite, ...change } : { ...cite }]);
    return this.affixed(c, () => CSL.getCitationCluster.call(e, items, { citationID: "c" + at, properties: { mode: "" } }));
  }

  // affixed carries out something with the parentheses of the style, or without.
  affixed(c, what) {
    const opt = this.main.citation.opt;
    const { layout_prefix, layout_suffix } = opt;
    if (c.bare) opt.layout_prefix = opt.layout_suffix = "";
    this.main.setOutputFormat("html");
    try {
      return what();
    } finally {
      Object.assign(opt, { layout_prefix, layout_suffix });
    }
  }

  // author are the names of the first work, followed by the others in full.
  author(c, at, alone) {
    const e = c.full ? this.unshortened() : this.main;
    const [first, ...others] = this.order(at).map(([item, cite]) => [item, { ...cite }]);
    const bare = alone ? {} : { prefix: first[1].prefix, suffix: first[1].suffix };
    e.setOutputFormat("html");
    let names = CSL.getCitationCluster.call(e, [[first[0], { id: first[1].id, position: first[1].position, "author-only": true }]]);
    if (!names || names.includes("[NO_PRINTED_FORM]") || names.includes("CSL STYLE ERROR")) return "";
    if (alone) return names;
    names = [bare.prefix, names].filter(Boolean).join(" ").trim();
    if (bare.suffix) names += (/^[,\s]/.test(bare.suffix) ? "" : " ") + bare.suffix;
    if (others.length > 0) names += escaped(this.main.citation.opt.layout_delimiter) + this.affixed({ bare: true }, () => CSL.getCitationCluster.call(this.main, others));
    return this.enclosed(c, names);
  }

  // enclosed has the parentheses of the style around it, unless it is to be bare.
  enclosed(c, html) {
    const { layout_prefix, layout_suffix } = this.main.citation.opt;
    return c.bare ? html : escaped(layout_prefix) + html + escaped(layout_suffix);
  }

  // unshortened is the style without "et al." in citations.
  unshortened() {
    if (!this.long) {
      const style = this.request.style.replace(/\bet-al-(subsequent-)?(min|use-first)="\d+"/g, 'et-al-$1$2="999"');
      this.long = engine(this.request, style);
      this.long.updateItems(Object.keys(this.request.items));
    }
    return this.long;
  }

  // wrapped is a text in place of the first work of a citation.
  wrapped(c, text) {
    const { prefix, suffix, locator } = c.items[0];
    const whole = [prefix, text].filter(Boolean).join(" ") + (locator ? ", " + locator : "") + (suffix ? (/^[,\s]/.test(suffix) ? "" : " ") + suffix : "");
    return this.enclosed(c, whole);
  }

  // entry is a work as the bibliography has it.
  entry(id) {
    const [params, texts] = this.main.makeBibliography();
    const at = params.entry_ids.findIndex(ids => String(ids[0]) === id);
    return at < 0 ? "" : inner(texts[at]).replace(/<\/?a\b[^>]*>/g, "").replace(this.main.citation.opt.layout_suffix ? "" : /\.$/, "");
  }

  // title is the title of a work as the bibliography has it, with its quotes.
  title(id) {
    const item = { ...this.request.items[id] };
    if (item["title-short"]) item.title = item["title-short"];
    const e = engine({ ...this.request, items: { [id]: item } }, this.request.style, (params, before, text, after) =>
      before + (params.variableNames.includes("title") ? OPEN + text + CLOSE : text) + after);
    e.updateItems([id]);
    const text = inner(e.makeBibliography()[1][0]);
    const found = new RegExp(`((?:<i>|[“‘"«„]|<b>)*)${OPEN}([\\s\\S]*?)${CLOSE}((?:</i>|</b>|[,.]?[”’"»])*)`).exec(text);
    return found ? (found[1] + found[2] + found[3]).replace(/[,.](?=[”’"»])/, "") : this.entry(id);
  }

  // locator is the page, chapter, … that a citation names, with its label.
  locator(c, at) {
    const short = { bare: true };
    const all = this.render(at, short, { "suppress-author": true, prefix: undefined, suffix: undefined });
    const without = this.render(at, short, { "suppress-author": true, prefix: undefined, suffix: undefined, locator: undefined, label: undefined });
    let from = 0;
    while (from < without.length && all[from] === without[from]) from++;
    let to = 0;
    while (to < without.length - from && all[all.length - 1 - to] === without[without.length - 1 - to]) to++;
    const text = all.slice(from, all.length - to).replace(/^[\s,:;]+|[\s,:;]+$/g, "");
    if (!text) return "";
    return this.enclosed(c, text);
  }

  // listed is the bibliography, an entry for each work.
  listed() {
    const found = this.main.makeBibliography();
    if (!found) return { entries: [] };
    const [params, texts] = found;
    return {
      entries: params.entry_ids.map((ids, i) => ({ id: String(ids[0]), html: texts[i].trim().replace(/^<div class="csl-entry">([\s\S]*)<\/div>$/, "$1").trim() })),
      hanging: !!params.hangingindent, margin: !!params["second-field-align"], offset: params.maxoffset ?? 0,
    };
  }
}

// serve answers a request with the citations and the bibliography of one document.
globalThis.serve = text => {
  const request = JSON.parse(text);
  for (const id in request.items) request.items[id].system_id = id;
  const d = new Document(request);
  const citations = d.cited();
  return JSON.stringify({ traits: d.traits, citations, ...d.listed() });
};
