// SQL: SQLite's shell with the script on its standard input, as package
// compile/sql runs it: inputs as parameters and tables, rows as values, messages
// with places. Texts are binary here (see block.mjs).
import { binary, Block, bytesFrom } from "./block.mjs";
import { languages } from "./languages.mjs";
import { latin1, readOutput } from "./output.mjs";
import { Bytes, Members, fromBase64, isInt, isFloat, isList, isText, json, parseAll, rule, textOf, typeName } from "./value.mjs";

const privateDir = ".wb-sql", initFile = "init.sql";

const raw = (text) => text instanceof Bytes ? latin1(text.bytes) : binary(text);

// ---- values as SQL ----

const quoted = (s, mark) => mark + s.replaceAll(mark, mark + mark) + mark;
const name = (s) => quoted(s, `"`);
const hex = (s) => Array.from(s, (c) => c.charCodeAt(0).toString(16).padStart(2, "0")).join("");
const text = (s) => s.includes("\0") ? `CAST(x'${hex(s)}' AS TEXT)` : quoted(s, "'");

// float is a number as Go writes it with %g.
function float(f) {
  if (Number.isNaN(f)) return "NULL";
  if (!Number.isFinite(f)) return f > 0 ? "9e999" : "-9e999";
  const [digits, exponent] = f.toExponential().split("e");
  const e = Number(exponent);
  if (e < -4 || e >= 6) return `${digits}e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;
  const plain = Object.is(f, -0) ? "-0" : String(f);
  return plain.includes(".") ? plain : `${plain}.0`;
}

// literal is a value as SQL; what is neither number nor text is JSON.
function literal(v) {
  if (v === null || v === undefined) return "NULL";
  if (typeof v === "boolean") return v ? "1" : "0";
  if (isInt(v)) return v.toString();
  if (isFloat(v)) return float(v);
  return text(isText(v) ? raw(v) : binary(json(v)));
}

const cellName = (v) => v === null ? "" : isText(v) ? raw(v) : binary(json(v));

// tableOf makes a table of records, of rows, of plain items or of one record.
function tableOf(title, v) {
  const columns = [], rows = [];
  let items = v instanceof Members ? [v] : v, width = 0;
  if (items.length > 1 && isList(items[0]) && items[1] === rule) {
    columns.push(...items[0].map(cellName));
    items = items.slice(1);
    width = columns.length;
  }
  for (const item of items) {
    if (item === rule) continue;
    if (item instanceof Members) {
      const row = new Array(columns.length).fill(null);
      for (const [field, cell] of item.list) {
        let i = columns.indexOf(raw(field));
        if (i < 0) i = columns.push(raw(field)) - 1;
        row[i] = cell;
      }
      rows.push(row);
      continue;
    }
    const row = isList(item) ? item : [item];
    rows.push(row);
    width = Math.max(width, row.length);
  }
  for (let i = columns.length; i < width || i === 0; i++) columns.push(`c${i + 1}`);
  columns.forEach((c, i) => {
    if (c === "" || columns.indexOf(c) < i) columns[i] = `c${i + 1}`;
  });
  return { title, columns, rows };
}

const batch = 200; // rows of one statement

function create({ title, columns, rows }) {
  let out = `CREATE TEMP TABLE ${name(title)}(${columns.map(name).join(", ")});\n`;
  for (let at = 0; at < rows.length; at += batch) {
    const lines = rows.slice(at, at + batch).map((row) => `\n(${columns.map((_, i) => literal(row[i])).join(",")})`);
    out += `INSERT INTO temp.${name(title)} VALUES${lines.join(",")};\n`;
  }
  return out;
}

// parameters are the statements that bind plain inputs and make tables of the
// others.
function parameters(params, inputs) {
  const bound = [], tables = [];
  inputs.forEach(([own, v], i) => {
    const param = raw(params[i] ?? own);
    if (isList(v) || v instanceof Members) tables.push(create(tableOf(param, v)));
    else for (const sigil of ":@$") bound.push(`(${text(sigil + param)},${literal(v)})`);
  });
  const binding = bound.length > 0 ? `.parameter init\nINSERT INTO temp.sqlite_parameters(key,value) VALUES${bound.join(",")};\n` : "";
  return binding + tables.join("");
}

// ---- rows as values ----

// Misfit is a result that is not what the component promises.
class Misfit extends Error {}

const infinite = /"(?:[^"\\]|\\[^])*"|-?9\.0e\+999/g;

// resultSets reads the shell's JSON: one list of records for every statement that
// found rows. Infinite numbers, which JSON does not have, are named.
function resultSets(output) {
  const shown = textOf(bytesFrom(output.replace(infinite, (found) => found[0] === `"` ? found : `{"$float":"${found[0] === "-" ? "-" : ""}Infinity"}`)));
  const source = shown instanceof Bytes ? new TextDecoder().decode(shown.bytes) : shown;
  try {
    return parseAll(source);
  } catch (e) {
    const first = source.trimStart()[0] ?? "";
    throw new Misfit(`the block prints what are no rows: ${/[[{"\d-]/.test(first) ? e.message : `invalid character '${first}' looking for beginning of value`}`);
  }
}

const cells = (row) => row.list.map(([, v]) => v);
const compound = ["record", "list", "tuple"];

