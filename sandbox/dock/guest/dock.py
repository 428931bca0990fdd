"""What a block may ask of the host.

A block asks with :uses kv, and the person who runs it grants it with --grant kv.

    import wb
    n = int(wb.kv.get("count") or 0)
    wb.kv.put("count", str(n + 1))

Functions that answer with bytes give text where it is UTF-8, else bytes; None
says that there is nothing. What was refused or went wrong is a wb.Error with a
code: denied, limit, invalid, notfound or failed.
"""

import json
import os
import struct
import types

TABLE = []


class Error(Exception):
    """The host did not do it. code says why, hint what to do about it."""

    def __init__(self, message, code="failed", hint=""):
        super().__init__(f"{message} ({hint})" if hint else message)
        self.code, self.hint = code, hint


def _bytes(value):
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else bytes(value)


def _ask(operation, args):
    frame = struct.pack("<I", len(operation)) + operation.encode() + struct.pack("<I", len(args))
    for arg in args:
        frame += struct.pack("<I", len(arg)) + arg
    try:
        fd = os.open("/dev/dock", os.O_RDWR)
    except OSError:
        raise Error("this block was granted no capabilities of the host", "denied", "it asks with :uses, and wb run --grant grants it") from None
    try:
        data = struct.pack("<I", len(frame)) + frame
        while data:
            data = data[os.write(fd, data):]
        os.lseek(fd, 0, os.SEEK_SET)
        left, parts = 4, []
        head = os.read(fd, 4)
        left = struct.unpack("<I", head)[0]
        while left > 0:
            part = os.read(fd, left)
            if not part:
                raise Error("the answer of the host is cut off")
            parts.append(part)
            left -= len(part)
    finally:
        os.close(fd)
    reply = b"".join(parts)
    if reply[0] == 2:
        problem = json.loads(reply[1:])
        raise Error(problem["error"], problem["code"], problem.get("hint", ""))
    return reply[1:] if reply[0] == 1 else None


def _function(entry):
    operation, params, result = f"{entry['module']}.{entry['name']}", entry["params"], entry["result"]
    names = [p.lstrip("*?") for p in params]
    optional = [p.startswith("?") for p in params]

    def call(*args, **named):
        given = list(args)
        for name, can_miss in list(zip(names, optional))[len(given):]:
            if name not in named and not can_miss and name not in ("prefix",):
                raise TypeError(f"{operation}() is missing {name}")
            given.append(named.pop(name, None))
        if named or len(given) > len(names):
            raise TypeError(f"{operation}() takes {', '.join(names) or 'nothing'}")
        wire = []
        for p, value in zip(params, given):
            if p.startswith("?"):
                wire.append(b"" if value is None else json.dumps(value).encode())
            else:
                wire.append(_bytes("" if value is None else value))
        reply = _ask(operation, wire)
        if reply is None or result == "":
            return None
        if result == "json":
            return json.loads(reply)
        try:
            return reply.decode()
        except UnicodeDecodeError:
            return reply

    call.__name__, call.__qualname__, call.__doc__ = entry["name"], operation, entry["doc"]
    return call


def _fill():
    modules = {}
    for entry in TABLE:
        module = modules.setdefault(entry["module"], types.SimpleNamespace())
        setattr(module, entry["name"], _function(entry))
    globals().update(modules)


_fill()
