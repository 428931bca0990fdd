// What a program printed as a value, as org-babel reads it: the functions of
// package compile (ReadOutput, ImportTable, Dedent).
import { Bytes, isText, textOf } from "./value.mjs";

export const latin1 = (bytes) => {
  let out = "";
  for (let at = 0; at < bytes.length; at += 8192) out += String.fromCharCode.apply(null, bytes.subarray(at, at + 8192));
  return out;
};

// readOutput reads printed bytes. Text that is no UTF-8 is taken apart byte by
// byte and its cells put together again.
export function readOutput(bytes, { read, dedent, commas }) {
  const v = textOf(bytes);
  const binary = v instanceof Bytes;
  const cell = binary ? (s) => textOf(Uint8Array.from(s, (c) => c.charCodeAt(0))) : (s) => s;
  let text = binary ? latin1(bytes) : v;
  if (read === "text" && !dedent) return v;
  if (read === "discard") return null;
  if (dedent) text = dedented(text);
  if (read === "trimmed") {
    const bare = trim(text), one = readCell(bare, cell);
    return isText(one) ? cell(bare) : one;
  }
  return read === "text" ? cell(text) : imported(text, cell, commas);
}

const lines = (text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function indentation(line) {
  let columns = 0, width = 0;
  for (; width < line.length; width++) {
    if (line[width] === " ") columns++;
    else if (line[width] === "\t") columns += 8 - columns % 8;
    else break;
  }
  return { columns, width };
}

function dedented(text) {
  const all = lines(text);
  const shared = all.filter((l) => trim(l) !== "").reduce((n, l) => Math.min(n, indentation(l).columns), Infinity);
  if (shared <= 0 || shared === Infinity) return text;
  return all.map((line) => {
    const { columns, width } = indentation(line);
    return (columns < shared ? "" : " ".repeat(columns - shared)) + line.slice(width);
  }).join("");
}

// imported reads text as a table: lines become rows, split at tabs when every
// line has one, else at commas, else at blanks when there are several lines. A
// single cell is itself. Text that is known to be separated by commas is split
// at those.
function imported(text, cell, commas = false) {
  if (text === "") return null;
  text = text.replaceAll("\r\n", "\n");
  const rows = text.replace(/\n$/, "").split("\n");
  const everyHas = (sep) => rows.every((row) => row === "" || row.includes(sep));
  let table;
  if (commas) table = commaRows(rows.join("\n"));
  else if (everyHas("\t")) table = rows.map((row) => cells(row.replaceAll("\t", "| ")));
  else if (everyHas(",")) table = commaRows(rows.join("\n"));
  else if (rows.length === 1) table = [cells(rows[0].replace(/^ +/, ""))];
  else table = rows.map((row) => cells(row.replace(/^ +/, "").replace(/ *\t *| +/g, "| ")));
  return tableOf(table, cell);
}

function cells(line) {
  const row = line.split("|").map((c) => c.replace(/^[ \t]+|[ \t]+$/g, ""));
  if (row.at(-1) === "") row.pop();
  return row;
}

function commaRows(text) {
  const rows = [];
  let row = "";
  const finish = () => {
    rows.push(cells(row + "|"));
    row = "";
  };
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at);
    const skipped = /^[ \t]*/.exec(rest)[0].length;
    const next = rest[skipped] ?? "\n";
    const end = next === `"` ? rest.indexOf(`"`, skipped + 1) - skipped - 1 : -1;
    if (next === "\n") {
      finish();
      at += skipped + 1;
      if (at === text.length) finish();
      continue;
    }
    if (end >= 0) {
      row += rest.slice(skipped + 1, skipped + 1 + end).replaceAll("\n", " ");
      at += skipped + end + 2;
      if (text[at] === `"`) row += `"`;
    } else if (next === `"` || rest[0] !== ",") {
      const stop = rest.search(/[,\n]/);
      row += stop < 0 ? rest : rest.slice(0, stop);
      at += stop < 0 ? rest.length : stop;
    } else {
      row += " | ";
      at++;
    }
    if (at >= text.length) finish();
  }
  return rows;
}

function tableOf(rows, cell) {
  const width = Math.max(1, ...rows.map((row) => row.length));
  const table = rows.map((row) => Array.from({ length: width }, (_, i) => i < row.length ? readCell(row[i], cell) : ""));
  return table.length === 1 && width === 1 ? table[0][0] : table;
}

// trim takes off what Go calls space.
export const trim = (s) => s.replace(/^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g, "");

const numberCell = /^[-+]?([0-9]+\.?|[0-9]*\.[0-9]+([eE][-+]?[0-9]+)?|[0-9]+\.?[eE][-+]?[0-9]+)$/;

// readCellText reads text as one cell.
export const readCellText = (text) => readCell(text, (s) => s);

// readCell reads a number where the cell is one, else text without its quotes.
function readCell(c, cell) {
  const quoted = /^[\t\n\f\r ]*"(.+)"[\t\n\f\r ]*$/.exec(c);
  if (quoted) c = quoted[1];
  const trimmed = trim(c);
  if (numberCell.test(trimmed)) {
    const whole = trimmed.replace(/\.$/, "");
    if (/^[-+]?[0-9]+$/.test(whole)) {
      const i = BigInt(whole.replace(/^\+/, ""));
      if (i >= -(1n << 63n) && i < 1n << 64n) return i;
    }
    if (/[.eE]/.test(trimmed)) return Number(trimmed);
  }
  return trimmed === `""` ? "" : cell(c);
}
