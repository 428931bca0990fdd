;;; name = "shout"
;;; description = "a text in upper case"
;;; [[args]]
;;; name = "text"
;;; type_hint = "string"
;;; description = "what to shout"
(argv 0 $text)
(call $str.upper (local.get $text))
(local $err i32) (local $loud i32)
(local.set $err) (local.set $loud)
(check $err)
(resv $loud)
(i32.const 0)
