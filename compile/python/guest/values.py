"""How values leave Python as JSON, and enter it where annotations ask for more."""

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import math
import os
import sys
import typing
import uuid

MAX_INT = 2**63 - 1
MAX_UINT = 2**64 - 1


class NotAValue(TypeError):
    """What a component returned cannot be data for another one."""


def to_json(value, path="the result"):
    """value as something json.dumps writes, with $float for what JSON lacks."""
    if value is None or value is True or value is False or type(value) is str:
        return value
    if isinstance(value, enum.Enum):
        return to_json(value.value, path)
    if isinstance(value, int):
        value = int(value)
        return value if -MAX_INT - 1 <= value <= MAX_UINT else str(value)
    if isinstance(value, float):
        return _float(float(value))
    if isinstance(value, str):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name), f"{path}.{f.name}") for f in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: to_json(item, f"{path}.{name}") for name, item in zip(value._fields, value)}
    if isinstance(value, collections.abc.Mapping):
        return {_key(k, path): to_json(v, f"{path}[{k!r}]") for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item, f"{path}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, (set, frozenset)):
        return _ordered(value, path)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return _float(value.total_seconds())
    if isinstance(value, decimal.Decimal):
        return _decimal(value)
    if isinstance(value, (fractions.Fraction, uuid.UUID, os.PathLike)):
        return str(value)
    if is_array(value) or type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return to_json(value.tolist(), path)
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise NotAValue(f"{path} is bytes: decode it, or write it to a file")
    if isinstance(value, (collections.abc.Iterator, collections.abc.Sequence, collections.abc.KeysView,
                          collections.abc.ValuesView, collections.abc.ItemsView)) and not isinstance(value, type):
        return [to_json(item, f"{path}[{i}]") for i, item in enumerate(value)]
    raise NotAValue(f"{path} is {_article(type(value).__name__)}, which is not data: "
                    "return numbers, text, lists, dicts, dataclasses or dates")


def is_array(value):
    """Whether it is one of numpy's. numpy is not imported to find out."""
    return "numpy" in sys.modules and isinstance(value, sys.modules["numpy"].ndarray)


def from_json(value):
    """The inverse, for what json.loads gives."""
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if isinstance(value, dict):
        if len(value) == 1 and isinstance(value.get("$float"), str):
            return float(value["$float"])
        return {k: from_json(v) for k, v in value.items()}
    return value


def _article(name):
    return ("an " if name[:1].lower() in "aeiou" else "a ") + name


def _float(x):
    if math.isfinite(x):
        return x
    return {"$float": "NaN" if x != x else "Infinity" if x > 0 else "-Infinity"}


def _decimal(d):
    """A number where a float is exactly as good, else text."""
    if not d.is_finite():
        return _float(float(d))
    if d == d.to_integral_value() and abs(d) <= MAX_INT and d.as_tuple().exponent == 0:
        return int(d)
    x = float(d)
    return x if decimal.Decimal(repr(x)) == d else str(d)


def _ordered(items, path):
    try:
        items = sorted(items)
    except TypeError:
        items = sorted(items, key=repr)
    return [to_json(item, f"{path}[{i}]") for i, item in enumerate(items)]


def _key(k, path):
    if isinstance(k, enum.Enum):
        k = k.value
    if isinstance(k, str):
        return str(k)
    if k is None or isinstance(k, (bool, int, float)):
        return json.dumps(k)
    if isinstance(k, (datetime.datetime, datetime.date, datetime.time)):
        return k.isoformat()
    if isinstance(k, (decimal.Decimal, fractions.Fraction, uuid.UUID, os.PathLike)):
        return str(k)
    raise NotAValue(f"{path} has the key {k!r}: keys of data are text or numbers")


def hints(function):
    """The annotations of a function's parameters, as types."""
    try:
        return typing.get_type_hints(function)
    except Exception:
        return {}


def adapt(value, kind):
    """value as kind, where an annotation names what JSON has no word for."""
    origin = typing.get_origin(kind)
    if origin is not None:
        return _adapt_generic(value, origin, typing.get_args(kind))
    if not isinstance(kind, type):
        return value
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        kinds = hints(kind)
        return kind(**{k: adapt(v, kinds.get(k)) for k, v in value.items()})
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        kinds = hints(kind)
        if isinstance(value, dict):
            return kind(**{k: adapt(v, kinds.get(k)) for k, v in value.items()})
        if isinstance(value, list):
            return kind(*(adapt(v, kinds.get(k)) for k, v in zip(kind._fields, value)))
    if isinstance(value, str):
        if kind in (datetime.datetime, datetime.date, datetime.time):
            return kind.fromisoformat(value)
        if kind in (decimal.Decimal, fractions.Fraction, uuid.UUID) or issubclass(kind, os.PathLike):
            return kind(value)
    if kind in (decimal.Decimal, fractions.Fraction) and isinstance(value, (int, float)) and not isinstance(value, bool):
        return kind(str(value))
    if issubclass(kind, enum.Enum) and isinstance(value, (str, int, float)):
        return kind(value)
    if kind is float and type(value) is int:
        return float(value)
    if kind in (tuple, set, frozenset) and isinstance(value, list):
        return kind(value)
    return value


def _adapt_generic(value, origin, args):
    if origin in (list, set, frozenset, collections.abc.Sequence, collections.abc.Iterable) and isinstance(value, list) and args:
        made = [adapt(item, args[0]) for item in value]
        return origin(made) if origin in (set, frozenset) else made
    if origin is tuple and isinstance(value, list) and args:
        kinds = [args[0]] * len(value) if args[-1] is Ellipsis else args
        return tuple(adapt(item, kind) for item, kind in zip(value, kinds)) if len(kinds) == len(value) else tuple(value)
    if origin in (dict, collections.abc.Mapping) and isinstance(value, dict) and len(args) == 2:
        return {adapt(k, args[0]): adapt(v, args[1]) for k, v in value.items()}
    if origin is typing.Union or getattr(origin, "__name__", "") == "UnionType":
        kinds = [kind for kind in args if kind is not type(None)]
        return adapt(value, kinds[0]) if len(kinds) == 1 and value is not None else value
    return value
