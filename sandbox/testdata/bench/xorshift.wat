;; A tight loop on registers.
(module
  (memory (export "memory") 1)
  (func (export "run") (param $n i32) (result i64)
    (local $x i64)
    (local.set $x (i64.const 88172645463325252))
    (loop $next
      (local.set $x (i64.xor (local.get $x) (i64.shl (local.get $x) (i64.const 13))))
      (local.set $x (i64.xor (local.get $x) (i64.shr_u (local.get $x) (i64.const 7))))
      (local.set $x (i64.xor (local.get $x) (i64.shl (local.get $x) (i64.const 17))))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $x)))
