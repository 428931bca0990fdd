package js

import "flag"

var update = flag.Bool("update", false, "renew what node and Emacs say in testdata")
