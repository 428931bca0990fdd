// Follows a preview: reloads this page when it is other than before, and says
// how many mistakes there are, and which when asked, those of this page first.
"use strict";
(() => {
  const base = document.currentScript.src.replace(/_wb\/preview\.js$/, "");
  const here = decodeURI(location.href.split(/[?#]/)[0].slice(base.length)) || "index.html";
  const box = document.createElement("details"), count = document.createElement("summary"), text = document.createElement("div");
  count.setAttribute("role", "status");
  box.style.cssText = "position:fixed;inset:auto 0 0 auto;max-width:100%;background:#7f1d1d;color:#fff;font:14px/1.5 monospace;padding:.3rem .8rem;z-index:99";
  text.style.cssText = "max-height:40vh;overflow:auto;white-space:pre-wrap";
  box.append(count, text);
  box.hidden = true;
  document.body.append(box);
  const document_ = here.replace(/\.html$/, ".org");
  const said = (d) => `${d.pos.file}:${d.pos.line}:${d.pos.col}: ${d.message}${d.hint ? "\n    hint: " + d.hint : ""}`;
  const events = new EventSource(base + "_wb/events");
  let lost = false;
  events.onerror = () => { lost = true; };
  events.onopen = () => { if (lost) location.reload(); };
  events.onmessage = (event) => {
    const { changed, found } = JSON.parse(event.data);
    if (changed && changed.some((name) => name === here || name.startsWith("assets/") && name !== "assets/search-index.js")) location.reload();
    const mistakes = (found || []).filter((d) => d.severity !== "note");
    const mine = mistakes.filter((d) => `/${d.pos.file}`.endsWith(`/${document_}`)), others = mistakes.filter((d) => !mine.includes(d));
    count.textContent = `${mine.length} on this page, ${others.length} elsewhere`;
    text.textContent = [...mine, ...others].map(said).join("\n");
    box.hidden = mistakes.length === 0;
  };
})();
