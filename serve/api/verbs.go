package api

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"

	"wb/agent/host"
	"wb/app"
	"wb/compile"
)

// maxVerb bounds the input of a verb, in bytes.
const maxVerb = 4 << 20

// listedVerb is a verb that callers may use, with the schema of its input.
type listedVerb struct {
	Name    string             `json:"name"`
	Help    string             `json:"help"`
	Changes bool               `json:"changes,omitempty"`
	Input   *jsonschema.Schema `json:"input"`
}

// listVerbs answers with the verbs that the table shows to programs.
func (s *Server) listVerbs(w http.ResponseWriter, _ *http.Request) {
	var all []listedVerb
	for _, row := range app.At(app.Tools) {
		all = append(all, listedVerb{row.Name, row.Model, row.Changes, row.Schema()})
	}
	answer(w, http.StatusOK, map[string]any{"verbs": all})
}

// verbAnswer is a verb's answer: data for programs, text for readers, and the
// exit code of a verb that is a verdict.
type verbAnswer struct {
	OK   bool            `json:"ok"`
	Data json.RawMessage `json:"data"`
	Text string          `json:"text"`
	Exit int             `json:"exit"`
}

// verb does a verb of the table in the tenant's directory. One that runs programs
// takes a place among the tenant's runs, and ends when its caller leaves.
func (s *Server) verb(row app.Row) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		t := tenantIn(r.Context())
		ctx := r.Context()
		if row.Runs {
			if err := t.hold(); err != nil {
				failStart(w, t, err)
				return
			}
			defer t.release()
			running, cancel := context.WithTimeout(ctx, workflowTimeout)
			defer cancel()
			defer context.AfterFunc(t.work, cancel)()
			ctx = running
		}
		said, err := s.do(ctx, t, row, http.MaxBytesReader(w, r.Body, maxVerb))
		if err != nil {
			failStart(w, t, err)
			return
		}
		answer(w, http.StatusOK, said)
	}
}

func (s *Server) do(ctx context.Context, t *tenant, row app.Row, body io.Reader) (*verbAnswer, error) {
	given, err := io.ReadAll(body)
	if err != nil {
		return nil, &requestError{err}
	}
	in, err := row.JSON(given)
	if err != nil {
		return nil, &requestError{err}
	}
	home := t.home()
	home.Hidden, home.Write, home.Version = host.Hidden, s.config.AllowWrite, s.config.Version
	home.Languages = func(context.Context) (*compile.Registry, error) { return s.config.Lanes, nil }
	out, err := row.Reply(ctx, home, in)
	if err != nil {
		return nil, err
	}
	return &verbAnswer{!out.Invalid && out.Exit == 0, out.JSON, out.Text, out.Exit}, nil
}
