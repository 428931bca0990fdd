package fabric

import (
	"fmt"
	"regexp"
	"strings"
)

// DefaultTenant is the tenant used when none is named.
const DefaultTenant = "default"

var tenantName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$`)

// CheckTenant refuses names that could not be part of a subject.
func CheckTenant(tenant string) error {
	if !tenantName.MatchString(tenant) {
		return fmt.Errorf("tenant %q: expected 1 to 32 letters, digits, - and _", tenant)
	}
	return nil
}

// Names are what a tenant's streams, subjects and objects are called on a
// server. All of them begin with the tenant, so tenants stay apart even on a
// server that knows no accounts.
type Names struct{ Tenant string }

// The streams, and the bucket of objects.
func (n Names) WorkStream() string    { return "WB_" + n.Tenant + "_WORK" }
func (n Names) ResultsStream() string { return "WB_" + n.Tenant + "_RESULTS" }
func (n Names) LogStream() string     { return "WB_" + n.Tenant + "_LOG" }
func (n Names) Objects() string       { return "WB_" + n.Tenant + "_OBJECTS" }

// objectStream is the stream in which NATS keeps the bucket.
func (n Names) objectStream() string { return "OBJ_" + n.Objects() }

// The subjects. A key is the last word of each; "*" stands for all keys.
func (n Names) Work(key string) string            { return n.subject("work", key) }
func (n Names) Result(key string) string          { return n.subject("result", key) }
func (n Names) Failure(key string) string         { return n.subject("failure", key) }
func (n Names) Cancel(key string) string          { return n.subject("cancel", key) }
func (n Names) Log(kind LogKind, k string) string { return n.subject("log", string(kind), k) }

// Ask is where a caller answers questions, Live where it hears of progress.
func (n Names) Ask(caller string) string  { return n.subject("ask", caller) }
func (n Names) Live(caller string) string { return n.subject("live", caller) }

// Roll is where workers answer who they are.
func (n Names) Roll() string { return n.subject("roll") }

func (n Names) subject(words ...string) string {
	return "wb." + n.Tenant + "." + strings.Join(words, ".")
}

// keyOf is the last word of a subject.
func keyOf(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

var keyForm = regexp.MustCompile(`^[0-9a-f]{16,64}$`)

func checkKey(key string) error {
	if !keyForm.MatchString(key) {
		return fmt.Errorf("fabric: key %q: expected a digest in hex", key)
	}
	return nil
}
