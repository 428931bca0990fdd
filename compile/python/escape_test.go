package python

import "testing"

func TestTableOrText(t *testing.T) {
	for text, want := range map[string]string{
		"None":                         `"None"`,
		"5":                            `5`,
		"1.50":                         `1.5`,
		"abc":                          `"abc"`,
		"[]":                           `null`,
		"[1, 2, 3]":                    `[1,2,3]`,
		"(1, 2)":                       `[1,2]`,
		"[[1, 'a'], None, [2.5, 'b']]": `[[1,"a"],{"$hline":true},[2.5,"b"]]`,
		"[[None, True]]":               `[["None","True"]]`,
		"{'a': 1}":                     `"{'a': 1}"`,
		"[{'a': 1}]":                   `[["a",":",1]]`,
		`["it's", 'say "hi"']`:         `["it's","say \"hi\""]`,
		`['a\\b', 'c\nd']`:             `["a\\b","c\\nd"]`,
		"'quoted'":                     `"quoted"`,
		"'5'":                          `"5"`,
		"[('a', 1), ('b', 2)]":         `[["a",1],["b",2]]`,
		"[datetime.date(2020, 1, 1)]":  `["datetime.date",[2020,1,1]]`,
		"[<f at 0x1>, '#']":            `["<f","at","0x1>","#"]`,
		"[1":                           `"[1"`,
		"[]]":                          `null`,
		"":                             `""`,
	} {
		if got := tableOrText(text).String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func FuzzTableOrText(f *testing.F) {
	for _, seed := range []string{"[1, 2]", "{'a': [1]}", `["it's", '\\']`, "(1 . 2)", "[?a]", "'a' 'b'", "[[[[", "[1e400, -0.0, 99999999999999999999]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { tableOrText(text) })
}