// fitted takes a row, or a value, out of the rows where the signature wants one.
function fitted(rows, want) {
  if (want.kind === "list") {
    const [{ kind }] = want.args;
    if (kind === "record") return rows;
    if (compound.includes(kind)) return rows.map(cells);
    if (rows.some((row) => row.list.length !== 1)) throw new Misfit("the last statement found several columns, :sig: wants a list of one");
    return rows.flatMap(cells);
  }
  if (want.kind === "option") return rows.length === 0 ? null : fitted(rows, want.args[0]);
  if (rows.length !== 1) throw new Misfit(`the last statement found ${rows.length} rows, :sig: wants one ${typeName(want)}`);
  const [row] = rows;
  if (want.kind === "record") return row;
  if (want.kind === "tuple") return cells(row);
  if (row.list.length !== 1) throw new Misfit(`the last statement found ${row.list.length} columns, :sig: wants one ${typeName(want)}`);
  const [v] = cells(row);
  return want.kind === "bool" && isInt(v) ? v !== 0n : v;
}

// outputs names what was found after several outputs.
function outputs(outs, sets, last) {
  if (last.length === 1 && outs.every((out) => last[0].has(out))) return last[0];
  if (sets.length !== outs.length) {
    throw new Misfit(`the outputs ${outs.join(", ")} need one row with a column each, or one statement with rows each; ${sets.length} statements found rows`);
  }
  return new Members(outs.map((out, i) => [out, sets[i]]));
}

// ---- the shell ----

class Sqlite {
  constructor(recipe, inputs, { stdout, stderr, tree }) {
    const { program } = recipe;
    this.program = program;
    this.results = recipe.sig?.results ?? [];
    this.recipe = { ...recipe, stdin: fromBase64(program.script) };
    this.script = latin1(this.recipe.stdin);
    this.block = new Block(program);
    this.stdout = stdout;
    this.stderr = stderr;
    const files = Object.entries(program.files).map(([file, content]) => [file, fromBase64(content)]);
    for (const [file, content] of files) {
      const more = file === initFile && program.shape === "component" ? parameters(program.params ?? [], inputs) : "";
      tree.put(`${privateDir}/${file}`, more === "" ? content : bytesFrom(latin1(content) + more));
    }
    this.printed = "";
    this.messages = "";
    this.world = {
      tree,
      stdout: (b) => {
        this.printed += latin1(b);
      },
      stderr: (b) => {
        this.messages += latin1(b);
      },
    };
  }

  run(machine) {
    let exit = 0;
    try {
      exit = machine.toItsEnd("_start");
    } finally {
      const [report, failed] = this.report(this.messages);
      this.stderr.write(bytesFrom(report));
      if (failed && exit === 0) exit = 1;
    }
    const output = this.printed;
    if (this.program.shape === "component" && exit === 0) {
      try {
        return { value: this.rows(output), exit };
      } catch (e) {
        if (!(e instanceof Misfit)) throw e;
        this.stderr.write(bytesFrom(`${this.block.at(1)}: ${binary(e.message)}\n`));
        return { value: null, exit: 1 };
      }
    }
    this.stdout.write(bytesFrom(output));
    return { value: this.value(output), exit };
  }

  // rows is what the last statement found.
  rows(output) {
    const sets = resultSets(output), last = sets.at(-1) ?? [], { results } = this;
    const rows = isList(last) ? last : [];
    const outs = this.program.outs ?? [];
    if (outs.length > 1) return outputs(outs, sets, rows);
    if (results.length === 0) return last;
    if (results.length > 1) return outputs(results.map((r) => r.name), sets, rows);
    return fitted(rows, results[0].type);
  }

  // value is what Emacs makes of what the shell prints.
  value(output) {
    const { program } = this;
    if (program.shape === "component" || program.shape === "babel" && program.discard) return null;
    if (program.shape === "command") return textOf(bytesFrom(output));
    const bytes = bytesFrom(output.replaceAll("\r\n", "\n"));
    if (program.text || bytes.length === 0) return textOf(bytes);
    const v = readOutput(bytes, { read: "table", commas: program.commas });
    return program.heads && isList(v) && isList(v[0]) ? [v[0], rule, ...v.slice(1)] : v;
  }

  // ---- places ----

  report(messages) {
    const lines = messages.replace(/\n+$/, "").split("\n");
    let out = "", failed = false;
    for (let i = 0; i < lines.length; i++) {
      const m = /^(?:Parse error|Runtime error|Error)(?: near line (\d+))?: +([^\n]*)$/.exec(lines[i]);
      if (!m) {
        if (lines[i] !== "") out += `${lines[i]}\n`;
        continue;
      }
      failed = true;
      const line = Number(m[1] ?? 0);
      let pos = line > 0 ? this.position(line, "", 0) : this.block.at(1);
      const c = lines[i + 1]?.startsWith("  ") && /^ {2}( *)(\^--- error here|error here ---\^)$/.exec(lines[i + 2] ?? "");
      if (c) {
        if (line > 0) pos = this.position(line, lines[i + 1].slice(2), c[2].startsWith("error") ? c[0].length - 3 : c[1].length);
        i += 2;
      }
      out += `${pos}: ${m[2]}\n`;
    }
    return [out, failed];
  }

  // position finds a place: col bytes into a part of the statement that begins
  // in, or after, a line of the script. In that part blanks are spaces.
  position(line, part, col) {
    const { script } = this, { skip = 0, lines } = this.program;
    const before = (script.match(/[^\n]*\n|[^\n]+$/g) ?? []).slice(0, Math.max(0, line - 1)).join("").length;
    const rest = script.slice(before);
    let offset = rest.length - rest.replace(/^[ \t\n]+/, "").length;
    if (part) {
      const found = rest.replace(/[\n\t\r]/g, " ").indexOf(part.replace(/ +$/, ""));
      if (found >= 0) offset = found + col;
    }
    const done = script.slice(0, before + offset);
    const row = done.split("\n").length - skip;
    return row < 1 ? this.block.at(1) : this.block.at(Math.min(row, lines.length), done.length - done.lastIndexOf("\n"));
  }
}

languages.sqlite = Sqlite;
