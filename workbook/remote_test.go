package workbook_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/lanes"
	"wb/compile/place/remote"
	"wb/internal/test/lanetest"
	"wb/workbook"
)

// sample are the examples that run in a process of their own each time; the long
// tests take all.
var sample = []string{"filters.org", "lua.org", "sql.org", "tour.org"}

// elsewhere is a transport to lanes of their own, through bytes.
type elsewhere struct{ lanes *compile.Registry }

func (t elsewhere) RoundTrip(ctx context.Context, trip remote.Trip) ([]byte, error) {
	request, err := remote.DecodeRequest(trip.Request)
	if err != nil {
		return nil, err
	}
	return remote.Execute(ctx, t.lanes, request, func(ctx context.Context, question []byte) ([]byte, error) {
		return trip.Answer(ctx, question), nil
	}).Encode()
}

// TestElsewhere runs the examples in this process, by requests, and in the tier
// process: files, values, errors and fuel are the same.
func TestElsewhere(t *testing.T) {
	ctx := context.Background()
	env, err := compile.NewEnv(ctx, compile.EnvConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close(ctx)
	here, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	there, err := lanes.New(env) // other sessions, same engine
	if err != nil {
		t.Fatal(err)
	}
	away := remote.NewRunner(elsewhere{there}, remote.Config{Sessions: true})
	var files []string
	for _, pattern := range []string{"*.org", "lanes/*.org"} {
		found, err := filepath.Glob(filepath.Join("../examples", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("no examples: %v", err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".org"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range workbook.NewPlan(file, text).Components {
				if lane, ok := here.Lookup(c.Lang); ok {
					lanetest.Need(t, env, lane.Info().Toolchains...)
				}
			}
			direct, directTree := runCopy(t, file, workbook.Options{Book: workbook.Book{Lanes: here}})
			remote, remoteTree := runCopy(t, file, workbook.Options{
				Book:  workbook.Book{Lanes: here},
				Venue: workbook.Venue{Runner: away},
			})
			sameReports(t, direct, remote)
			sameTrees(t, directTree, remoteTree)
			if long || slices.Contains(sample, filepath.Base(file)) {
				child, childTree := runCopy(t, file, workbook.Options{
					Book:  workbook.Book{Lanes: here},
					Venue: workbook.Venue{Tier: "process", Tiers: tiers(t)},
				})
				sameReports(t, direct, child)
				sameTrees(t, directTree, childTree)
			}
		})
	}
}

// runCopy runs a copy of a workbook in a copy of its directory, which it
// returns.
func runCopy(t *testing.T, file string, opts workbook.Options) (*workbook.Report, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "x")
	if err := os.CopyFS(dir, os.DirFS(filepath.Dir(file))); err != nil {
		t.Fatal(err)
	}
	opts.File = filepath.Join(dir, filepath.Base(file))
	report, err := workbook.Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return report, dir
}

func sameReports(t *testing.T, a, b *workbook.Report) {
	t.Helper()
	if len(a.Components) != len(b.Components) {
		t.Fatalf("%d components and %d", len(a.Components), len(b.Components))
	}
	said := func(err error) string {
		if err == nil {
			return ""
		}
		_, rest, _ := strings.Cut(err.Error(), ".org:") // the file's directory differs
		return rest
	}
	for i, x := range a.Components {
		y := b.Components[i]
		if x.ID != y.ID || x.Status != y.Status || x.Value.Digest() != y.Value.Digest() || x.Stdout != y.Stdout || x.Exit != y.Exit || x.Usage.Fuel != y.Usage.Fuel || x.Usage.Memory != y.Usage.Memory || said(x.Err) != said(y.Err) || len(x.Warnings) != len(y.Warnings) {
			t.Errorf("%s:\n here  %s %.200s fuel %d memory %d exit %d warnings %v error %v\n there %s %.200s fuel %d memory %d exit %d warnings %v error %v", x.ID,
				x.Status, x.Value, x.Usage.Fuel, x.Usage.Memory, x.Exit, x.Warnings, x.Err, y.Status, y.Value, y.Usage.Fuel, y.Usage.Memory, y.Exit, y.Warnings, y.Err)
		}
	}
}

func sameTrees(t *testing.T, a, b string) {
	t.Helper()
	err := filepath.WalkDir(a, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(a, path)
		if err != nil {
			return err
		}
		x, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		y, err := os.ReadFile(filepath.Join(b, rel))
		if err != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs (%v)", rel, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
