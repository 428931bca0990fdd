/* What Zig's library calls of WASI by its bare name, under which the linker does
   not look for an import: each is passed on to the import itself. */
#define I unsigned int
#define L unsigned long long
#define IMPORT(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))
#define CALL1(name, A) \
    IMPORT(name) I wb_##name(A); I name(A a) { return wb_##name(a); }
#define CALL2(name, A, B) \
    IMPORT(name) I wb_##name(A, B); I name(A a, B b) { return wb_##name(a, b); }
#define CALL3(name, A, B, C) \
    IMPORT(name) I wb_##name(A, B, C); I name(A a, B b, C c) { return wb_##name(a, b, c); }
#define CALL4(name, A, B, C, D) \
    IMPORT(name) I wb_##name(A, B, C, D); I name(A a, B b, C c, D d) { return wb_##name(a, b, c, d); }
#define CALL5(name, A, B, C, D, E) \
    IMPORT(name) I wb_##name(A, B, C, D, E); I name(A a, B b, C c, D d, E e) { return wb_##name(a, b, c, d, e); }
#define CALL6(name, A, B, C, D, E, F) \
    IMPORT(name) I wb_##name(A, B, C, D, E, F); I name(A a, B b, C c, D d, E e, F f) { return wb_##name(a, b, c, d, e, f); }

CALL2(args_get, I, I)
CALL2(args_sizes_get, I, I)
CALL2(clock_res_get, I, I)
CALL3(clock_time_get, I, L, I)
CALL2(environ_get, I, I)
CALL2(environ_sizes_get, I, I)
CALL3(fd_allocate, I, L, L)
CALL1(fd_close, I)
CALL1(fd_datasync, I)
CALL2(fd_fdstat_get, I, I)
CALL2(fd_filestat_get, I, I)
CALL2(fd_filestat_set_size, I, L)
CALL4(fd_filestat_set_times, I, L, L, I)
CALL5(fd_pread, I, I, I, L, I)
CALL2(fd_prestat_get, I, I)
CALL3(fd_prestat_dir_name, I, I, I)
CALL5(fd_pwrite, I, I, I, L, I)
CALL4(fd_read, I, I, I, I)
CALL5(fd_readdir, I, I, I, L, I)
CALL4(fd_seek, I, L, I, I)
CALL1(fd_sync, I)
CALL2(fd_tell, I, I)
CALL4(fd_write, I, I, I, I)
CALL3(path_create_directory, I, I, I)
CALL5(path_filestat_get, I, I, I, I, I)
CALL6(path_readlink, I, I, I, I, I, I)
CALL3(path_remove_directory, I, I, I)
CALL6(path_rename, I, I, I, I, I, I)
CALL5(path_symlink, I, I, I, I, I)
CALL3(path_unlink_file, I, I, I)
CALL4(poll_oneoff, I, I, I, I)
CALL2(random_get, I, I)
