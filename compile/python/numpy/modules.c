/* The modules of numpy that are written in C, added to those that are built into
   Python before Python starts. */

#include "Python.h"

#define MODULES(M) \
    M(numpy.core._multiarray_umath, PyInit__multiarray_umath) M(numpy.core._multiarray_tests, PyInit__multiarray_tests) \
    M(numpy.core._umath_tests, PyInit__umath_tests) M(numpy.core._rational_tests, PyInit__rational_tests) \
    M(numpy.core._struct_ufunc_tests, PyInit__struct_ufunc_tests) \
    M(numpy.core._operand_flag_tests, PyInit__operand_flag_tests) \
    M(numpy.linalg._umath_linalg, PyInit__umath_linalg) M(numpy.linalg.lapack_lite, PyInit_lapack_lite) \
    M(numpy.fft._pocketfft_internal, PyInit__pocketfft_internal) \
    M(numpy.random._common, PyInit__common) M(numpy.random.bit_generator, PyInit_bit_generator) \
    M(numpy.random._bounded_integers, PyInit__bounded_integers) M(numpy.random._mt19937, PyInit__mt19937) \
    M(numpy.random._philox, PyInit__philox) M(numpy.random._pcg64, PyInit__pcg64) \
    M(numpy.random._sfc64, PyInit__sfc64) M(numpy.random._generator, PyInit__generator) \
    M(numpy.random.mtrand, PyInit_mtrand)

#define DECLARE(name, init) extern PyObject *init(void);
MODULES(DECLARE)
#undef DECLARE

static struct _inittab numpy_modules[] = {
#define ENTRY(name, init) {#name, init},
    MODULES(ENTRY)
#undef ENTRY
    {0, 0}
};

__attribute__((constructor)) static void
add_numpy(void)
{
    if (PyImport_ExtendInittab(numpy_modules) < 0)
        Py_FatalError("no memory for the table of modules");
}
