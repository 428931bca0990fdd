// Follows a preview: reloads this page when it is other than before, and shows
// mistakes while there are any.
"use strict";
(() => {
  const base = document.currentScript.src.replace(/_wb\/preview\.js$/, "");
  const here = decodeURI(location.href.split(/[?#]/)[0].slice(base.length)) || "index.html";
  const box = document.createElement("div");
  box.setAttribute("role", "status");
  box.style.cssText = "position:fixed;inset:auto 0 0 0;max-height:40vh;overflow:auto;background:#7f1d1d;color:#fff;font:14px/1.5 monospace;padding:.5rem 1rem;white-space:pre-wrap;z-index:99";
  box.hidden = true;
  document.body.append(box);
  const events = new EventSource(base + "_wb/events");
  let lost = false;
  events.onerror = () => { lost = true; };
  events.onopen = () => { if (lost) location.reload(); };
  events.onmessage = (event) => {
    const { changed, found } = JSON.parse(event.data);
    if (changed && changed.some((name) => name === here || name.startsWith("assets/") && name !== "assets/search-index.js")) location.reload();
    box.textContent = (found || []).filter((d) => d.severity !== "note").map((d) => `${d.pos.file}:${d.pos.line}:${d.pos.col}: ${d.message}${d.hint ? "\n    hint: " + d.hint : ""}`).join("\n");
    box.hidden = !box.textContent;
  };
})();
