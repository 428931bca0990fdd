/* The modules of matplotlib and Pillow that are written in C and C++, added to
   those that are built into Python before Python starts. */

#define PY_ARRAY_UNIQUE_SYMBOL MPL_ARRAY_API
#include "Python.h"
#include "numpy/arrayobject.h"

#define MODULES(M) \
    M(matplotlib.ft2font, ft2font) M(matplotlib._path, _path) M(matplotlib._image, _image) \
    M(matplotlib._contour, _contour) M(matplotlib._qhull, _qhull) M(matplotlib._tri, _tri) \
    M(matplotlib._ttconv, _ttconv) M(matplotlib.backends._backend_agg, _backend_agg) \
    M(PIL._imaging, _imaging) M(PIL._imagingmath, _imagingmath) M(PIL._imagingmorph, _imagingmorph)

/* Files that several of matplotlib's modules share use one copy of numpy's table
   of functions, which must be there before any of them. */
static int
table_is_there(void)
{
    if (!PyArray_API)
        import_array1(0);
    return 1;
}

#define DECLARE(name, init) \
    extern PyObject *PyInit_##init(void); \
    static PyObject *init_##init(void) { return table_is_there() ? PyInit_##init() : 0; }
MODULES(DECLARE)

static struct _inittab modules[] = {
#define ENTRY(name, init) {#name, init_##init},
    MODULES(ENTRY)
    {0, 0}
};

__attribute__((constructor)) static void
add_matplotlib(void)
{
    if (PyImport_ExtendInittab(modules) < 0)
        Py_FatalError("no memory for the table of modules");
}
