package oql

// sieve is a screen bound to a file.
type sieve struct {
	none  bool             // no row of the file matches
	row   func(i int) bool // nil passes every row
	exact bool             // passing means matching
}

// Verdicts about whole files.
var (
	passes = sieve{}                        // judges nothing
	all    = sieve{exact: true}             // every row matches
	nobody = sieve{none: true, exact: true} // no row matches
)

// rows makes a sieve that judges each row exactly.
func rows(row func(i int) bool) sieve { return sieve{row: row, exact: true} }

// suspects makes a sieve whose verdict has to be confirmed.
func suspects(row func(i int) bool) sieve { return sieve{row: row} }

// not passes what a sieve does not, if that is sure.
func (s sieve) not() sieve {
	switch {
	case !s.exact:
		return passes
	case s.none:
		return all
	case s.row == nil:
		return nobody
	}
	return rows(func(i int) bool { return !s.row(i) })
}

// allSieves passes what every sieve passes.
func allSieves(list []sieve) sieve {
	out := sieve{exact: true}
	var tests []func(int) bool
	for _, s := range list {
		if s.none {
			return nobody
		}
		out.exact = out.exact && s.exact
		if s.row != nil {
			tests = append(tests, s.row)
		}
	}
	switch len(tests) {
	case 0:
	case 1:
		out.row = tests[0]
	default:
		out.row = func(i int) bool {
			for _, t := range tests {
				if !t(i) {
					return false
				}
			}
			return true
		}
	}
	return out
}

// anySieve passes what some sieve passes.
func anySieve(list []sieve) sieve {
	out := sieve{none: true, exact: true}
	var tests []func(int) bool
	everything := false
	for _, s := range list {
		switch {
		case s.none:
			continue
		case s.row == nil && s.exact:
			return all
		}
		out.none = false
		out.exact = out.exact && s.exact
		everything = everything || s.row == nil
		tests = append(tests, s.row)
	}
	if !everything && !out.none {
		out.row = func(i int) bool {
			for _, t := range tests {
				if t(i) {
					return true
				}
			}
			return false
		}
	}
	return out
}
