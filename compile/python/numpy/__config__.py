"""How this numpy was built: without a BLAS or LAPACK of the system's."""


def get_info(name):
    return {}


def show():
    print("numpy 1.24.2, built for WebAssembly by wb: lapack_lite and no BLAS, no SIMD dispatch")
