package host

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"wb/agent"
	"wb/agent/llm"
	"wb/internal/diag"
	"wb/internal/trace"
)

// DefaultModel is asked when nothing else names one, and DefaultEndpoint where.
const (
	DefaultModel    = "xiaomi/mimo-v2.5"
	DefaultEndpoint = "https://openrouter.ai/api/v1"
)

// NoModelError says that no model can be reached because the key is missing.
type NoModelError struct{ Endpoint string }

func (e *NoModelError) Error() string { return "no key for the model at " + e.Endpoint }

// Hint names what to set.
func (e *NoModelError) Hint() string {
	return "set OPENROUTER_API_KEY or WB_LLM_API_KEY, or WB_LLM_BASE_URL (or [model] in wb.toml) to a server of your own"
}

// ExitCode is that of a service that is needed and not there.
func (e *NoModelError) ExitCode() int { return diag.ExitUnavailable }

// model is the name of the model for an agent: the caller's choice, the
// environment's, the document's, the user's settings', in this order.
func (rt *Runtime) model(d *agent.Definition, task Task) (string, error) {
	for _, name := range []string{task.Model, rt.Getenv("WB_LLM_MODEL"), d.Model, rt.Settings.Model.Name} {
		if name != "" {
			return name, nil
		}
	}
	return DefaultModel, nil
}

// client is the endpoint as the environment names it.
func (rt *Runtime) client(run *trace.Run) (*llm.Client, error) {
	base := cmp.Or(rt.Getenv("WB_LLM_BASE_URL"), rt.Settings.Model.BaseURL, DefaultEndpoint)
	key := rt.Getenv("WB_LLM_API_KEY")
	if name := rt.Settings.Model.KeyEnv; key == "" && name != "" {
		key = rt.Getenv(name)
	}
	if key == "" {
		key = rt.Getenv("OPENROUTER_API_KEY")
	}
	var transport http.RoundTripper
	if path := rt.Getenv("WB_LLM_CASSETTE"); path != "" {
		var record http.RoundTripper
		if rt.Getenv("WB_LLM_RECORD") != "" {
			record = http.DefaultTransport
		}
		cassette, err := llm.OpenCassette(path, record, key)
		if err != nil {
			return nil, err
		}
		transport = cassette
	}
	if key == "" && !loopback(base) && (transport == nil || rt.Getenv("WB_LLM_RECORD") != "") {
		return nil, &NoModelError{base}
	}
	return llm.New(llm.Config{BaseURL: base, Key: key, Transport: transport, Retries: llm.DefaultRetries, OnRetry: func(attempt int, err error, wait time.Duration) {
		if run == nil { // a component asks: its own event says how it ended
			return
		}
		_ = run.Emit(trace.Event{Kind: trace.KindRetry, Tool: "model", Error: err.Error(), Output: fmt.Sprintf("attempt %d failed, next attempt in %v", attempt, wait.Round(time.Millisecond))})
	}})
}

// loopback reports whether an endpoint is on this machine.
func loopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// prices are the model's prices as the user configured them.
func (rt *Runtime) prices() agent.Prices {
	number := func(name string, otherwise float64) float64 {
		n, err := strconv.ParseFloat(rt.Getenv(name), 64)
		if err != nil {
			return otherwise
		}
		return max(n, 0)
	}
	return agent.Prices{In: number("WB_LLM_PRICE_IN", rt.Settings.Model.PriceIn), Out: number("WB_LLM_PRICE_OUT", rt.Settings.Model.PriceOut)}
}
