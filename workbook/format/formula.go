package format

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"wb/internal/lazyregexp"
)

var (
	columnTarget = lazyregexp.New(`^\$(\d+|<+|>+)$`)
	rowTarget    = lazyregexp.New(`^@(\d+|<+|>+)$`)
	fieldTarget  = lazyregexp.New(`^@(\d+|<+|>+)\$(\d+|<+|>+)$`)
	areaTarget   = lazyregexp.New(`^@(\d+|<+|>+)\$(\d+|<+|>+)\.\.@(\d+|<+|>+)\$(\d+|<+|>+)$`)
	calcFlag     = lazyregexp.New(`([pnfse])(-?\d+)`)
	orgFlag      = lazyregexp.New(`[tTUNLEDRFSu]`)
	printfFlag   = lazyregexp.New(`^[^%]*%[-+ 0]*\d{0,2}(?:\.\d{1,2})?[dfs][^%]*$`)
)

// parseMode reads what stands behind the semicolon.
func parseMode(text string) (mode, error) {
	m := mode{fixed: -1}
	for _, flag := range calcFlag.FindAllStringSubmatch(text, -1) {
		digits, err := strconv.Atoi(flag[2])
		if flag[1] != "f" || err != nil || digits < 0 || digits > 20 {
			return m, fmt.Errorf("format %q", text)
		}
		m.fixed = digits
	}
	rest := calcFlag.ReplaceAllString(text, "")
	for _, flag := range orgFlag.FindAllString(rest, -1) {
		switch flag {
		case "t", "T", "U":
			m.duration, m.numbers = flag[0], true
		case "N":
			m.numbers = true
		case "E":
			m.keepEmpty = true
		default:
			return m, fmt.Errorf("format %q", text)
		}
	}
	if rest = strings.TrimSpace(orgFlag.ReplaceAllString(rest, "")); rest != "" {
		if !printfFlag.MatchString(rest) {
			return m, fmt.Errorf("format %q", text)
		}
		m.printf = rest
	}
	return m, nil
}

// formulas reads a #+TBLFM: value: column formulas first, each group in the
// order of its targets' names, which is the order Org computes them in. What
// cannot be read is reported, and the others are returned.
func (s *sheet) formulas(text string) ([]formula, []error) {
	var list []formula
	var failed []error
	for _, part := range strings.Split(text, "::") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		target, expr, ok := strings.Cut(part, "=")
		if !ok {
			failed = append(failed, fmt.Errorf("%q is not a formula", part))
			continue
		}
		f := formula{target: strings.TrimSpace(target), expr: expr, mode: mode{fixed: -1}}
		var err error
		if i := strings.LastIndexByte(expr, ';'); i >= 0 {
			f.expr = expr[:i]
			f.mode, err = parseMode(strings.TrimSpace(expr[i+1:]))
		}
		var aimed []formula
		if err == nil {
			aimed, err = s.aim(f)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", f.target, err))
			continue
		}
		for _, one := range aimed {
			if slices.ContainsFunc(list, func(o formula) bool { return o.row == one.row && o.col == one.col }) {
				failed = append(failed, fmt.Errorf("%s is set twice", f.target))
				break
			}
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b formula) int {
		switch {
		case a.row < 0 && b.row >= 0:
			return -1
		case a.row >= 0 && b.row < 0:
			return 1
		}
		return strings.Compare(a.target, b.target)
	})
	return list, failed
}

