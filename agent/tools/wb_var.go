package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"wb/agent"
	"wb/sandbox/dock/store"
)

// Variables is the verb var of wb for an agent: the variables of its tenant.
// Secrets and signing keys it knows by their names; a person sets them, and what
// is one stays one. Without a store there are none.
func Variables(open func() *store.Store, tenant string) Verb {
	const usage = "var list | get NAME | set NAME VALUE | ref NAME: variables, and what stands for one in a request"
	return Verb{Name: "var", Usage: usage, Call: func(ctx context.Context, _ *Place, args []string) (agent.Output, error) {
		if len(args) == 0 {
			return agent.Output{}, fmt.Errorf("wb %s", usage)
		}
		op, ok := varOps[args[0]]
		if !ok {
			return agent.Output{}, fmt.Errorf("var %s not permitted to an agent; wb %s", args[0], usage)
		}
		_, rest, err := words(args[1:])
		if err != nil {
			return agent.Output{}, err
		}
		if len(rest) != op.takes {
			return agent.Output{}, fmt.Errorf("wb %s", usage)
		}
		if open == nil {
			return agent.Output{}, errors.New("no variables are kept here")
		}
		text, err := op.do(&vars{open(), tenant}, ctx, rest)
		return agent.Output{Text: text}, err
	}}
}

// varOps are what can be done with variables, and how many words each takes.
var varOps = map[string]struct {
	takes int
	do    func(*vars, context.Context, []string) (string, error)
}{"list": {0, (*vars).list}, "get": {1, (*vars).get}, "set": {2, (*vars).set}, "ref": {1, (*vars).ref}}

// vars are the variables of a tenant.
type vars struct {
	*store.Store
	tenant string
}

func (s *vars) list(ctx context.Context, _ []string) (string, error) {
	all, err := s.Vars(ctx, s.tenant)
	if err != nil || len(all) == 0 {
		return "(no variable is set)", err
	}
	var b strings.Builder
	for _, v := range all {
		text, err := s.shown(ctx, v)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%-24s %s\n", v.Name, text)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// shown is a variable as it may be read.
func (s *vars) shown(ctx context.Context, v store.Variable) (string, error) {
	public, _, err := s.Public(ctx, s.tenant, v.Name)
	return v.Shown(public), err
}

// known is a variable that there is.
func (s *vars) known(ctx context.Context, name string) (store.Variable, error) {
	v, found, err := s.Var(ctx, s.tenant, name)
	if err == nil && !found {
		err = fmt.Errorf("there is no variable %s", name)
	}
	return v, err
}

func (s *vars) get(ctx context.Context, args []string) (string, error) {
	v, err := s.known(ctx, args[0])
	if err != nil {
		return "", err
	}
	return s.shown(ctx, v)
}

func (s *vars) set(ctx context.Context, args []string) (string, error) {
	v, found, err := s.Var(ctx, s.tenant, args[0])
	if err != nil {
		return "", err
	}
	if found && v.Kind != store.Plain {
		return "", fmt.Errorf("%s is kept by a person: it cannot be read or replaced here", v.Name)
	}
	return "set " + args[0], s.SetVar(ctx, s.tenant, args[0], store.Plain, []byte(args[1]))
}

func (s *vars) ref(ctx context.Context, args []string) (string, error) {
	v, err := s.known(ctx, args[0])
	if err != nil {
		return "", err
	}
	ref := v.Ref()
	if ref == "" {
		return "", fmt.Errorf("%s is a signing key: it signs and is sent nowhere", v.Name)
	}
	return ref, nil
}
