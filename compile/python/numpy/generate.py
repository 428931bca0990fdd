"""What numpy's own build generates before it compiles: C from templates, tables of
functions, and the files that Cython will read."""

import os
import sys
import types

CORE = "/numpy/core"
INCLUDE = CORE + "/include/numpy"


def write(name, text):
    with open(name, "w") as f:
        f.write(text)


def templates(process):
    for top, _, files in os.walk("/numpy"):
        for name in files:
            if name.endswith(".src"):
                write(os.path.join(top, name[:-len(".src")]), process(os.path.join(top, name)))


def tables():
    import generate_numpy_api
    import generate_ufunc_api
    import generate_umath
    import generate_umath_doc

    generate_numpy_api.generate_api(INCLUDE, force=True)
    generate_ufunc_api.generate_api(INCLUDE, force=True)
    write(INCLUDE + "/__umath_generated.c", generate_umath.make_code(generate_umath.defdict, generate_umath.__file__))
    generate_umath_doc.write_code(INCLUDE + "/_umath_doc_generated.h")


def cython_templates():
    sys.modules["cgi"] = types.ModuleType("cgi")  # imported for what is not done here
    from Cython import Tempita

    for name in ("_bounded_integers.pxd", "_bounded_integers.pyx"):
        with open(f"/numpy/random/{name}.in") as f:
            write("/numpy/random/" + name, Tempita.sub(f.read()))


def main():
    sys.path[:0] = [CORE + "/code_generators", CORE, "/numpy/distutils"]
    import conv_template

    # The generators ask for it as a part of numpy, which is not built yet.
    sys.modules["numpy"] = types.ModuleType("numpy")
    sys.modules["numpy.distutils"] = types.ModuleType("numpy.distutils")
    sys.modules["numpy.distutils.conv_template"] = conv_template
    templates(conv_template.process_file)
    tables()
    cython_templates()


main()
