package worker

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"wb/internal/diag"
)

// ask has a request answered in this process, and hears what is said.
func ask(t *testing.T, request string, do func(context.Context, Request, *Talk) (*Reply, error)) (reply *Reply, notes []string) {
	t.Helper()
	var out bytes.Buffer
	if err := Answer(context.Background(), strings.NewReader(request+"\n"), &out, do); err != nil {
		t.Fatal(err)
	}
	reply, err := listen(&out, Listener{Note: func(text string) { notes = append(notes, text) }})
	if err != nil {
		t.Fatal(err)
	}
	return reply, notes
}

type hinted struct{ error }

func (hinted) Hint() string { return "try again" }

func TestTalk(t *testing.T) {
	reply, notes := ask(t, `{"version":3,"do":"site","dir":"notes"}`, func(_ context.Context, r Request, t *Talk) (*Reply, error) {
		if err := t.Note("reading %s\nand more", r.Dir); err != nil {
			return nil, err
		}
		return &Reply{Pages: 3, Found: []diag.Finding{{Severity: diag.Error, Message: "a link"}}}, nil
	})
	if reply == nil || reply.Pages != 3 || len(reply.Found) != 1 || len(notes) != 1 || notes[0] != "reading notes\nand more" {
		t.Errorf("%+v %q", reply, notes)
	}
	reply, _ = ask(t, `{"version":3,"do":"site"}`, func(context.Context, Request, *Talk) (*Reply, error) {
		return nil, hinted{errors.New("no such directory")}
	})
	if reply.Error != "no such directory" || reply.Hint != "try again" {
		t.Errorf("%+v", reply)
	}
	reply, _ = ask(t, `{"version":1}`, func(context.Context, Request, *Talk) (*Reply, error) {
		t.Error("a request of another version is done")
		return nil, nil
	})
	if !strings.Contains(reply.Error, "different versions") {
		t.Errorf("%+v", reply)
	}
}

// TestNobodyWaits: the work ends when the other side is gone.
func TestNobodyWaits(t *testing.T) {
	in, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := other.WriteString("{\"version\":3}\n"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = Answer(context.Background(), in, &out, func(ctx context.Context, _ Request, _ *Talk) (*Reply, error) {
		other.Close()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if err != nil || !strings.Contains(out.String(), "canceled") {
		t.Errorf("%v %s", err, out.String())
	}
}

func TestGarbage(t *testing.T) {
	if _, err := listen(strings.NewReader("hello\n"), Listener{}); err == nil {
		t.Error("text is taken for JSON")
	}
	if reply, err := listen(strings.NewReader(`{"note":"a"}`+"\n"), Listener{}); reply != nil || err != nil {
		t.Errorf("%v %v", reply, err)
	}
	if err := Answer(context.Background(), strings.NewReader("garbage\n"), &bytes.Buffer{}, nil); err == nil {
		t.Error("garbage is a request")
	}
}

// TestEnvironment: keys and tokens stay with wb.
func TestEnvironment(t *testing.T) {
	t.Setenv("WB_SIGNING_KEY", "canary")
	t.Setenv("WB_PUBLISH_TOKEN", "canary")
	t.Setenv("OPENROUTER_API_KEY", "canary")
	for _, v := range environment() {
		if strings.Contains(v, "canary") {
			t.Error(v)
		}
	}
}
