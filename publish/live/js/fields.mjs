// The fields of a panel: what the reader typed as values.
import { fit, json, parseJSON } from "./value.mjs";

// readCell reads a cell of a table: JSON where it is, text otherwise.
function readCell(text) {
  try {
    return parseJSON(text);
  } catch {
    return text;
  }
}

// readTable reads rows as org writes them.
function readTable(text) {
  return text.split("\n").filter((line) => line.trim() !== "").map((line) => {
    if (/^\s*\|-/.test(line)) return parseJSON(`{"$hline":true}`);
    return line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => readCell(cell.trim()));
  });
}

// numberOf accepts what people type: blanks around it and a leading plus.
function numberOf(text, name) {
  try {
    return parseJSON(text.trim().replace(/^\+/, "").replace(/^(-?)\./, "$10."));
  } catch {
    throw new TypeError(`${name}: ${JSON.stringify(text)} is not a number`);
  }
}

// exact is a value as JSON that loses nothing, as its type wants it.
export function exact(name, type, v) {
  return json(type ? fit(name, type, v) : v, true);
}

// read is the value of a field as JSON in the exact form. An error says what is
// wrong in the words of the sandbox.
export function read(field, input) {
  let v;
  switch (field.dataset.kind) {
    case "bool":
      v = field.checked;
      break;
    case "number":
      v = numberOf(field.value, input.name);
      break;
    case "text":
      v = field.value;
      break;
    case "table":
      v = readTable(field.value);
      break;
    default:
      try {
        v = parseJSON(field.value);
      } catch (e) {
        throw new TypeError(`${input.name}: ${e.message}`);
      }
  }
  return exact(input.name, input.type, v);
}
