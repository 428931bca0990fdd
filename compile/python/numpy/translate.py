"""Translates one Cython file of numpy, which the command line names, to C."""

import sys
import types

from Cython import Shadow

sys.modules["cython"] = Shadow  # a file beside Cython says the same
for name in ("cgi", "urllib.request"):  # imported for what is not done here
    sys.modules[name] = types.ModuleType(name)

from Cython.Compiler import Main, Options

Options.annotate = False
options = Main.CompilationOptions(Main.default_options, language_level=3, include_path=["/"], emit_linenums=False)
result = Main.compile(sys.argv[1], options)
if result.num_errors:
    sys.exit(1)
