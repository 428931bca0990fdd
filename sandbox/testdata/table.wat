;; Grows its table: state that a snapshot cannot hold.
(module
  (memory (export "memory") 1)
  (table $t 1 funcref)
  (func (export "grow") (param $n i32) (result i32) (table.grow $t (ref.null func) (local.get $n))))
