;; Exits with 7 in its start function, before _start.
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func $init (call $exit (i32.const 7)))
  (start $init)
  (func (export "_start") unreachable))
