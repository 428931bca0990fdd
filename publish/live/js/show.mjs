// Outcomes for people. Everything a program gave is text here: it becomes text
// nodes, never markup, and loses what could disturb a reader (escape sequences,
// controls, marks that turn the direction of text).
import { Members, isInt, isFloat, isList, isTable, isText, json, parseJSON, rule, shownText } from "./value.mjs";

const most = 200000; // characters of one text
const mostRows = 1000;

// neutral takes out of a text what is not for showing, as package sandbox does
// (Neutralize).
export function neutral(text) {
  return text
    .replace(/\x1b\[[\x20-\x3f]*[\x40-\x7e]?|\x9b[\x20-\x3f]*[\x40-\x7e]?/g, "")
    .replace(/(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?/g, "")
    .replace(/\x1b[\x20-\x2f]*[\x30-\x7e]?/g, "")
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu, "");
}

export const element = (name, props = {}, ...children) => {
  const e = Object.assign(document.createElement(name), props);
  e.append(...children);
  return e;
};

// display is a value in running text.
function display(v) {
  if (v === null) return "nil";
  if (isText(v)) return neutral(shownText(v));
  return json(v);
}

// textBlock is text in a block of its own; what is too long is cut, and said.
export function textBlock(text, className = "") {
  const cut = text.length > most;
  const pre = element("pre", { className, tabIndex: 0 }, element("samp", {}, neutral(cut ? text.slice(0, most) : text)));
  if (!cut) return [pre];
  return [pre, element("p", { className: "live-note" }, `The first ${most.toLocaleString("en")} of ${text.length.toLocaleString("en")} characters.`)];
}

function table(v) {
  const rows = v.slice(0, mostRows);
  const head = rows.indexOf(rule);
  const isHead = (i) => head > 0 && i < head;
  const numeric = [];
  rows.forEach((row, i) => {
    if (row === rule || isHead(i)) return;
    row.forEach((cell, c) => {
      numeric[c] = (numeric[c] ?? true) && (isInt(cell) || isFloat(cell));
    });
  });
  const line = (row, i) => element("tr", {}, ...row.map((cell, c) => {
    const out = element(isHead(i) ? "th" : "td", {}, display(cell));
    if (isHead(i)) out.scope = "col";
    if (numeric[c]) out.className = "r";
    return out;
  }));
  const t = element("table");
  const top = rows.flatMap((row, i) => row !== rule && isHead(i) ? [line(row, i)] : []);
  if (top.length > 0) t.append(element("thead", {}, ...top));
  t.append(element("tbody", {}, ...rows.flatMap((row, i) => row !== rule && !isHead(i) ? [line(row, i)] : [])));
  const scroll = element("div", { className: "scroll", tabIndex: 0 }, t);
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", "Table");
  const note = v.length > mostRows ? [element("p", { className: "live-note" }, `The first ${mostRows} of ${v.length} rows.`)] : [];
  return [scroll, ...note];
}

// shape is the value that the component's shape makes of an outcome.
function shape(how, v, stdout) {
  const unwrap = (x) => how.outs?.length === 1 && x instanceof Members && x.list.length === 1 && x.list[0][0] === how.outs[0] ? x.list[0][1] : x;
  const has = (word) => how.words?.includes(word);
  switch (how.shape) {
    case "component":
      return unwrap(v);
    case "kernel":
      return v;
    case "babel":
      if (v === null && has("output") && stdout !== "" && !has("discard")) return stdout;
      return !has("output") && (has("vector") || has("table")) && !isList(v) && v !== null ? [[v]] : v;
  }
  if (!has("verbatim") && !has("scalar") && !has("raw")) {
    try {
      return unwrap(parseJSON(stdout));
    } catch { /* text */ }
  }
  return stdout.replace(/[\r\n]+$/, "");
}

// value is a value as the page shows results: tables as tables, lists of plain
// items as lists, text as it was printed.
export function value(how, v, stdout) {
  const shown = shape(how, v, stdout);
  if (isTable(shown)) return table(shown);
  if (isList(shown) && shown.length > 0 && shown.every((item) => !isList(item) && !(item instanceof Members))) {
    return how.words?.includes("list")
      ? [element("ul", {}, ...shown.slice(0, mostRows).map((item) => element("li", {}, display(item))))]
      : table([shown]);
  }
  if (shown instanceof Members && shown.list.length > 0 && shown.list.every(([, item]) => !isList(item) && !(item instanceof Members))) {
    return table(shown.list.map(([name, item]) => [name, item]));
  }
  if (isText(shown)) return textBlock(shownText(shown), "live-value");
  if (shown === null) return [element("p", { className: "live-note" }, "It gave no value.")];
  return textBlock(json(shown), "live-value");
}
