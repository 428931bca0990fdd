/* configmake.h - directories of an installation; config.h has the one that matters. */
