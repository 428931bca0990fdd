;; Primes below n: byte stores with a stride.
(module
  (memory (export "memory") 512)
  (func (export "run") (param $n i32) (result i64)
    (local $i i32) (local $j i32) (local $count i64)
    (memory.fill (i32.const 0) (i32.const 0) (local.get $n))
    (local.set $i (i32.const 2))
    (block $done
      (loop $outer
        (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
        (if (i32.eqz (i32.load8_u (local.get $i)))
          (then
            (local.set $count (i64.add (local.get $count) (i64.const 1)))
            (if (i32.lt_u (local.get $i) (i32.const 46341))
              (then
                (local.set $j (i32.mul (local.get $i) (local.get $i)))
                (block $crossed
                  (loop $inner
                    (br_if $crossed (i32.ge_u (local.get $j) (local.get $n)))
                    (i32.store8 (local.get $j) (i32.const 1))
                    (local.set $j (i32.add (local.get $j) (local.get $i)))
                    (br $inner)))))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $outer)))
    (local.get $count)))
