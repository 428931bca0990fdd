;; Prints its first argument and exits with 3.
(module
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    (drop (call $sizes (i32.const 0) (i32.const 4)))
    (drop (call $args (i32.const 16) (i32.const 256)))
    ;; one vector: the bytes of all arguments
    (i32.store (i32.const 8) (i32.const 256))
    (i32.store (i32.const 12) (i32.load (i32.const 4)))
    (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 0)))
    (call $exit (i32.const 3))))