// aim finds the fields that a formula sets.
func (s *sheet) aim(f formula) ([]formula, error) {
	rows, cols := [2]int{-1, -1}, [2]int{}
	if m := columnTarget.FindStringSubmatch(f.target); m != nil {
		cols = [2]int{edge(m[1], s.width), edge(m[1], s.width)}
	} else if m := rowTarget.FindStringSubmatch(f.target); m != nil {
		rows, cols = [2]int{edge(m[1], len(s.data)), edge(m[1], len(s.data))}, [2]int{0, s.width - 1}
	} else if m := fieldTarget.FindStringSubmatch(f.target); m != nil {
		rows, cols = [2]int{edge(m[1], len(s.data)), edge(m[1], len(s.data))}, [2]int{edge(m[2], s.width), edge(m[2], s.width)}
	} else if m := areaTarget.FindStringSubmatch(f.target); m != nil {
		rows, cols = [2]int{edge(m[1], len(s.data)), edge(m[3], len(s.data))}, [2]int{edge(m[2], s.width), edge(m[4], s.width)}
	} else {
		return nil, fmt.Errorf("target %q is not understood", f.target)
	}
	slices.Sort(rows[:])
	slices.Sort(cols[:])
	if !columnTarget.MatchString(f.target) && (rows[0] < 0 || rows[1] >= len(s.data)) || cols[0] < 0 || cols[1] >= s.width {
		return nil, fmt.Errorf("%s is outside the table", f.target)
	}
	var all []formula
	for f.row = rows[0]; f.row <= rows[1]; f.row++ {
		for f.col = cols[0]; f.col <= cols[1]; f.col++ {
			all = append(all, f)
		}
	}
	return all, nil
}

// edge turns "3", "<", ">" or ">>" into a zero-based index among n.
func edge(text string, n int) int {
	switch text[0] {
	case '<':
		return len(text) - 1
	case '>':
		return n - len(text)
	}
	i, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return i - 1
}

// print writes a value as the mode says.
func (m mode) print(v value) (string, error) {
	if v.isText {
		return v.text, nil
	}
	if v.nan {
		return "nan", nil
	}
	if m.duration != 0 {
		return duration(v.number, m.duration), nil
	}
	text, err := v.print()
	if m.fixed >= 0 && v.float {
		text, err = v.fixedText(m.fixed), nil
		if v.value().Sign() != 0 && strings.Trim(text, "-0.") == "" {
			err = errors.New("the result needs an exponent")
		}
	}
	if m.printf == "" || err != nil && (!v.float || m.fixed >= 0) {
		return text, err
	}
	x, _ := v.value().Float64()
	switch m.printf[strings.IndexAny(m.printf, "dfs")] {
	case 'd':
		return fmt.Sprintf(m.printf, int64(x)), nil
	case 's':
		return fmt.Sprintf(m.printf, strconv.FormatFloat(x, 'g', -1, 64)), nil
	}
	return fmt.Sprintf(m.printf, x), nil
}

// fixedText is a number with so many digits behind the point.
func (n number) fixedText(digits int) string {
	text := n.value().FloatString(digits)
	if digits == 0 {
		text += "."
	}
	return text
}

var (
	hms = lazyregexp.New(`(-?)(\d+):(\d+):(\d+)`)
	hm  = lazyregexp.New(`(-?)(\d+):(\d+)`)
)

// seconds turns HH:MM:SS and HH:MM in a field into a number.
func seconds(field string) string {
	for i, form := range []*lazyregexp.Regexp{hms, hm} {
		m := form.FindStringSubmatch(field)
		if m == nil || i == 1 && strings.ContainsAny(field, "<[") {
			continue
		}
		total := 0
		for k, unit := range []int{3600, 60, 1} {
			if k+2 < len(m) {
				n, err := strconv.Atoi(m[k+2])
				if err != nil || n > 1e9 {
					return field
				}
				total += n * unit
			}
		}
		return m[1] + strconv.Itoa(total)
	}
	return field
}

// duration writes seconds as HH:MM:SS, HH:MM or hours.
func duration(n number, form byte) string {
	sign := ""
	v := new(big.Rat).Set(n.value())
	if v.Sign() < 0 {
		sign = "-"
		v.Neg(v)
	}
	exact, _ := v.Float64()
	whole := int64(math.RoundToEven(exact))
	switch form {
	case 't':
		return fmt.Sprintf("%s%.2f", sign, exact/3600)
	case 'U':
		return fmt.Sprintf("%s%02d:%02d", sign, whole/3600, whole/60%60)
	}
	return fmt.Sprintf("%s%02d:%02d:%02d", sign, whole/3600, whole/60%60, whole%60)
}
