// What a trap means to the author, in the words of the lane that built the
// program (compile/clang, compile/wat).

const plain = (frame) => {
  const name = frame.split("(")[0].split(".").at(-1);
  return ["__original_main", "__main_argc_argv", "__main_void"].includes(name) ? "main" : name;
};

const zigFrame = /\bblock_(\w+?)__\d+$/;

// explain gives the message, the exit code that a shell would show, and whether the
// message replaces the last line of standard error.
export function explain(guide, trap, stderr) {
  switch (guide?.style) {
    case "c":
      return explainC(guide, trap, stderr);
    case "zig":
      return explainZig(guide, trap, stderr);
    case "rust": {
      const panic = /panicked at [^\n]*:\n([^\n]*)/.exec(stderr);
      return { text: `${guide.at}: ${panic ? `panic: ${panic[1]}` : `error: ${trap.reason}`}`, exit: 134 };
    }
    case "go": // it has reported the panic itself
      return { text: "", exit: 2 };
  }
  const at = trap.frames.map((f) => guide?.functions?.[f]).find(Boolean) ?? guide?.at ?? "block";
  return { text: `${at}: ${trap.reason}${trap.frames.length > 0 ? ` in ${trap.frames[0]}` : ""}`, exit: 1 };
}

function explainZig(guide, trap, stderr) {
  const own = trap.frames.map((f) => zigFrame.exec(f)?.[1]).find((name) => name && Object.hasOwn(guide.functions ?? {}, name));
  const said = stderr.lastIndexOf("panic: ");
  let text = trap.reason;
  if (said >= 0) [text] = stderr.slice(said).split("\n");
  else if (text.startsWith("out of bounds memory")) text = "access outside of memory";
  else if (text === "unreachable") text = "the program reached an unreachable instruction";
  return { text: `${own ? guide.functions[own] : guide.at}: error: ${text}${own ? ` in ${own}` : ""}`, exit: 134 };
}

function explainC(guide, trap, stderr) {
  const names = trap.frames.map(plain);
  const own = names.find((n) => Object.hasOwn(guide.functions ?? {}, n));
  const where = own ? ` in ${own}` : "";
  let at = own ? guide.functions[own] : guide.at;
  let exit = 134, text = trap.reason + where;
  // What the runtime of exceptions says last is said here in better words.
  const last = /(?:^|\n)(?:line (\d+): )?(uncaught exception: .*|std::terminate was called)\n$/.exec(stderr);
  if (last) return { text: `${guide.lines?.[last[1] - 1] ?? at}: error: ${last[2]}`, exit, replaces: true };
  if (names.includes("abort")) {
    text = "the program called abort" + where;
    const m = /^Assertion failed: (.*) \(block\.\w+: [^:]*: (\d+)\)$/m.exec(stderr);
    if (m) {
      at = guide.lines?.[m[2] - 1] ?? at;
      text = `assertion failed: ${m[1]}`;
    }
  } else if (trap.reason.startsWith("integer")) {
    exit = 136;
  } else if (trap.reason.startsWith("out of bounds memory")) {
    [exit, text] = [139, "access outside of memory" + where];
  } else if (/^(invalid table access|indirect call type mismatch)/.test(trap.reason)) {
    [exit, text] = [139, "call through an invalid function pointer" + where];
  } else if (trap.reason === "unreachable") {
    text = "the program reached an unreachable instruction" + where;
  }
  return { text: `${at}: error: ${text}`, exit };
}
