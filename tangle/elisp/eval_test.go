package elisp

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// cases reads testdata/eval.txt: forms and their printed values.
func cases(t *testing.T) (forms, values []string) {
	text, err := os.ReadFile("testdata/eval.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if form, value, ok := strings.Cut(line, " ⇒ "); ok && !strings.HasPrefix(line, "# ") {
			forms, values = append(forms, form), append(values, value)
		}
	}
	if len(forms) < 100 {
		t.Fatalf("only %d cases", len(forms))
	}
	return forms, values
}

func TestEval(t *testing.T) {
	forms, values := cases(t)
	env := FileEnv("/home/u/doc.org", "/home/u")
	for i, form := range forms {
		v, err := Eval(form, env)
		if err != nil {
			t.Errorf("%s: %v", form, err)
		} else if got := Print(v); got != values[i] {
			t.Errorf("%s\n got %s\nwant %s", form, got, values[i])
		}
	}
}

// TestEvalConfirm lets Emacs judge the same cases.
func TestEvalConfirm(t *testing.T) {
	emacs, err := exec.LookPath("emacs")
	if err != nil {
		t.Skip("emacs is not installed: apt-get install emacs-nox")
	}
	forms, values := cases(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "forms")
	if err := os.WriteFile(file, []byte(strings.Join(forms, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	driver := `(progn (require 'subr-x) (set-language-environment "UTF-8")
	  (defun file-name-concat (&rest parts)
	    (mapconcat (lambda (p) (string-remove-suffix "/" p)) parts "/"))
	  (dolist (line (split-string (with-temp-buffer (insert-file-contents (getenv "FORMS")) (buffer-string)) "\n"))
	    (princ (format "%S\0" (condition-case err (eval (read line) t) (error (list 'ERROR err)))))))`
	cmd := exec.Command(emacs, "-Q", "--batch", "--eval", driver)
	cmd.Env = append(os.Environ(), "FORMS="+file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("emacs: %v\n%s", err, &stderr)
	}
	answers := strings.Split(string(out), "\x00")
	for i, form := range forms {
		if i >= len(answers) || answers[i] != values[i] {
			t.Errorf("%s: Emacs says %s, the case says %s", form, answers[min(i, len(answers)-1)], values[i])
		}
	}
}

func TestEvalRefuses(t *testing.T) {
	for form, want := range map[string]string{
		`(getenv "HOME")`:                "reads the environment",
		`(shell-command-to-string "rm")`: "starts a process",
		`(frobnicate 1)`:                 "not known here",
		`undefined-variable`:             "not known here",
		`(concat "a" 5)`:                 "expected a string",
		`(car 5)`:                        "expected a list",
		`(+ 1 "2")`:                      "expected a number",
		`(if)`:                           "at least 2 arguments",
		`(file-name-directory)`:          "takes 1 argument, given 0",
		`(identity`:                      "never closed",
		`"open`:                          "never closed",
		`(let ((f (lambda (f) (funcall f f)))) (funcall f f))`: "",
		`(/ 1 0)`:            "division by zero",
		`(setq tab-width 4)`: "may only change a variable bound",
	} {
		_, err := Eval(form, nil)
		var at *Error
		if err == nil || !errors.As(err, &at) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", form, err, want)
		}
	}
}

func TestErrorOffset(t *testing.T) {
	_, err := Eval(`(concat "a" (getenv "X"))`, nil)
	var at *Error
	if !errors.As(err, &at) || at.Offset != 12 || at.Hint == "" {
		t.Errorf("got %#v", at)
	}
}

func TestReadCell(t *testing.T) {
	env := FileEnv("/d/x.org", "")
	for text, want := range map[string]string{
		"5": "5", " 5 ": "5", "1.5": "1.5", "1e3": "1000.0", "0755": "755", "1 2": `"1 2"`,
		"1.2.3": `"1.2.3"`, "-": `"-"`, "e": `"e"`, `"quoted"`: `"quoted"`, `"a" "b"`: `"\"a\" \"b\""`,
		"plain text": `"plain text"`, "(+ 1 2)": "3", "'(1 2)": "(1 2)", "[1 2]": "[1 2]",
		"": `""`, "  ": `"  "`, "*this*": "nil", `"unfinished`: `"\"unfinished"`, "+": `"+"`, "12e": `"12e"`,
		"99999999999999999999": `"99999999999999999999"`,
	} {
		v, err := ReadCell(text, env)
		if err != nil || Print(v) != want {
			t.Errorf("%q: got %s %v, want %s", text, Print(v), err, want)
		}
	}
	if v, _ := ReadCell("(+ 1 2)", nil); Print(v) != `"(+ 1 2)"` {
		t.Errorf("a table cell was evaluated: %s", Print(v))
	}
}

func FuzzEval(f *testing.F) {
	text, err := os.ReadFile("testdata/eval.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if form, _, ok := strings.Cut(line, " ⇒ "); ok {
			f.Add(form)
		}
	}
	f.Add("((((((((((")
	f.Add(`(let ((s "ab")) (dolist (i (number-sequence 1 60)) (setq s (concat s s))))`)
	f.Fuzz(func(t *testing.T, form string) {
		env := FileEnv("/d/x.org", "/h")
		env.Steps = 2000
		v, err := Eval(form, env)
		if err != nil {
			var at *Error
			if !errors.As(err, &at) || at.Offset < 0 || at.Offset > len(form) {
				t.Fatalf("error without a place in the text: %#v", err)
			}
			return
		}
		if _, ok := v.(*closure); ok || strings.Contains(Print(v), "#<lambda>") {
			return
		}
		// What is printed reads back as the same value.
		printed := Print(v)
		// (An unquoted symbol @x prints as ,@x, in Emacs too.)
		if len(printed) > 1<<16 || strings.Contains(printed, ",@") || !strings.EqualFold(strings.ToValidUTF8(printed, ""), printed) {
			return
		}
		again, err := Read(printed)
		if err != nil {
			t.Fatalf("%q prints as %q, which does not read: %v", form, printed, err)
		}
		if Print(again) != printed {
			t.Fatalf("%q prints as %q, then as %q", form, printed, Print(again))
		}
	})
}
