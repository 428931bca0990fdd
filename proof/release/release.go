// Package release checks what wb itself is given out as: files with a signature beside
// them, such as packs of toolchains, and executables, whose digests stand in a signed
// list.
//
// The list, [Binaries], has a line for each executable, as sha256sum writes it:
//
//	3fa9…  linux-amd64/wb
//	77c0…  windows-amd64/wb.exe
//
// It lies with its signature, BINARIES.sig, in each archive of a release, beside the
// executables. A signature says which key signed, not whose that is: callers say whom
// they expect, or show the key to the user.
package release

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"wb/internal/diag"
	"wb/internal/sha"
	"wb/proof/fetch"
	"wb/proof/manifest"
	"wb/proof/verify"
)

// Binaries is the name of the list of executables.
const Binaries = "BINARIES"

// UnsignedError says that there is no signature where one is needed.
type UnsignedError struct{ Path string }

func (e *UnsignedError) Error() string { return e.Path + ": no signature lies beside it" }

// Hint says where one comes from.
func (e *UnsignedError) Hint() string { return "its maker can sign it: wb sign " + path.Base(e.Path) }

// ExitCode is that of what cannot be verified.
func (e *UnsignedError) ExitCode() int { return diag.ExitVerify }

// UnlistedError says that a valid list does not know an executable.
type UnlistedError struct{ Path, List, Digest string }

func (e *UnlistedError) Error() string {
	return fmt.Sprintf("%s: %s lists no executable with its digest %s", e.Path, e.List, e.Digest)
}

// Hint says what that can mean.
func (e *UnlistedError) Hint() string {
	return "it was built elsewhere or changed; another release may list it: --from"
}

// ExitCode is that of what is not as it was signed.
func (e *UnlistedError) ExitCode() int { return diag.ExitVerify }

// Remote reports whether a place is the address of a server.
func Remote(at string) bool {
	return strings.HasPrefix(at, "https://") || strings.HasPrefix(at, "http://")
}

// File reads a file, from disk or a server, and checks the signature beside it; want is
// the did:key that must have signed, "" for anybody. The data is to be used only if err
// is nil.
func File(ctx context.Context, at, want string) (data []byte, by *verify.Report, err error) {
	signature, err := read(ctx, at+manifest.DetachedSuffix)
	if diag.ExitOf(err) == diag.ExitNotFound {
		if _, missing := read(ctx, at); diag.ExitOf(missing) == diag.ExitNotFound {
			return nil, nil, missing
		}
		return nil, nil, &UnsignedError{at}
	}
	if err != nil {
		return nil, nil, err
	}
	if data, err = read(ctx, at); err != nil {
		return nil, nil, err
	}
	by = verify.Detached(data, signature, verify.Options{Want: want})
	if !by.Valid {
		return nil, by, fmt.Errorf("%s: %w", at, by.Err())
	}
	return data, by, nil
}

func read(ctx context.Context, at string) ([]byte, error) {
	if Remote(at) {
		return fetch.File(ctx, at, true)
	}
	data, err := os.ReadFile(at)
	if errors.Is(err, fs.ErrNotExist) {
		err = diag.NotFoundf("", "%s: no such file", at)
	}
	return data, err
}

// Executable checks that a signed list knows an executable, and says as what.
func Executable(ctx context.Context, file, list, want string) (as string, by *verify.Report, err error) {
	text, by, err := File(ctx, list, want)
	if err != nil {
		return "", by, err
	}
	digest, _, err := sha.File(file)
	if err != nil {
		return "", by, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if listed, name, ok := strings.Cut(lines.Text(), "  "); ok && listed == digest {
			return name, by, nil
		}
	}
	return "", by, &UnlistedError{file, list, digest}
}
