;; Quicksort of n random words: recursion, loops, data-dependent branches.
(module
  (memory (export "memory") 128)
  (func $sort (param $lo i32) (param $hi i32)
    (local $i i32) (local $j i32) (local $pivot i32) (local $t i32)
    (if (i32.ge_s (local.get $lo) (local.get $hi)) (then (return)))
    (local.set $i (local.get $lo))
    (local.set $j (local.get $hi))
    (local.set $pivot (i32.load (i32.and (i32.shr_u (i32.add (local.get $lo) (local.get $hi)) (i32.const 1)) (i32.const -4))))
    (loop $partition
      (loop $up
        (if (i32.lt_u (i32.load (local.get $i)) (local.get $pivot))
          (then (local.set $i (i32.add (local.get $i) (i32.const 4))) (br $up))))
      (loop $down
        (if (i32.gt_u (i32.load (local.get $j)) (local.get $pivot))
          (then (local.set $j (i32.sub (local.get $j) (i32.const 4))) (br $down))))
      (if (i32.le_s (local.get $i) (local.get $j))
        (then
          (local.set $t (i32.load (local.get $i)))
          (i32.store (local.get $i) (i32.load (local.get $j)))
          (i32.store (local.get $j) (local.get $t))
          (local.set $i (i32.add (local.get $i) (i32.const 4)))
          (local.set $j (i32.sub (local.get $j) (i32.const 4)))))
      (br_if $partition (i32.le_s (local.get $i) (local.get $j))))
    (call $sort (local.get $lo) (local.get $j))
    (call $sort (local.get $i) (local.get $hi)))
  (func (export "run") (param $n i32) (result i64)
    (local $i i32) (local $x i32)
    (local.set $x (i32.const 12345))
    (loop $fill
      (local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1103515245)) (i32.const 12345)))
      (i32.store (i32.shl (local.get $i) (i32.const 2)) (local.get $x))
      (br_if $fill (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (call $sort (i32.const 0) (i32.shl (i32.sub (local.get $n) (i32.const 1)) (i32.const 2)))
    (i64.load (i32.shl (i32.shr_u (local.get $n) (i32.const 1)) (i32.const 2)))))
