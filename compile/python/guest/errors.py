"""What went wrong, as data: the host knows where a block stands in its file."""

import linecache
import traceback

import _wb_missing as missing

here = "<block>"    # the file name of the program; its lines are those of the program
page = 0            # of a session, whose blocks are told apart
OWN = "<wb:"        # frames of wb's own code are left out

sources = {}        # file name -> text, of programs that are not files


def turn_page(session):
    """Another block of a session begins: code of earlier ones stays theirs."""
    global here, page
    if session:
        page += 1
        here = f"<block {page}>"


def remember(filename, text):
    """Lets tracebacks show lines of a program."""
    sources[filename] = text
    linecache.cache[filename] = (len(text), None, [line + "\n" for line in text.splitlines()], filename)


def describe(exc):
    """An exception and what led to it, outermost last, as lists of frames."""
    chain, seen = [], set()
    link = ""
    while exc is not None and id(exc) not in seen and len(chain) < 20:
        seen.add(id(exc))
        chain.append(_one(exc, link))
        if exc.__cause__ is not None:
            exc, link = exc.__cause__, traceback._cause_message
        elif exc.__context__ is not None and not exc.__suppress_context__:
            exc, link = exc.__context__, traceback._context_message
        else:
            exc = None
    chain.reverse()
    return chain


def _one(exc, link):
    told = traceback.TracebackException(type(exc), exc, exc.__traceback__, compact=True, limit=None)
    told.__cause__ = told.__context__ = None
    frames = [f for f in told.stack if not f.filename.startswith(OWN)]
    result = {"type": type(exc).__qualname__, "link": link.strip(), "frames": _frames(told, frames)}
    if issubclass(told.exc_type, SyntaxError) and getattr(exc, "lineno", None):
        result["syntax"] = _syntax(exc)
        told.lineno = told.text = None
        told.filename = None
    try:
        result["final"] = "".join(told.format_exception_only()).rstrip("\n")
    except Exception:
        result["final"] = type(exc).__qualname__
    if "syntax" in result:
        result["final"] = f"{type(exc).__name__}: {exc.msg}"
    if isinstance(exc, ModuleNotFoundError) and missing.why(exc.name):
        result["hint"] = missing.why(exc.name)
    elif type(exc).__name__ in missing.ERRORS:
        result["hint"] = missing.ERRORS[type(exc).__name__]
    return result


# How many frames at each end of a long traceback are shown.
KEPT = 12


def _frames(told, frames):
    shown = frames if len(frames) <= 2 * KEPT + 1 else frames[:KEPT] + [None] + frames[-KEPT:]
    result = []
    for f in shown:
        if f is None:
            result.append({"left_out": len(frames) - 2 * KEPT})
            continue
        text = told.stack.format_frame_summary(f).partition("\n")[2]
        result.append({"file": f.filename, "line": f.lineno or 0, "col": (f.colno or 0) + 1, "name": f.name, "text": text})
    return result


def _syntax(exc):
    """Where a syntax error is; columns in bytes, from 1."""
    line, col = exc.lineno or 1, max(exc.offset or 1, 1)
    text = sources.get(exc.filename)
    if text is not None:
        lines = text.splitlines()
        if 1 <= line <= len(lines):
            col = len(lines[line - 1][:col - 1].encode()) + 1
    return {"file": exc.filename or "", "line": line, "col": col, "msg": exc.msg or "invalid syntax"}
