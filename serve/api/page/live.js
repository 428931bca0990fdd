// Keeps a page as the server would send it now. Without this script the page reloads
// itself. The server alone says what a page looks like: this fetches it again when
// something has happened and puts the live part in place, keeping what is unfolded,
// where the reader is, and what has the focus.
"use strict";
const away = document.getElementById("away");
const words = document.getElementById("words");
const live = () => document.getElementById("live");
let wanted = false;
let busy = false;

async function refresh() {
  if (busy) { wanted = true; return; }
  busy = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) throw new Error(answer.status);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = fresh.getElementById("live");
    away.hidden = true;
    if (!next) { location.reload(); return; }
    if (next.innerHTML !== live().innerHTML) {
      const open = new Set([...document.querySelectorAll("details[open]")].map((d) => d.id));
      const focused = document.activeElement && document.activeElement.closest("#live") ? document.activeElement : null;
      const at = focused && (focused.id || (focused.parentElement && focused.parentElement.id));
      live().replaceWith(document.adoptNode(next));
      for (const id of open) {
        const d = document.getElementById(id);
        if (d) d.open = true;
      }
      const again = at && document.getElementById(at);
      if (again) (again.matches("details") ? again.querySelector("summary") : again).focus({ preventScroll: true });
    }
    document.title = fresh.title;
  } catch {
    away.hidden = false;
  } finally {
    busy = false;
    if (wanted) { wanted = false; setTimeout(refresh, 200); }
  }
}

const run = live().dataset.run;
if (run) {
  const source = new EventSource(`/api/run/${run}/stream?after=${live().dataset.after}`);
  source.onopen = () => { away.hidden = true; };
  source.onerror = () => { if (source.readyState !== EventSource.CLOSED) away.hidden = false; };
  for (const kind of ["thinking", "tool_start", "step", "retry", "denial", "review"]) {
    source.addEventListener(kind, () => { words.textContent = ""; refresh(); });
  }
  source.addEventListener("delta", (event) => { words.textContent += JSON.parse(event.data).text || ""; });
  for (const kind of ["done", "failed"]) {
    source.addEventListener(kind, () => { source.close(); words.textContent = ""; refresh(); });
  }
  setInterval(() => { if (source.readyState !== EventSource.CLOSED) refresh(); }, 2000); // time goes on
} else {
  setInterval(() => { if (live().dataset.poll) refresh(); }, Number(live().dataset.poll) || 3000);
}
