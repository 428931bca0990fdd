//go:build long

package replica

import (
	"os"
	"strings"
	"testing"

	"wb/internal/diag"
)

// TestS3 does with a real server what the other tests do with a directory, under
// a prefix of its own: WB_S3_TARGET names a bucket, s3://BUCKET, and the environment of
// AWS the server and the credentials (just s3-volumes). Names that S3 escapes are in
// the prefix.
func TestS3(t *testing.T) {
	base := os.Getenv("WB_S3_TARGET")
	if base == "" {
		t.Skip("WB_S3_TARGET names no bucket: just s3-volumes")
	}
	open := func(to string, getenv func(string) string) Target {
		target, err := Open(Config{To: to, Getenv: getenv})
		if err != nil {
			t.Fatal(err)
		}
		return target
	}
	base += "/" + strings.ReplaceAll(t.TempDir()[1:], "/", "-") + " ü+%"
	t.Run("copy", func(t *testing.T) { copyAndRestore(t, open(base+"/copy", os.Getenv)) })
	t.Run("pages", func(t *testing.T) { // more than a listing holds
		to := open(base+"/pages", os.Getenv)
		s := newStore(t)
		big := make([]byte, 16<<20)
		for f := range 5 {
			for i := range big {
				big[i] = byte(i >> 12 * (f + 3) % 251)
			}
			if err := s.WriteFile(t.Context(), "memory:big"+string(rune('a'+f)), big); err != nil {
				t.Fatal(err)
			}
		}
		g := copyOf(t, to, s)
		chunks, err := to.List(t.Context(), g.Line+"/chunks")
		if err != nil || len(chunks) < 1001 {
			t.Errorf("%d chunks are listed, %v", len(chunks), err)
		}
		restored(t, to, Choice{})
	})
	t.Run("kill", func(t *testing.T) { killed(t, base+"/kill", nil) })
	t.Run("wrong secret", func(t *testing.T) {
		const wrong = "this-is-not-the-secret"
		to := open(base, func(name string) string {
			if name == "AWS_SECRET_ACCESS_KEY" {
				return wrong
			}
			return os.Getenv(name)
		})
		err := to.Put(t.Context(), "x", nil)
		if err == nil || diag.HintOf(err) == "" || strings.Contains(err.Error(), wrong) || strings.Contains(err.Error(), "AWS4-HMAC") {
			t.Errorf("%v", err)
		}
	})
	t.Run("no bucket", func(t *testing.T) {
		to := open("s3://no-such-bucket-here", os.Getenv)
		if err := to.Put(t.Context(), "x", nil); err == nil || diag.HintOf(err) == "" {
			t.Errorf("%v", err)
		}
	})
}
