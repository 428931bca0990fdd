// What readers see of a page, by construct: lists of texts with white space
// normalised. The page is one of Emacs's or one of wb's; what only one of both has
// by design is left out: contents, how results were made, links that browsers do not
// follow.
async function constructs(address) {
  const page = new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html");
  const all = (selector, root = page.querySelector("main") || page) => [...root.querySelectorAll(selector)];
  const drop = (selector) => all(selector, page).forEach((e) => e.remove());
  drop("body > header, script, style, nav, div[role=doc-toc], .contents, #preamble, #postamble, #org-div-home-and-up, .byline, .subtitle, .provenance, .view, " +
    ".footback, .skip, .crumbs, main ~ footer, .made, .linenr, .admonition-title");
  // A formula is its source; a command that stands alone is text, in dollars or not.
  const formula = (text) => {
    const tex = text.trim().replace(/^(\\\(|\\\[|\$\$?)([^]*?)(\\\)|\\\]|\$\$?)$/, "$2").trim();
    return /^\\[a-zA-Z]+\*?(\{[^{}]*\})*$/.test(tex) ? tex : "⟦" + tex.replace(/\s+/g, "") + "⟧";
  };
  all("x-tex").forEach((e) => e.replaceWith(/^(\$|\\\(|\\\[|\\begin)/.test(e.textContent) ? formula(e.textContent) : e.textContent));
  all("math").forEach((e) => e.replaceWith(formula((e.querySelector("annotation") || e).textContent)));
  // Pictures that are not there are text for wb, those of other servers links; low headlines have numbers from it.
  drop(".missing, .elsewhere, .eqno, .sections > li > strong > .section-number");
  const there = async (e) => (await fetch(new URL(e.getAttribute("src"), new URL(address, location.href)), { method: "HEAD" })).ok;
  for (const e of all("img")) if (/^file:/.test(e.getAttribute("src")) || /^(?!data:|[a-z]+:)./i.test(e.getAttribute("src") || "") && !/pages\/wb\//.test(address) && !(await there(e))) e.remove();
  // wb asks nobody else for pictures: a link to one stays a link, one in HTML of the
  // author's has no address. They are left out. Emacs writes an address that it shows as the
  // browser sends it.
  all("img").forEach((e) => /^(?:$|https?:)/.test(e.getAttribute("src") || "") && e.remove());
  all("a[href]").forEach((e) => /^https?:.*\.(?:png|jpe?g|gif|svg|webp)$/i.test(e.textContent) && e.remove());
  all("a[href]").filter((e) => e.textContent === e.getAttribute("href") && e.textContent.includes("%")).forEach((e) => {
    try { e.textContent = decodeURI(e.textContent); } catch { /* as it is */ }
  });
  // HTML has six levels of headings: Emacs writes an element h7, wb says the level.
  const deep = (n) => /^h\d+$/.test(n.localName) || n.nodeType === 1 && n.getAttribute("role") === "heading";
  // Text of an element: an edge of a block parts words.
  const blocks = new Set(("address article aside blockquote body br caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hr li main ol p pre section summary table tbody td tfoot th thead tr ul video audio iframe object").split(" "));
  const raw = (n) => {
    if (n.nodeType === 3) return n.data;
    const inner = [...n.childNodes].map(raw).join("");
    return blocks.has(n.localName) || deep(n) ? " " + inner + " " : inner;
  };
  // A box is full, empty or, with Emacs's characters, empty when half is done.
  const text = (e) => (typeof e === "string" ? e : raw(e)).replace(/[\s\u00a0\u200b]+/g, " ").replace(/◪/g, "☐").trim();
  const out = {};
  const add = (construct, e) => {
    const said = text(e);
    if (said !== "") (out[construct] ||= []).push(said);
  };

  // Footnotes are one construct; what stands in them is among the others, too.
  all("sup.footref, sup:has(> a.footref)").forEach((e) => add("footnote mark", e));
  all(".footdef, .footnotes > ol > li").forEach((e) => {
    all(".footnum", e).forEach((n) => (n.closest("sup") || n).remove());
    add("footnote", e);
  });
  drop("sup.footref, sup:has(> a.footref), #footnotes > h2, .footnotes > h2");
  all("sup").forEach((e) => text(e) === "," && e.remove()); // between two footnotes
  all(".footnotes > ol > li").forEach((e) => e.replaceWith(...e.childNodes));

  for (const name of ["h1", "h2", "h3", "h4", "h5", "h6", "li", "dt", "dd", "td", "th", "pre", "del", "blockquote"]) {
    all(name).forEach((e) => add(name, e));
  }
  all(Array.from({ length: 34 }, (_, i) => "h" + (i + 7)) + ", [role=heading]").forEach((e) => add("h7 and deeper", e));
  all("code, samp, .cookie").forEach((e) => e.closest("pre") || add("code", e));
  all("b, strong").forEach((e) => e.matches(".sections > li > strong") || add("bold", e)); // a headline that is an item
  all("i, em").forEach((e) => add("italic", e));
  all("u, span.underline").forEach((e) => add("underline", e));
  all("sup, sub").forEach((e) => add(e.localName, e));
  all("a[href]").forEach((e) => /^(?!(?:https?|mailto|ftp|news|irc|tel):)[a-z][a-z0-9+.-]*:/i.test(e.getAttribute("href")) || add("a", e));
  all("img").forEach((e) => add("img", "a picture"));
  all("figcaption, caption, .org-src-name, .figure p:has(> .figure-number)").forEach((e) => add("caption", e));

  // A paragraph is text between the edges of blocks, whether a p is around it or not.
  let run = "";
  const flush = () => { add("p", run); run = ""; };
  const walk = (e) => {
    for (const n of e.childNodes) {
      if (n.nodeType === 3) run += n.data;
      if (n.nodeType !== 1) continue;
      const name = n.localName;
      if (/^(dt|td|th|pre|caption|figcaption)$/.test(name) || deep(n) || n.matches(".org-src-name, p:has(> .figure-number)")) { flush(); continue; }
      if (name === "br") run += " ";
      else if (blocks.has(name)) { flush(); walk(n); flush(); } else walk(n);
    }
  };
  walk(page.querySelector("main") || page.body);
  flush();
  return out;
}
