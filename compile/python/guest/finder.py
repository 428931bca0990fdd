"""Imports from the files of a job, found by asking for names.

Python's own finder lists directories. A block that imports anything new would then
depend on every file beside it, though it wants one, or none.
"""

import os
import sys
from importlib.machinery import BuiltinImporter, FileFinder, ModuleSpec, SourceFileLoader, SourcelessFileLoader

LIBRARY = "/usr/lib/"
LOADERS = (SourceFileLoader, [".py"]), (SourcelessFileLoader, [".pyc"])


class Finder(FileFinder):
    """Finds modules and packages in one directory."""

    def find_spec(self, fullname, target=None):
        base = os.path.join(self.path, fullname.rpartition(".")[2])
        is_package = os.path.isdir(base)
        if is_package:
            for suffix, loader in self._loaders:
                file = os.path.join(base, "__init__" + suffix)
                if os.path.isfile(file):
                    return self._get_spec(loader, fullname, file, [base], target)
        for suffix, loader in self._loaders:
            if os.path.isfile(base + suffix):
                return self._get_spec(loader, fullname, base + suffix, None, target)
        if not is_package:
            return None
        spec = ModuleSpec(fullname, None)
        spec.submodule_search_locations = [base]
        return spec


def hook(path):
    if path.startswith(LIBRARY) or not os.path.isdir(path):
        raise ImportError("only directories of the job are searched so", path=path)
    return Finder(path, *LOADERS)


class BuiltInParts:
    """Finds modules in C that are built into Python and belong to a package."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if path is not None and fullname in sys.builtin_module_names:
            return ModuleSpec(fullname, BuiltinImporter, origin="built-in")
        return None


def install():
    sys.path_hooks.insert(0, hook)
    sys.meta_path.insert(0, BuiltInParts)
