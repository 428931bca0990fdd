// Adds what a run does to its page as it happens. Without this script the page
// reloads itself.
"use strict";
const table = document.getElementById("frames");
const words = document.getElementById("words");
const source = new EventSource(`/api/run/${table.dataset.run}/stream?after=${table.dataset.after}`);

function cell(row, text, kind) {
  const td = row.insertCell();
  td.textContent = text;
  if (kind) td.className = kind;
}

function add(event) {
  const f = JSON.parse(event.data);
  const row = table.insertRow();
  row.className = f.type;
  cell(row, f.step || "");
  cell(row, [f.type, f.tool, f.status].filter(Boolean).join(" "));
  cell(row, [f.args && JSON.stringify(f.args), f.text, f.output, f.result, f.error].filter(Boolean).join("\n"), "text");
  cell(row, f.dur_ms ? f.dur_ms + " ms" : "");
  words.textContent = "";
}

for (const kind of ["thinking", "tool_start", "step", "retry", "denial"]) source.addEventListener(kind, add);
source.addEventListener("delta", (event) => { words.textContent += JSON.parse(event.data).text || ""; });
source.addEventListener("review", () => location.reload()); // shows what is to decide
for (const kind of ["done", "failed"]) {
  source.addEventListener(kind, () => { source.close(); location.reload(); });
}
