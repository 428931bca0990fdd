// The block behind a program: where it stands, and what org-babel makes of what
// it printed, as languages share it.
import { latin1, readCellText, trim } from "./output.mjs";
import { isText, textOf } from "./value.mjs";

const utf8 = new TextEncoder();

// binary is a text with one character for each byte of its UTF-8: columns count
// bytes.
export const binary = (text) => latin1(utf8.encode(text));

export const placeText = ({ file, line, col }) => `${file}:${line}:${col}`;

// bytesFrom is the way back.
export const bytesFrom = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));

// Block places messages; it has the places of compile.Source.Places.
export class Block {
  constructor({ file, lines }) {
    this.file = file;
    this.lines = lines;
  }

  // place is a line and column of the body as a place in the workbook.
  place(line, col = 1) {
    const [row, from] = this.lines[Math.min(Math.max(line, 1), this.lines.length) - 1];
    return { file: this.file, line: row, col: Math.max(from, 1) + Math.max(col, 1) - 1 };
  }

  // at is that place as messages have it.
  at(line, col = 1) { return placeText(this.place(line, col)); }
}

// scalar reads a text as a number where it is one.
export function scalar(text) {
  if (!isText(text) || typeof text !== "string") return text;
  const bare = trim(text);
  return bare.includes("\n") ? bare : readCellText(bare);
}

// printed is the value of a program that is its output: text in command shape,
// in that of org-babel a number or text, and nothing where the value counts.
export function printed({ shape, output, discard, text }, bytes) {
  const all = textOf(bytes);
  if (shape === "command") return all;
  if (shape !== "babel" || !output || discard) return null;
  return text ? all : scalar(all);
}
