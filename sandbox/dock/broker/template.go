package broker

import (
	"context"
	"net/url"

	"wb/internal/lazyregexp"
	"wb/sandbox/dock"
	"wb/sandbox/dock/store"
	"wb/sandbox/netbroker"
)

// template finds the placeholder of a variable or secret in a header or body.
var template = lazyregexp.New(`\{\{(var|secret):([A-Za-z_][A-Za-z0-9_.-]*)\}\}`)

// Templates expands {{var:K}} where vars is granted, and {{secret:K}} where
// secrets is. allowed reports whether a capability was granted for a name; what
// was not stays as it is. used hears of each secret that was sent, by name.
func Templates(s *store.Store, allowed func(capability, name string) bool, used func(call *dock.Call, name string)) *TemplateSource {
	return &TemplateSource{s, allowed, used}
}

// TemplateSource knows the values of templates.
type TemplateSource struct {
	store   *store.Store
	allowed func(capability, name string) bool
	used    func(call *dock.Call, name string)
}

// Expand implements [Expander].
func (t *TemplateSource) Expand(ctx context.Context, call *dock.Call, text string) (string, error) {
	var failed error
	out := template.ReplaceAllStringFunc(text, func(whole string) string {
		m := template.FindStringSubmatch(whole)
		kind, name := m[1], m[2]
		switch kind {
		case "var":
			if !t.allowed("vars", name) {
				return whole
			}
			v, found, err := t.store.Var(ctx, call.Principal.Tenant, name)
			if err != nil {
				failed = fault(call, err)
			}
			if err == nil && found && v.Kind == store.Plain {
				return v.Value
			}
		case "secret":
			if !t.allowed("secrets", name) {
				return whole
			}
			value, found, err := t.store.Expand(ctx, call.Principal.Tenant, name)
			if err != nil {
				failed = fault(call, err)
			}
			if err == nil && found {
				if t.used != nil {
					t.used(call, name)
				}
				return string(value)
			}
		}
		return whole
	})
	return out, failed
}

// expandRequest fills the templates in the headers and the body of a request.
// Secrets are expanded only towards a host that a grant names; the URL never
// holds one, since URLs are logged everywhere. It returns the secrets that were
// put in, to keep them out of the reply.
func expandRequest(ctx context.Context, call *dock.Call, r *netbroker.Request, web *netbroker.Broker, expand Expander) (secrets []string, err error) {
	if expand == nil {
		return nil, nil
	}
	fill := func(text string) (string, error) {
		places := template.FindAllStringSubmatch(text, -1)
		if len(places) == 0 {
			return text, nil
		}
		for _, m := range places {
			if m[1] == "secret" && !web.Names(r.URL) {
				return "", errSecretTarget(m[2], hostOf(r.URL))
			}
		}
		for _, m := range places {
			value, err := expand(ctx, call, m[0])
			if err != nil {
				return "", err
			}
			if m[1] == "secret" && value != m[0] {
				secrets = append(secrets, value)
			}
		}
		return expand(ctx, call, text)
	}
	for name, values := range r.Header {
		for i, v := range values {
			if values[i], err = fill(v); err != nil {
				return nil, err
			}
		}
		r.Header[name] = values
	}
	body, err := fill(string(r.Body))
	r.Body = []byte(body)
	return secrets, err
}

func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "that host"
	}
	return u.Host
}
