;; Ways to use too much.
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (global $sp (mut i32) (i32.const 65536))

  (func (export "spin") (loop $again (br $again)))
  ;; without a loop: mutual recursion by tail calls would do, plain recursion runs out of stack
  (func $recurse (export "recurse") (param $n i64) (result i64)
    (i64.add (i64.const 1) (call $recurse (i64.add (local.get $n) (i64.const 1)))))
  ;; n iterations, nothing else
  (func (export "count") (param $n i32)
    (loop $again
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
  ;; a C function's frames: 1 KiB of the stack below 64 KiB each
  (func $frames (export "frames") (param $n i32) (result i32)
    (local $fp i32)
    (global.set $sp (local.tee $fp (i32.sub (global.get $sp) (i32.const 1024))))
    (i32.store (local.get $fp) (local.get $n))
    (if (local.get $n) (then (drop (call $frames (i32.sub (local.get $n) (i32.const 1))))))
    (global.set $sp (i32.add (local.get $fp) (i32.const 1024)))
    (i32.load (local.get $fp)))
  (func (export "grow") (param $pages i32) (result i32) (memory.grow (local.get $pages)))
  ;; grow until refused, then fail as malloc callers do
  (func (export "hog_abort")
    (loop $more (br_if $more (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
    unreachable)
  (func (export "hog_exit")
    (loop $more (br_if $more (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
    (call $exit (i32.const 1)))
  (func (export "fill") (param $n i32) (memory.fill (i32.const 0) (i32.const 7) (local.get $n)))
  (func (export "fills") (param $n i32)
    (loop $more (memory.fill (i32.const 0) (i32.const 7) (local.get $n)) (br $more)))
  (func (export "divide") (param $a i32) (param $b i32) (result i32) (i32.div_s (local.get $a) (local.get $b)))
  (func $inner unreachable)
  (func $outer (export "trap") (call $inner))
  (func (export "flood")
    (i32.store (i32.const 0) (i32.const 64))
    (i32.store (i32.const 4) (i32.const 60000))
    (loop $more
      (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
      (br $more)))
  (func (export "peek") (param $p i32) (result i32) (i32.load (local.get $p)))
  (func (export "poke") (param $p i32) (param $v i32) (i32.store (local.get $p) (local.get $v)))
  (func (export "sp") (result i32) (global.get $sp))
  (func (export "set_sp") (param $v i32) (global.set $sp (local.get $v))))
