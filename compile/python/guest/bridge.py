"""What the host asks of Python: check a program, run it, call a function."""

import ast
import atexit
import builtins
import gc
import importlib
import inspect
import io
import json
import os
import random
import sys
import time
import types
import warnings

import _wb_errors as errors
import _wb_finder as finder
import _wb_loop
import _wb_missing as missing
import _wb_values as values


# ---- reading programs -------------------------------------------------------

def code_of(program):
    """The statements of a program, as code to run in order.

    In a function shape the body is main's, so that it may return; the tree is
    put together rather than the text, which keeps every line where it was.
    """
    parts = []
    here = errors.here
    if program.get("preamble"):
        parts.append(compile_text(program["preamble"], "<:preamble>"))
    tree = parse(program["text"], here)
    if program["kind"] == "function":
        main = ast.parse("def main(): pass", "<wb:main>").body[0]
        main.body = tree.body or main.body
        main = ast.Module([main], [])
        parts.append(compile(main, here, "exec", dont_inherit=True))
    elif program["kind"] == "expression" and tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
        parts.append(compile(tree, here, "exec", dont_inherit=True))
        parts.append(compile(last, here, "eval", dont_inherit=True))
    else:
        parts.append(compile(tree, here, "exec", dont_inherit=True))
    return parts


def parse(text, filename):
    errors.remember(filename, text)
    return ast.parse(text, filename)


def compile_text(text, filename):
    return compile(parse(text, filename), filename, "exec", dont_inherit=True)


def check(request):
    """Compiles a program; answers with warnings, and what a component offers."""
    program = request["program"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        code_of(program)
    answer = {"warnings": [{"line": w.lineno, "text": str(w.message), "kind": w.category.__name__} for w in caught
                           if w.filename == errors.here]}
    if program["kind"] == "module":
        tree = ast.parse(program["text"], errors.here)
        answer["functions"] = functions_of(tree)
        answer["names"] = names_of(tree)
    return answer


def names_of(tree):
    """The names a module binds, wherever that is; * for those of import *."""
    names = {alias.asname or alias.name for node in ast.walk(tree)
             if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
    names |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names |= {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    return sorted(names)


def functions_of(tree):
    """The functions a module defines at its top, with their parameters."""
    found = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            a = node.args
            found.append({"name": node.name, "line": node.lineno,
                          "params": [p.arg for p in a.posonlyargs + a.args + a.kwonlyargs],
                          "needs": len(a.posonlyargs) + len(a.args) - len(a.defaults),
                          "takes": len(a.posonlyargs) + len(a.args) + len(a.kwonlyargs),
                          "open": a.vararg is not None or a.kwarg is not None})
    return found


# ---- running them -----------------------------------------------------------

def begin(request):
    """Turns to a new job: its directory, its arguments, its luck."""
    os.chdir(request["dir"])
    os.environ["PWD"] = request["dir"]
    sys.argv[:] = ["block", *request["args"]]
    if request["random"]:
        random.seed()
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed()
    importlib.invalidate_caches()
    errors.turn_page(request["session"])
    if not request["session"] or "__main__" not in sys.modules or not getattr(sys.modules["__main__"], "_wb_session", False):
        fresh("__main__", request["session"])
    renew_streams()


def fresh(name, session=False):
    module = types.ModuleType(name)
    module.__dict__.update(__builtins__=builtins, __annotations__={})
    if session:
        module._wb_session = True
    sys.modules[name] = module
    return module


def renew_streams():
    """Standard input begins anew with every job."""
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)), "utf-8", "surrogateescape")


def run(request):
    begin(request)
    program = request["program"]
    if program["kind"] == "module":
        return {"value": component(program, request)}
    space = sys.modules["__main__"].__dict__
    if "large" in program:
        space["_wb_large"] = program.pop("large")
    figure = program.get("graphics")
    if figure:
        os.makedirs(os.path.dirname(figure) or ".", exist_ok=True)
    result = None
    for code in code_of(program):
        result = eval(code, space)
    if program["kind"] == "function":
        result = space["main"]()
    if figure and program["kind"] != "script":
        if not hasattr(result, "savefig"):
            raise TypeError(f"the value of the block is no figure to write to {figure}: end it with plt.gcf(), or ask for the current figure with :results output")
        result.savefig(figure)
        return {}
    if program["kind"] in ("function", "expression"):
        return {"shown": shown(result, program["results"])}
    return {}


