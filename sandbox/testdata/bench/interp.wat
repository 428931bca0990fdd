;; A bytecode interpreter's loop: fetch, br_table, small cases, one helper call.
(module
  (memory (export "memory") 1)
  (data (i32.const 0) "\00\01\02\00\03\01\04\02\00\05")
  (func $helper (param $x i64) (result i64)
    (i64.add (i64.mul (local.get $x) (i64.const 6364136223846793005)) (i64.const 1442695040888963407)))
  (func (export "run") (param $n i32) (result i64)
    (local $pc i32) (local $acc i64) (local $aux i64)
    (block $halt
      (loop $next
        (block $op5 (block $op4 (block $op3 (block $op2 (block $op1 (block $op0
          (br_table $op0 $op1 $op2 $op3 $op4 $op5 (i32.load8_u (local.get $pc))))
          (local.set $acc (i64.add (local.get $acc) (i64.const 7)))
          (local.set $pc (i32.add (local.get $pc) (i32.const 1))) (br $next))
          (local.set $aux (i64.xor (local.get $aux) (local.get $acc)))
          (local.set $pc (i32.add (local.get $pc) (i32.const 1))) (br $next))
          (local.set $acc (i64.rotl (local.get $acc) (i64.const 5)))
          (local.set $pc (i32.add (local.get $pc) (i32.const 1))) (br $next))
          (i64.store offset=1024 (i32.const 0) (local.get $acc))
          (local.set $pc (i32.add (local.get $pc) (i32.const 1))) (br $next))
          (local.set $acc (call $helper (i64.add (local.get $aux) (i64.load offset=1024 (i32.const 0)))))
          (local.set $pc (i32.add (local.get $pc) (i32.const 1))) (br $next))
        (local.set $pc (i32.const 0))
        (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
    (local.get $acc)))
