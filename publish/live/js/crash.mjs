// What a trap means to the author, in the words of the lane that built the
// program (compile/clang, compile/wat).

const plain = (frame) => {
  const name = frame.split("(")[0].split(".").at(-1);
  return ["__original_main", "__main_argc_argv", "__main_void"].includes(name) ? "main" : name;
};

// explain gives the message and the exit code that a shell would show.
export function explain(guide, trap, stderr) {
  if (guide?.style === "c") return explainC(guide, trap, stderr);
  const at = trap.frames.map((f) => guide?.functions?.[f]).find(Boolean) ?? guide?.at ?? "block";
  return { text: `${at}: ${trap.reason}${trap.frames.length > 0 ? ` in ${trap.frames[0]}` : ""}`, exit: 1 };
}

function explainC(guide, trap, stderr) {
  const names = trap.frames.map(plain);
  const own = names.find((n) => Object.hasOwn(guide.functions ?? {}, n));
  const where = own ? ` in ${own}` : "";
  let at = own ? guide.functions[own] : guide.at;
  let exit = 134, text = trap.reason + where;
  if (names.includes("abort")) {
    text = "the program called abort" + where;
    const m = /^Assertion failed: (.*) \(body\.\w+: [^:]*: (\d+)\)$/m.exec(stderr);
    if (m) {
      at = guide.lines?.[m[2] - 1] ?? at;
      text = `assertion failed: ${m[1]}`;
    }
  } else if (trap.reason.startsWith("integer")) {
    exit = 136;
  } else if (trap.reason.startsWith("out of bounds memory")) {
    [exit, text] = [139, "access outside of memory" + where];
  } else if (/^(invalid table access|indirect call type mismatch)/.test(trap.reason)) {
    [exit, text] = [139, "call through a function pointer that is none" + where];
  } else if (trap.reason === "unreachable") {
    text = "the program came to a place it cannot go on from" + where;
  }
  return { text: `${at}: error: ${text}`, exit };
}
