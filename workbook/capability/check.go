package capability

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/sandbox/grants"
	"wb/sandbox/netbroker"
	"wb/workbook"
	"wb/workbook/plan"
)

// GrantError is a grant that would grant nothing.
type GrantError struct {
	Grant  string
	Reason string
	Tip    string
}

func (e *GrantError) Error() string { return fmt.Sprintf("--grant %s: %s", e.Grant, e.Reason) }

// Hint says how grants are written.
func (e *GrantError) Hint() string { return e.Tip }

// ExitCode is that of a wrong command line.
func (e *GrantError) ExitCode() int { return diag.ExitUsage }

// CheckGrants reports the first grant that names no capability, or narrows one to
// what it cannot be narrowed to, with a *[GrantError].
func CheckGrants(list []string) error {
	for _, g := range list {
		if err := checkGrant(strings.TrimPrefix(g, "workbook:")); err != nil {
			return err
		}
	}
	return nil
}

func checkGrant(g string) error {
	name, scope, narrowed := strings.Cut(g, ":")
	if known := workbook.Capabilities(); !slices.Contains(known, grants.Capability(g)) {
		tip := "capabilities are " + strings.Join(known, ", ")
		near := compile.Nearest(name, slices.Concat(known, plan.Profiles()))
		switch {
		case slices.Contains(plan.Profiles(), near) && !slices.Contains(known, near):
			tip = near + " is a profile, --profile " + near + "; of its capabilities, --grant net:HOST reaches one server"
		case near != "":
			tip = "did you mean --grant " + strings.Replace(g, name, near, 1) + "?"
		}
		return &GrantError{g, "there is no capability " + name, tip}
	}
	if !narrowed {
		if name == netbroker.PrivateCapability {
			return &GrantError{g, "name the addresses", "as in --grant net-private:10.1.0.0/16"}
		}
		return nil
	}
	wrong := func(err error, example string) error {
		if err == nil {
			return nil
		}
		return &GrantError{g, strings.TrimPrefix(err.Error(), "grant "+g+": "), "as in --grant " + name + ":" + example}
	}
	switch name {
	case "net":
		_, err := netbroker.ParseGrant(scope)
		return wrong(err, "api.example.com")
	case netbroker.PrivateCapability:
		_, err := netbroker.ParsePrivateGrant(scope)
		return wrong(err, "10.1.0.0/16")
	case "browse":
		_, err := netbroker.ParseGrant("https://" + scope)
		return wrong(err, "example.com")
	case "tcp", "udp", "tls":
		_, err := netbroker.ParseSocketGrant(name, scope)
		return wrong(err, "example.com:5000")
	case "serve", "tcp-serve":
		return wrong(checkListen(scope), "8080")
	}
	return nil
}

// checkListen reads PORT or ADDRESS:PORT.
func checkListen(scope string) error {
	if strings.Contains(scope, ":") {
		if _, err := netip.ParseAddrPort(scope); err != nil {
			return fmt.Errorf("%s is not an ADDRESS:PORT of this machine", scope)
		}
		return nil
	}
	if _, err := strconv.ParseUint(scope, 10, 16); err != nil {
		return fmt.Errorf("%s is not a port", scope)
	}
	return nil
}
