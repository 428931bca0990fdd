// Keeps a page as the server would send it now. Without this script the page reloads
// itself. The server alone says what a page looks like: this fetches it again when
// something has happened and puts the live part in place, keeping what is unfolded and
// chosen, where the reader is, and what has the focus.
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
    if (next.innerHTML !== live().dataset.seen) put(next);
    document.title = fresh.title;
  } catch {
    away.hidden = false;
  } finally {
    busy = false;
    if (wanted) { wanted = false; setTimeout(refresh, 200); }
  }
}

// put replaces the live part by what the server says now.
function put(next) {
  const seen = next.innerHTML;
  const folds = new Map([...live().querySelectorAll("details[id]")].map((d) => [d.id, d.open]));
  const picked = [...live().querySelectorAll("input:checked")].map((i) => i.id);
  const chosen = [...live().querySelectorAll("select")].map((s) => s.value);
  const scrolled = new Map([...live().querySelectorAll("pre")].map((p, i) => [i, p.scrollTop]));
  const focused = document.activeElement && document.activeElement.closest("#live") ? document.activeElement : null;
  const at = focused && (focused.id || (focused.parentElement && focused.parentElement.id));
  live().replaceWith(document.adoptNode(next));
  live().dataset.seen = seen;
  for (const [id, open] of folds) {
    const d = document.getElementById(id);
    if (d) d.open = open;
  }
  for (const id of picked) {
    const box = id && document.getElementById(id);
    if (box) box.checked = true;
  }
  live().querySelectorAll("select").forEach((s, i) => { if ([...s.options].some((o) => o.value === chosen[i])) s.value = chosen[i]; });
  live().querySelectorAll("pre").forEach((p, i) => { p.scrollTop = scrolled.get(i) || 0; });
  const again = at && document.getElementById(at);
  if (again) (again.matches("details") ? again.querySelector("summary") : again).focus({ preventScroll: true });
  ready();
}

// ready shows what only a script can do.
function ready() {
  for (const button of document.querySelectorAll("[data-fold]")) {
    button.hidden = false;
    button.onclick = () => {
      for (const d of document.querySelectorAll("details.row")) d.open = button.dataset.fold === "open";
    };
  }
}

// Times that go on are counted here between the server's answers.
function took(ms) {
  if (ms < 60000) return (ms / 1000).toFixed(1) + " s";
  const s = Math.round(ms / 1000);
  return (s >= 3600 ? Math.floor(s / 3600) + "h" : "") + Math.floor(s % 3600 / 60) + "m" + s % 60 + "s";
}
setInterval(() => {
  if (!away.hidden) return;
  for (const one of document.querySelectorAll("[data-since]")) one.textContent = took(Math.max(0, Date.now() - Number(one.dataset.since)));
}, 500);

// A row that the address names is unfolded.
const named = location.hash && document.getElementById(location.hash.slice(1));
if (named && named.matches("details")) { named.open = true; named.scrollIntoView(); }

live().dataset.seen = live().innerHTML;
ready();
const run = live().dataset.run;
if (run) {
  const source = new EventSource(`/api/run/${run}/stream?after=${live().dataset.after}`);
  source.onopen = () => { away.hidden = true; };
  source.onerror = () => { if (source.readyState !== EventSource.CLOSED) away.hidden = false; };
  for (const kind of ["thinking", "tool_start", "step", "component_start", "component", "retry", "denial", "review"]) {
    source.addEventListener(kind, () => { words.textContent = ""; refresh(); });
  }
  source.addEventListener("delta", (event) => { words.textContent = (words.textContent + (JSON.parse(event.data).text || "")).slice(-4000); });
  for (const kind of ["done", "failed"]) {
    source.addEventListener(kind, () => { source.close(); words.textContent = ""; refresh(); });
  }
  setInterval(() => { if (source.readyState !== EventSource.CLOSED) refresh(); }, 5000); // bars grow
} else if (live().dataset.poll) {
  setInterval(refresh, Number(live().dataset.poll));
}
