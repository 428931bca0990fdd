/* CPython as a program that other programs call.

   wb starts Python once, freezes its memory, and revives it for every block.
   The host drives it through the functions below; there is no command line.

     wb_boot(bare)         starts the interpreter; bare leaves importlib out
     wb_marshal(…)         compiles a source file to marshalled code
     wb_module(…)          makes a module of a source file
     wb_request(…)         calls serve(bytes) -> bytes of the module _wb

   Strings are passed as address and length. Results are left in wb_result():
   two words, address and length, valid until the next call. Functions return 0,
   or -1 after they have written what went wrong to standard error. */

#define PY_SSIZE_T_CLEAN
#include "Python.h"
#include "marshal.h"
#include "pycore_import.h"
#include "pycore_pathconfig.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

/* Where the host mounts the standard library (stdlibDir in Go). */
#define STDLIB L"/usr/lib/python3.11"
#define FROZEN "/usr/lib/python3.11/frozen"

/* ---- what CPython's build would generate ------------------------------- */

/* The paths are given in full, there is nothing to work out. */
PyStatus
_PyConfig_InitPathConfig(PyConfig *config, int compute_path_config)
{
    (void)config;
    (void)compute_path_config;
    return PyStatus_Ok();
}

/* No code object is baked into the program: snapshots do that better. */
int
_Py_Deepfreeze_Init(void)
{
    return 0;
}

void
_Py_Deepfreeze_Fini(void)
{
}

/* Modules that are needed before files can be imported. Their code is read from
   files when Python starts: see freeze_from_files. */
static struct _frozen bootstrap[] = {
    {"_frozen_importlib"}, {"_frozen_importlib_external"}, {"zipimport"}, {0}
};
static const struct _frozen none[] = {{0, 0, 0, 0, 0}};
static const struct _module_alias aliases[] = {
    {"_frozen_importlib", "importlib._bootstrap"},
    {"_frozen_importlib_external", "importlib._bootstrap_external"},
    {"zipimport", "zipimport"},
    {0, 0}
};

const struct _frozen *_PyImport_FrozenBootstrap = bootstrap;
const struct _frozen *_PyImport_FrozenStdlib = none;
const struct _frozen *_PyImport_FrozenTest = none;
const struct _frozen *PyImport_FrozenModules = NULL;
const struct _module_alias *_PyImport_FrozenAliases = aliases;

/* The built-in modules: M(name, function that makes it). */
#define MODULES(M) \
    M(_abc, PyInit__abc) M(_ast, PyInit__ast) M(_asyncio, PyInit__asyncio) M(_bisect, PyInit__bisect) \
    M(_blake2, PyInit__blake2) M(_codecs, PyInit__codecs) M(_codecs_cn, PyInit__codecs_cn) \
    M(_codecs_hk, PyInit__codecs_hk) M(_codecs_iso2022, PyInit__codecs_iso2022) M(_codecs_jp, PyInit__codecs_jp) \
    M(_codecs_kr, PyInit__codecs_kr) M(_codecs_tw, PyInit__codecs_tw) M(_collections, PyInit__collections) \
    M(_contextvars, PyInit__contextvars) M(_csv, PyInit__csv) M(_datetime, PyInit__datetime) \
    M(_decimal, PyInit__decimal) M(_elementtree, PyInit__elementtree) M(_functools, PyInit__functools) \
    M(_heapq, PyInit__heapq) M(_imp, PyInit__imp) M(_io, PyInit__io) M(_json, PyInit__json) \
    M(_locale, PyInit__locale) M(_lsprof, PyInit__lsprof) M(_md5, PyInit__md5) M(_multibytecodec, PyInit__multibytecodec) \
    M(_opcode, PyInit__opcode) M(_operator, PyInit__operator) M(_pickle, PyInit__pickle) M(_queue, PyInit__queue) \
    M(_random, PyInit__random) M(_sha1, PyInit__sha1) M(_sha256, PyInit__sha256) M(_sha3, PyInit__sha3) \
    M(_sha512, PyInit__sha512) M(_signal, PyInit__signal) M(_sqlite3, PyInit__sqlite3) M(_sre, PyInit__sre) M(_stat, PyInit__stat) \
    M(_statistics, PyInit__statistics) M(_string, PyInit__string) M(_struct, PyInit__struct) \
    M(_symtable, PyInit__symtable) M(_thread, PyInit__thread) M(_tokenize, PyInit__tokenize) \
    M(_tracemalloc, PyInit__tracemalloc) M(_typing, PyInit__typing) M(_warnings, _PyWarnings_Init) \
    M(_weakref, PyInit__weakref) M(_zoneinfo, PyInit__zoneinfo) M(array, PyInit_array) M(atexit, PyInit_atexit) \
    M(audioop, PyInit_audioop) M(binascii, PyInit_binascii) M(cmath, PyInit_cmath) M(errno, PyInit_errno) \
    M(faulthandler, PyInit_faulthandler) M(gc, PyInit_gc) M(itertools, PyInit_itertools) M(marshal, PyMarshal_Init) \
    M(math, PyInit_math) M(posix, PyInit_posix) M(pyexpat, PyInit_pyexpat) M(select, PyInit_select) \
    M(time, PyInit_time) M(unicodedata, PyInit_unicodedata) M(zlib, PyInit_zlib)


#define DECLARE(name, init) extern PyObject *init(void);
MODULES(DECLARE)
#undef DECLARE

