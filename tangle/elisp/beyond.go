package elisp

// machineFunctions explains functions that authors use and whose values depend on the
// machine, the moment or its user.
var machineFunctions = map[Symbol]string{
	"getenv":                  "reads the environment",
	"shell-command-to-string": "starts a process",
	"shell-command":           "starts a process",
	"call-process":            "starts a process",
	"process-lines":           "starts a process",
	"file-exists-p":           "looks at the disk",
	"file-readable-p":         "looks at the disk",
	"file-directory-p":        "looks at the disk",
	"file-attributes":         "looks at the disk",
	"directory-files":         "looks at the disk",
	"executable-find":         "looks at the disk",
	"file-truename":           "looks at the disk",
	"locate-user-emacs-file":  "needs an Emacs configuration",
	"current-time":            "reads the clock",
	"current-time-string":     "reads the clock",
	"format-time-string":      "reads the clock",
	"float-time":              "reads the clock",
	"random":                  "is not deterministic",
	"make-temp-file":          "writes to the disk",
	"org-babel-temp-file":     "writes to the disk",
	"read-string":             "asks the user",
	"y-or-n-p":                "asks the user",
	"yes-or-no-p":             "asks the user",
	"completing-read":         "asks the user",
}

// emacsFunctions explains functions that need an Emacs.
var emacsFunctions = map[Symbol]string{
	"require":               "loads Emacs code",
	"load":                  "loads Emacs code",
	"load-file":             "loads Emacs code",
	"buffer-string":         "needs an Emacs buffer",
	"buffer-substring":      "needs an Emacs buffer",
	"point":                 "needs an Emacs buffer",
	"eval":                  "evaluates text",
	"funcall-interactively": "needs an Emacs session",
}

func unknownFunction(name Symbol) *Error {
	why, ok := machineFunctions[name]
	if !ok {
		why, ok = emacsFunctions[name]
	}
	if ok {
		err := failf("the function %s %s, which is not possible here", name, why)
		err.Hint = "write the value itself, or let a block compute it and refer to the block"
		return err
	}
	err := failf("the function %s is not known here", name)
	err.Hint = "constants, conditionals, strings, lists, arithmetic and file names are known"
	return err
}

// AsksMachine is the error about the first function in a form that depends on
// the machine, the moment or the user; nil when none does, or when the form
// cannot be read.
func AsksMachine(src string) error {
	r := reader{src: src, places: map[*Cons]int{}}
	form, err := r.value(0)
	if err != nil {
		return nil
	}
	todo := []Value{form}
	for len(todo) > 0 {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		call, ok := last.(*Cons)
		if !ok {
			continue
		}
		if name, ok := call.Car.(Symbol); ok && machineFunctions[name] != "" {
			err := unknownFunction(name)
			err.Offset = r.places[call]
			return err
		}
		todo = append(todo, call.Cdr, call.Car)
	}
	return nil
}