def component(program, request):
    module = fresh("block")
    if "inputRaw" in program["text"]:
        module.inputRaw = sys.stdin.read()
    for code in code_of(program):
        exec(code, module.__dict__)
    function = getattr(module, program["func"], None)
    if not callable(function):
        raise TypeError(f"{program['func']} is not a function")
    names, args = program["params"], values.from_json(request["inputs"])
    kinds = values.hints(function)
    try:
        takes = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        takes = []
    if not args and len(takes) == 1:
        result = function(sys.stdin.read())
    elif len(names) == len(args) and set(takes) == set(names):
        result = function(**{name: values.adapt(arg, kinds.get(name)) for name, arg in zip(names, args)})
    else:
        result = function(*(values.adapt(arg, kinds.get(name)) for arg, name in zip(args, takes + [None] * len(args))))
    if inspect.isawaitable(result):
        result = awaited(result)
    outs = program["outs"]
    if len(outs) > 1 and isinstance(result, tuple) and not hasattr(result, "_fields") and len(result) == len(outs):
        result = dict(zip(outs, result))
    value = values.to_json(result)
    if len(outs) == 1 and isinstance(value, dict) and list(value) == outs:
        value = value[outs[0]]
    return value


def awaited(result):
    import asyncio

    async def main():
        return await result

    return asyncio.run(main())


def shown(result, words):
    """The text of a value, as ob-python writes it to its results file."""
    if "pp" in words:
        import pprint

        return pprint.pformat(result)
    if "list" in words and isinstance(result, dict):
        return str([f"{k} :: {v}" for k, v in result.items()])
    if {"scalar", "verbatim", "raw"}.intersection(words):
        return str(result)
    if values.is_array(result):
        return str(result.tolist()) if "table" in words else repr(result)
    return str(rows(result) if "table" in words else result)


def rows(result):
    if isinstance(result, dict):
        return [(k, rows(v)) for k, v in result.items()]
    if isinstance(result, (list, tuple)):
        return [rows(item) for item in result]
    return result


def finish(request):
    """What happens when Python ends: exit functions, files are closed."""
    if request.get("session"):
        return
    atexit._run_exitfuncs()
    for name in ("__main__", "block"):
        module = sys.modules.pop(name, None)
        if module is not None:
            module.__dict__.clear()
    gc.collect()


def flush():
    for name in ("stdout", "stderr", "__stdout__", "__stderr__"):
        stream = getattr(sys, name, None)
        try:
            stream.flush()
        except Exception:
            pass


# ---- answering --------------------------------------------------------------

def exit_code(exc):
    if exc.code is None:
        return 0
    if isinstance(exc.code, int):
        return exc.code & 0xFF
    print(exc.code, file=sys.stderr)
    return 1


def guarded(act, request):
    try:
        return act(request) or {}
    except SystemExit as exc:
        return {"exit": exit_code(exc)}
    except BaseException as exc:
        try:
            return {"error": errors.describe(exc), "exit": 1}
        except MemoryError:
            return {"error": [{"type": "MemoryError", "link": "", "frames": [], "final": "MemoryError"}], "exit": 1}


def serve(data):
    request = json.loads(data)
    if request["do"] == "check":
        answer = guarded(check, request)
    else:
        answer = guarded(run, request)
        ended = guarded(finish, request)
        if "exit" in ended and not answer.get("exit"):
            answer.update(ended)
        flush()
    answer["body"] = errors.here
    return json.dumps(answer, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")


# ---- getting ready, once, before the snapshot ---------------------------------

COMMON = """abc argparse array base64 bisect calendar collections collections.abc colorsys contextlib contextvars copy csv cmath
dataclasses datetime decimal difflib enum fileinput fnmatch fractions functools glob gzip hashlib heapq hmac html html.parser io
ipaddress itertools json keyword linecache locale logging math numbers operator pathlib pickle pprint queue random re
reprlib secrets shlex shutil sqlite3 statistics string struct tempfile textwrap time timeit tokenize traceback types typing
unicodedata urllib.parse uuid weakref xml.etree.ElementTree zlib zoneinfo""".split()


def prepare():
    import site

    site.setquit()
    site.setcopyright()
    site.sethelper()
    sys.stdout.reconfigure(line_buffering=True)
    finder.install()
    sys.path[:0] = ["", "/usr/lib/block"]
    sys.dont_write_bytecode = True
    build = types.ModuleType("_sysconfigdata__wasi_")
    build.build_time_vars = {"TZPATH": "", "EXT_SUFFIX": "", "SOABI": ""}
    sys.modules[build.__name__] = build
    for name in COMMON:
        importlib.import_module(name)
    missing.install()
    json.loads(json.dumps({"a": [1, 2.5, "é", None]}))
    gc.collect()
    gc.freeze()


prepare()