struct _inittab _PyImport_Inittab[] = {
    {"builtins", NULL},
    {"sys", NULL},
#define ENTRY(name, init) {#name, init},
    MODULES(ENTRY)
#undef ENTRY
    {0, 0}
};

/* ---- the host's side ---------------------------------------------------- */

static struct { const char *data; size_t size; } result;
static PyObject *holder; /* keeps the object whose bytes result points to */

void *
EXPORT(wb_alloc)(size_t size)
{
    return malloc(size ? size : 1);
}

void
EXPORT(wb_free)(void *p)
{
    free(p);
}

const void *
EXPORT(wb_result)(void)
{
    return &result;
}

/* answer makes bytes the result; it takes over the reference. */
static int
answer(PyObject *bytes)
{
    if (bytes == NULL || !PyBytes_Check(bytes)) {
        if (PyErr_Occurred())
            PyErr_Print();
        Py_XDECREF(bytes);
        result.data = NULL;
        result.size = 0;
        return -1;
    }
    Py_XSETREF(holder, bytes);
    result.data = PyBytes_AS_STRING(bytes);
    result.size = (size_t)PyBytes_GET_SIZE(bytes);
    return 0;
}

static int
fail(const char *what, PyStatus status)
{
    fprintf(stderr, "%s: %s\n", what, status.err_msg ? status.err_msg : "failed");
    return -1;
}

/* freeze_from_files reads the code of the modules in bootstrap. */
static int
freeze_from_files(void)
{
    for (int i = 0; bootstrap[i].name != NULL; i++) {
        char path[256];
        snprintf(path, sizeof path, FROZEN "/%s", aliases[i].orig);
        FILE *f = fopen(path, "rb");
        if (f == NULL) {
            fprintf(stderr, "%s: missing\n", path);
            return -1;
        }
        fseek(f, 0, SEEK_END);
        long size = ftell(f);
        rewind(f);
        unsigned char *code = malloc((size_t)size);
        if (code == NULL || fread(code, 1, (size_t)size, f) != (size_t)size) {
            fprintf(stderr, "%s: unreadable\n", path);
            fclose(f);
            return -1;
        }
        fclose(f);
        bootstrap[i].code = code;
        bootstrap[i].size = (int)size;
    }
    return 0;
}

static PyStatus
configure(PyConfig *config, bool bare)
{
    config->site_import = 0;
    config->install_signal_handlers = 0;
    config->configure_c_stdio = 0;
    config->write_bytecode = 0;
    config->parse_argv = 0;
    config->use_hash_seed = 1; /* the order of sets is the same on every run */
    config->hash_seed = 0;
    config->module_search_paths_set = 1;
    if (bare) {
        config->_install_importlib = 0;
        config->_init_main = 0;
        return PyStatus_Ok();
    }
    const struct { wchar_t **field; const wchar_t *text; } paths[] = {
        {&config->program_name, L"python3"},
        {&config->executable, L""},
        {&config->base_executable, L""},
        {&config->prefix, L"/usr"},
        {&config->base_prefix, L"/usr"},
        {&config->exec_prefix, L"/usr"},
        {&config->base_exec_prefix, L"/usr"},
        {&config->platlibdir, L"lib"},
        {&config->stdlib_dir, STDLIB},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(paths); i++) {
        PyStatus status = PyConfig_SetString(config, paths[i].field, paths[i].text);
        if (PyStatus_Exception(status))
            return status;
    }
    PyStatus status = PyWideStringList_Append(&config->module_search_paths, STDLIB);
    if (PyStatus_Exception(status))
        return status;
    return PyWideStringList_Append(&config->argv, L"");
}

int
EXPORT(wb_boot)(int bare)
{
    if (!bare && freeze_from_files() < 0)
        return -1;
    PyPreConfig pre;
    PyPreConfig_InitIsolatedConfig(&pre);
    pre.utf8_mode = 1;
    PyStatus status = Py_PreInitialize(&pre);
    if (PyStatus_Exception(status))
        return fail("preparing Python", status);
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    status = configure(&config, bare != 0);
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status))
        return fail("starting Python", status);
    return 0;
}

static PyObject *
compiled(const char *filename, const char *source)
{
    PyCompilerFlags flags = _PyCompilerFlags_INIT;
    return Py_CompileStringExFlags(source, filename, Py_file_input, &flags, 0);
}

/* wb_marshal takes C strings. */
int
EXPORT(wb_marshal)(const char *filename, const char *source)
{
    PyObject *code = compiled(filename, source);
    if (code == NULL)
        return answer(NULL);
    PyObject *bytes = PyMarshal_WriteObjectToString(code, Py_MARSHAL_VERSION);
    Py_DECREF(code);
    return answer(bytes);
}

/* wb_module takes C strings. */
int
EXPORT(wb_module)(const char *name, const char *filename, const char *source)
{
    PyObject *code = compiled(filename, source);
    PyObject *module = code ? PyImport_ExecCodeModuleEx(name, code, filename) : NULL;
    Py_XDECREF(code);
    if (module == NULL)
        return answer(NULL);
    Py_DECREF(module);
    return 0;
}

int
EXPORT(wb_request)(const char *data, size_t size)
{
    static PyObject *serve;
    if (serve == NULL) {
        PyObject *module = PyImport_ImportModule("_wb");
        if (module != NULL)
            serve = PyObject_GetAttrString(module, "serve");
        Py_XDECREF(module);
        if (serve == NULL)
            return answer(NULL);
    }
    return answer(PyObject_CallFunction(serve, "y#", data, (Py_ssize_t)size));
}
