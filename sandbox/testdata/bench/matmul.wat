;; C = A * B for n by n doubles at 0, 4 MiB and 8 MiB; the sum of C's bits.
(module
  (memory (export "memory") 192)
  (func $fill (param $n i32)
    (local $i i32)
    (loop $next
      (f64.store (i32.shl (local.get $i) (i32.const 3)) (f64.convert_i32_u (i32.and (local.get $i) (i32.const 15))))
      (f64.store offset=4194304 (i32.shl (local.get $i) (i32.const 3)) (f64.convert_i32_u (i32.and (local.get $i) (i32.const 7))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1)))
                             (i32.mul (local.get $n) (local.get $n))))))
  (func (export "run") (param $n i32) (result i64)
    (local $i i32) (local $j i32) (local $k i32) (local $row i32) (local $a i32) (local $b i32)
    (local $sum f64) (local $total f64)
    (call $fill (local.get $n))
    (local.set $row (i32.shl (local.get $n) (i32.const 3)))
    (loop $rows
      (local.set $j (i32.const 0))
      (loop $cols
        (local.set $sum (f64.const 0))
        (local.set $k (local.get $n))
        (local.set $a (i32.mul (local.get $i) (local.get $row)))
        (local.set $b (i32.shl (local.get $j) (i32.const 3)))
        (loop $dot
          (local.set $sum (f64.add (local.get $sum)
            (f64.mul (f64.load (local.get $a)) (f64.load offset=4194304 (local.get $b)))))
          (local.set $a (i32.add (local.get $a) (i32.const 8)))
          (local.set $b (i32.add (local.get $b) (local.get $row)))
          (br_if $dot (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
        (f64.store offset=8388608
          (i32.add (i32.mul (local.get $i) (local.get $row)) (i32.shl (local.get $j) (i32.const 3)))
          (local.get $sum))
        (local.set $total (f64.add (local.get $total) (local.get $sum)))
        (br_if $cols (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 1))) (local.get $n))))
      (br_if $rows (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (i64.reinterpret_f64 (local.get $total))))
