;; Copies stdin to stdout, 4 KiB at a time; exits with the error if there is one.
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func $check (param $errno i32)
    (if (local.get $errno) (then (call $exit (local.get $errno)))))
  (func (export "_start")
    (i32.store (i32.const 0) (i32.const 1024))
    (block $end
      (loop $next
        (i32.store (i32.const 4) (i32.const 4096))
        (call $check (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
        (br_if $end (i32.eqz (i32.load (i32.const 8))))
        (i32.store (i32.const 4) (i32.load (i32.const 8)))
        (call $check (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
        (br $next)))))
