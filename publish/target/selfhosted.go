package target

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"wb/internal/diag"

	"wb/proof/fault"
	"wb/proof/fetch"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
)

// TokenVariable is where the token for a self-hosted target comes from.
const TokenVariable = "WB_PUBLISH_TOKEN"

const (
	uploads       = 4 // files at the same time
	uploadTimeout = 10 * time.Minute
	maxAnswer     = 64 << 20
)

// selfHosted deploys to a `wb serve`, which takes what it lacks of a release and
// verifies the whole before readers see it.
type selfHosted struct {
	base   *url.URL // of the site: https://example.org/w/notes/
	token  string
	issuer *sign.Issuer
	http   *http.Client
}

func newSelfHosted(config Config) (*selfHosted, error) {
	if config.URL == "" || config.Site == "" {
		return nil, &ConfigError{"the target self-hosted needs a server and a project", "#+PUBLISH_SERVER: https://example.org and #+PUBLISH_PROJECT: NAME"}
	}
	base, err := url.Parse(config.URL)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return nil, &ConfigError{fmt.Sprintf("%q is not the address of a server", config.URL), "such as https://example.org"}
	}
	if base.Scheme == "http" && !fetch.Loopback(base.Hostname()) {
		return nil, &ConfigError{config.URL + ": a token is never sent over plain http", "use https, or an address of this machine"}
	}
	base = &url.URL{Scheme: base.Scheme, Host: base.Host, Path: strings.TrimSuffix(base.Path, "/") + "/w/" + config.Site + "/"}
	token := config.Token
	if token == "" {
		token = config.getenv()(TokenVariable)
	}
	return &selfHosted{base: base, token: token, issuer: config.Issuer, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

func (s *selfHosted) Name() string { return SelfHosted + " " + s.base.String() }

// RefusedError is a server's no. Where a release is to blame, the error is a
// [fault.Error] with the verifier's code instead.
type RefusedError struct {
	Status  int
	Code    string
	Message string
}

func (e *RefusedError) Error() string { return fmt.Sprintf("the server refused it: %s", e.Message) }

// Hint says what to do about it.
func (e *RefusedError) Hint() string {
	if e.Status == http.StatusUnauthorized {
		return "set " + TokenVariable + " to what the server was started with as --publish-token"
	}
	return ""
}

// ExitCode is that of the kind of no.
func (e *RefusedError) ExitCode() int {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge:
		return diag.ExitForbidden
	case http.StatusNotFound:
		return diag.ExitNotFound
	case http.StatusConflict:
		return diag.ExitConflict
	}
	return diag.ExitFailed
}

// call makes one request to the site's address and reads the answer into out.
func (s *selfHosted) call(ctx context.Context, method, path, upload string, body []byte, out any) error {
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	at := s.base.JoinPath(path)
	if upload != "" {
		at.RawQuery = url.Values{"upload": {upload}}.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return refusal(resp.StatusCode, text)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%s does not answer like wb serve: %w", s.base.Host, err)
	}
	return nil
}

// refusal is the error of an answer that is no.
func refusal(status int, text []byte) error {
	var problem struct {
		Error struct{ Code, Path, Message string } `json:"error"`
	}
	if json.Unmarshal(text, &problem) != nil || problem.Error.Code == "" {
		return &RefusedError{status, "", fmt.Sprintf("HTTP %d", status)}
	}
	p := problem.Error
	if status == http.StatusUnprocessableEntity {
		return &fault.Error{Code: fault.Code(p.Code), Path: p.Path, Text: p.Message}
	}
	return &RefusedError{status, p.Code, p.Message}
}

func (s *selfHosted) List(ctx context.Context) ([]Release, error) {
	var out []Release
	err := s.call(ctx, http.MethodGet, ".wb/releases", "", nil, &out)
	if no, ok := errors.AsType[*RefusedError](err); ok && no.Status == http.StatusNotFound {
		return nil, nil // nothing is published there yet
	}
	return out, err
}

// newest is for the server to know, which compares by itself.
func (s *selfHosted) newest(context.Context) (manifest.Files, error) { return nil, nil }

// published is read from what readers see: of releases that were rolled back only
// the server knows.
func (s *selfHosted) published(ctx context.Context) (manifest.Files, error) {
	return verify.FetchHistory(ctx, s.base.String(), fetch.Direct(s.http))
}

// deploy implements place.
func (s *selfHosted) deploy(ctx context.Context, site *site) (Release, error) {
	var begun struct {
		Upload string   `json:"upload"`
		Need   []string `json:"need"`
	}
	if err := s.call(ctx, http.MethodPost, ".wb/releases", "", site.text, &begun); err != nil {
		return Release{}, err
	}
	if err := s.send(ctx, begun.Upload, begun.Need, site.files); err != nil {
		return Release{}, err
	}
	var shown Release
	err := s.call(ctx, http.MethodPost, ".wb/publish", begun.Upload, nil, &shown)
	return shown, err
}

// send uploads files, some at the same time; the first failure ends it.
func (s *selfHosted) send(ctx context.Context, upload string, need []string, files manifest.Files) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	paths := make(chan string)
	var workers sync.WaitGroup
	for range uploads {
		workers.Go(func() {
			for path := range paths {
				data, ok := files[path]
				if !ok {
					stop(fmt.Errorf("the server asks for %s, which the site does not have", path))
					return
				}
				if err := s.call(ctx, http.MethodPut, path, upload, data, nil); err != nil {
					stop(fault.In(path, err))
					return
				}
			}
		})
	}
feed:
	for _, path := range need {
		select {
		case paths <- path:
		case <-ctx.Done():
			break feed
		}
	}
	close(paths)
	workers.Wait()
	return context.Cause(ctx)
}

// rollback sends an order signed by the site's key.
func (s *selfHosted) rollback(ctx context.Context, to Release) error {
	if s.issuer == nil {
		return &ConfigError{"rolling back a self-hosted site needs the site's key", "wb key show shows it"}
	}
	all, err := s.List(ctx)
	if err != nil {
		return err
	}
	replaces := ""
	for _, r := range all {
		if r.Current {
			replaces = r.ID
		}
	}
	order, err := manifest.SignOrder(s.base.Path, to.ID, replaces, s.issuer.Keys.Identity(), s.issuer.Signer, time.Now())
	if err != nil {
		return err
	}
	return s.call(ctx, http.MethodPost, ".wb/rollback", "", order, nil)
}

// current reads what readers see.
func (s *selfHosted) current(ctx context.Context) (manifest.Files, error) {
	return verify.Fetch(ctx, s.base.String(), fetch.Direct(s.http))
}
