package target_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/publish/target"
)

// bucketOf is a stand-in for S3, and how a machine with a state directory of its own
// deploys there.
func bucketOf(t *testing.T) (*store, func(state string) target.Config) {
	s := &store{objects: map[string]string{}, types: map[string]string{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, func(state string) target.Config {
		return target.Config{Kind: target.S3, To: "s3://bucket/my/site", URL: server.URL, Keep: 9, Getenv: func(name string) string {
			return map[string]string{"WB_STATE_DIR": state, "AWS_ACCESS_KEY_ID": "who", "AWS_SECRET_ACCESS_KEY": "x"}[name]
		}}
	}
}

// onto makes the next release after what a target says is there, on another machine.
func onto(t *testing.T, place target.Target, seed byte, text string) string {
	t.Helper()
	b := newBuilder(t, seed)
	history, err := place.History(context.Background())
	must(t, err)
	for path, data := range history {
		b.write(path, string(data))
		if path == manifest.KeysPath {
			b.by.Keys, err = keys.ParseLog(data)
			must(t, err)
		}
	}
	return b.release(text)
}

// TestS3OneLog: whichever machine deploys and rolls back, a bucket's releases are one log.
func TestS3OneLog(t *testing.T) {
	ctx := context.Background()
	s, at := bucketOf(t)
	first, second := t.TempDir(), t.TempDir()
	a, b := newTarget(t, at(first)), newTarget(t, at(second))
	builder := newBuilder(t, 6)
	deploy(t, a, builder.release("one"))
	stale := t.TempDir()
	must(t, os.CopyFS(stale, os.DirFS(builder.dir)))
	deploy(t, a, builder.release("two"))
	if r := deploy(t, b, onto(t, b, 6, "three")); r.Sequence != 3 {
		t.Fatalf("another machine released %+v", r)
	}

	// the first machine sees what the second one released, and goes back behind it
	all, err := a.List(ctx)
	must(t, err)
	if len(all) != 3 || all[0].Sequence != 3 || !all[0].Current || all[1].Current {
		t.Fatalf("the first machine lists %+v", all)
	}
	back, err := a.Rollback(ctx, "")
	must(t, err)
	if back.Sequence != 2 || !strings.Contains(s.objects["index.html"], "two") {
		t.Fatalf("%+v, readers see %q", back, s.objects["index.html"])
	}

	// a machine without any state goes on from the newest, not from what is shown
	third := newTarget(t, at(t.TempDir()))
	if r := deploy(t, third, onto(t, third, 6, "four")); r.Sequence != 4 {
		t.Fatalf("after a rollback a new machine released %+v", r)
	}
	history, err := newTarget(t, at(t.TempDir())).History(ctx)
	must(t, err)
	last, err := manifest.ReadSite(history[manifest.SitePath])
	if err != nil || last.Sequence != 4 {
		t.Fatalf("%+v %v", last, err)
	}

	// who was overtaken is told, and changes nothing
	_, err = sign.Dir(stale, builder.by, nil, "", noon)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(stale, "index.html"), []byte("<p>another two"), 0o644))
	_, err = sign.Dir(stale, builder.by, nil, "", noon)
	must(t, err)
	var fork *target.ForkError
	if _, err = newTarget(t, at(t.TempDir())).Deploy(ctx, stale); !errors.As(err, &fork) || fork.There != 4 || fork.ExitCode() != 6 || fork.Hint() == "" {
		t.Errorf("a fork: %v", err)
	}
	lost := at(t.TempDir())
	lost.AllowRollback = true
	if !strings.Contains(s.objects["index.html"], "four") {
		t.Errorf("readers see %q", s.objects["index.html"])
	}

	// nor is a release shown that is none of the log's
	deploy(t, newTarget(t, lost), stale)
	if _, err := b.Rollback(ctx, "3"); !errors.As(err, &fork) {
		t.Errorf("a release of another log came back: %v", err)
	}
}
