package toolchain

import (
	"fmt"
	"strings"

	"wb/internal/diag"
	"wb/internal/nearest"
)

// UnavailableError says that a toolchain cannot be had here and now: the
// client that fetches it is missing, or the network is. The command line maps
// it to exit code 3.
type UnavailableError struct {
	Tool    string // toolchain name
	Command string // the exact command that was needed, as a person would type it
	Output  string // the last lines that command printed, "" when it did not start
	Fix     string // what to do about it
	Err     error
}

func (e *UnavailableError) Error() string {
	text := fmt.Sprintf("toolchain %s: %v: %s", e.Tool, e.Err, e.Command)
	if e.Output != "" {
		text += "\n" + indent(e.Output)
	}
	return text
}

// Unwrap gives the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *UnavailableError) Hint() string { return e.Fix }

// ExitCode is 3: a needed toolchain is unavailable.
func (e *UnavailableError) ExitCode() int { return diag.ExitUnavailable }

// IntegrityError says that bytes are not the ones pinned in this version of
// wb. Nothing of them has been used. The command line maps it to exit code 5.
type IntegrityError struct {
	Tool      string
	What      string // file or package
	Want, Got string // digests, written as the pin is
}

func (e *IntegrityError) Error() string {
	return fmt.Sprintf("toolchain %s: %s is not what was pinned: want %s, got %s", e.Tool, e.What, e.Want, e.Got)
}

// Hint says how to replace the damaged bytes.
func (e *IntegrityError) Hint() string { return "wb toolchain install --force " + e.Tool }

// ExitCode is 5: verification failed.
func (e *IntegrityError) ExitCode() int { return diag.ExitVerify }

// PackError says that a file is not a pack, or not as it was written. Nothing
// of what is wrong in it has been installed. The command line maps it to exit
// code 5.
type PackError struct {
	What string // what is wrong, for people
	Err  error  // the cause; nil when What says it all
}

func (e *PackError) Error() string { return e.What }

// Unwrap gives the cause.
func (e *PackError) Unwrap() error { return e.Err }

// Hint says where to get a good one.
func (e *PackError) Hint() string {
	return "copy it again, or make a new one where the toolchains are installed: wb toolchain pack FILE"
}

// ExitCode is 5: verification failed.
func (e *PackError) ExitCode() int { return diag.ExitVerify }

// SelfTestError says that a toolchain is complete but does not work here.
type SelfTestError struct {
	Tool string
	Err  error
}

func (e *SelfTestError) Error() string {
	return fmt.Sprintf("toolchain %s: self-test: %v", e.Tool, e.Err)
}

// Unwrap gives the cause.
func (e *SelfTestError) Unwrap() error { return e.Err }

// ExitCode is 5: verification failed.
func (e *SelfTestError) ExitCode() int { return diag.ExitVerify }

// UnknownError names an unregistered toolchain.
type UnknownError struct {
	Tool  string
	Known []string
}

func (e *UnknownError) Error() string { return fmt.Sprintf("unknown toolchain %q", e.Tool) }

// Hint names the one that was probably meant, else all.
func (e *UnknownError) Hint() string {
	if near := nearest.Word(e.Tool, e.Known); near != "" {
		return "did you mean " + near + "?"
	}
	return "known: " + strings.Join(e.Known, " ")
}

// ExitCode is 4: not found.
func (e *UnknownError) ExitCode() int { return diag.ExitNotFound }

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
