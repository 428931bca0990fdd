;; Writes to stdout for ever.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 64) "all work and no play makes jack a dull boy\n")
  (func (export "_start")
    (i32.store (i32.const 0) (i32.const 64))
    (i32.store (i32.const 4) (i32.const 43))
    (loop $more
      ;; ends only when the reader has gone: 64 is EPIPE
      (br_if $more (i32.ne (i32.const 64)
        (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))))
