;; The kernel shape: input at 4096, output at 8192, process(n) -> n in upper case.
(module
  (memory (export "memory") 2)
  (func (export "in_ptr") (result i32) (i32.const 4096))
  (func (export "out_ptr") (result i32) (i32.const 8192))
  (func (export "process") (param $n i32) (result i32)
    (local $i i32) (local $c i32)
    (block $end
      (loop $next
        (br_if $end (i32.ge_u (local.get $i) (local.get $n)))
        (local.set $c (i32.load8_u offset=4096 (local.get $i)))
        (if (i32.lt_u (i32.sub (local.get $c) (i32.const 97)) (i32.const 26))
          (then (local.set $c (i32.sub (local.get $c) (i32.const 32)))))
        (i32.store8 offset=8192 (local.get $i) (local.get $c))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (local.get $n)))
