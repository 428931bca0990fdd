"""Modules and functions that the sandbox cannot have, and what to use instead."""

import errno
import sys

NO_NETWORK = "there is no network in the sandbox; give the block data with :var or :in"
NO_PROCESS = "there are no processes in the sandbox; do it in a block of the language it is written in, and take its result with :var"
NO_THREADS = "there are no threads in the sandbox; call the function, or use a component for each input (wb run --map)"
NO_C = "it is written in C and cannot be loaded into the sandbox"
NO_SCREEN = "there is no screen in the sandbox"
MATPLOTLIB = "it is a toolchain of its own: wb toolchain install matplotlib; or draw with a plot block that takes this block's table"

MODULES = {
    "socket": NO_NETWORK, "ssl": NO_NETWORK, "socketserver": NO_NETWORK, "asyncore": NO_NETWORK, "asynchat": NO_NETWORK,
    "_socket": NO_NETWORK, "_ssl": NO_NETWORK, "ftplib": NO_NETWORK, "smtplib": NO_NETWORK, "imaplib": NO_NETWORK,
    "poplib": NO_NETWORK, "telnetlib": NO_NETWORK, "nntplib": NO_NETWORK, "xmlrpc": NO_NETWORK, "wsgiref": NO_NETWORK,
    "webbrowser": NO_NETWORK, "requests": NO_NETWORK, "httpx": NO_NETWORK, "aiohttp": NO_NETWORK, "urllib3": NO_NETWORK,
    "multiprocessing": NO_PROCESS, "_posixsubprocess": NO_PROCESS, "pty": NO_PROCESS,
    "ctypes": NO_C, "_ctypes": NO_C, "mmap": "files in the sandbox are not mapped; read them", "fcntl": "files in the sandbox have no locks",
    "bz2": "only zlib and gzip are built in", "lzma": "only zlib and gzip are built in",
    "tkinter": NO_SCREEN, "turtle": NO_SCREEN, "curses": NO_SCREEN, "idlelib": NO_SCREEN, "readline": NO_SCREEN,
    "pwd": "there are no users in the sandbox", "grp": "there are no users in the sandbox", "termios": NO_SCREEN, "tty": NO_SCREEN,
    "resource": "limits are those of the block: :memory, :fuel, :timeout",
    "numpy": "it is a toolchain of its own: wb toolchain install numpy, and import it in the block itself",
    "pandas": NO_C + "; use numpy, csv and statistics, or tables (:var) in a sql block",
    "scipy": NO_C + "; use numpy (numpy.linalg, numpy.fft, numpy.random), sympy, math and statistics",
    "matplotlib": MATPLOTLIB, "PIL": MATPLOTLIB, "pylab": MATPLOTLIB, "mpl_toolkits": MATPLOTLIB,
    "seaborn": NO_C + "; use matplotlib, or draw with a plot block",
    "sklearn": NO_C + "; use numpy",
    "polars": NO_C + "; use csv and tables (:var)", "cv2": NO_C, "torch": NO_C, "tensorflow": NO_C, "lxml": NO_C + "; use xml.etree",
    "distutils": "packages are not built here; put pure Python ones into a directory and name it with :dir",
    "pip": "packages are not installed here; put pure Python ones into a directory and name it with :dir",
}

ERRORS = {
    "ZoneInfoNotFoundError": "the sandbox has no time zones but UTC; use datetime.timezone(timedelta(hours=…))",
}

PURE = "it is not in the sandbox; put a package that is pure Python into a directory and name that with :dir"


def why(name):
    """What to do without the module of that name, or None."""
    root = (name or "").partition(".")[0]
    if root in MODULES:
        return MODULES[root]
    return None if not root or root in sys.stdlib_module_names else PURE


def _refuse_process(*args, **kwargs):
    raise OSError(errno.ENOTSUP, NO_PROCESS)


def _refuse_thread(*args, **kwargs):
    raise RuntimeError(f"can't start new thread: {NO_THREADS}")


def install():
    import _thread
    import os
    import threading

    _thread.start_new_thread = _thread.start_new = threading._start_new_thread = _refuse_thread
    for name in ("system", "popen", "fork", "execv", "execve", "spawnv", "spawnl", "posix_spawn"):
        setattr(os, name, _refuse_process)
    os.getpid = lambda: 1
    import subprocess

    subprocess.Popen.__init__ = _refuse_process
    subprocess.Popen.__del__ = lambda self: None
