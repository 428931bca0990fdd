package trace

import "time"

// orgTime is how events.org writes a moment, in local time.
const orgTime = "[2006-01-02 Mon 15:04:05]"

// parseOrgTime reads a timestamp as orgTime writes it. The day's name may be
// in any language or missing, the seconds or the whole time may be missing.
func parseOrgTime(text []byte) (time.Time, bool) {
	if len(text) < len("[2006-01-02]") || text[0] != '[' && text[0] != '<' {
		return time.Time{}, false
	}
	text = text[1 : len(text)-1]
	year, ok1 := digits(text, 0, 4)
	month, ok2 := digits(text, 5, 2)
	day, ok3 := digits(text, 8, 2)
	if !ok1 || !ok2 || !ok3 || text[4] != '-' || text[7] != '-' {
		return time.Time{}, false
	}
	hour, minute, second := clock(text[10:])
	return time.Date(year, time.Month(month), day, hour, minute, second, 0, time.Local), true
}

// clock finds the last HH:MM or HH:MM:SS in text; none is midnight.
func clock(text []byte) (hour, minute, second int) {
	for i := len(text) - 5; i >= 0; i-- {
		h, ok1 := digits(text, i, 2)
		m, ok2 := digits(text, i+3, 2)
		if !ok1 || !ok2 || text[i+2] != ':' || i > 0 && text[i-1] != ' ' {
			continue
		}
		if i+8 <= len(text) && text[i+5] == ':' {
			second, _ = digits(text, i+6, 2)
		}
		return h, m, second
	}
	return 0, 0, 0
}

// digits reads n decimal digits at an offset.
func digits(text []byte, at, n int) (number int, ok bool) {
	if at+n > len(text) {
		return 0, false
	}
	for _, c := range text[at : at+n] {
		if c < '0' || c > '9' {
			return 0, false
		}
		number = 10*number + int(c-'0')
	}
	return number, true
}
