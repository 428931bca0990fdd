package app

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"wb/internal/diag"
	"wb/sandbox/dock/store"
)

// variables gives do the variables of a tenant: those that a door has, or the user's.
func (f TenantFlag) variables(h *Home, do func(s *store.Store, tenant string) error) error {
	switch {
	case h.Variables != nil:
		s, tenant := h.Variables()
		return do(s, tenant)
	case h.Root != nil:
		return errors.New("this server keeps no variables")
	}
	host, err := f.Host()
	if err != nil {
		return err
	}
	defer host.Close()
	return do(host.Variables(), f.Tenant)
}

// VariableOut is a variable as it may be read.
type VariableOut struct {
	Name   string        `json:"name"`
	Kind   store.VarKind `json:"kind"`
	Size   int           `json:"size"`
	Value  *string       `json:"value,omitempty"` // of a plain one
	Public string        `json:"public,omitempty"`

	shown string
	ref   string
}

// variable finds a variable.
func variable(ctx context.Context, s *store.Store, tenant, name string) (*VariableOut, error) {
	v, found, err := s.Var(ctx, tenant, name)
	if err == nil && !found {
		err = diag.NotFoundf("wb var list", "there is no variable %s", name)
	}
	if err != nil {
		return nil, err
	}
	public, _, err := s.Public(ctx, tenant, name)
	out := &VariableOut{Name: v.Name, Kind: v.Kind, Size: v.Size, shown: v.Shown(public), ref: v.Ref()}
	if v.Kind == store.Plain {
		out.Value = &v.Value
	}
	if len(public) > 0 {
		out.Public = string(store.Encode(public))
	}
	return out, err
}

// VariableIn holds the arguments of wb var get, ref and unset.
type VariableIn struct {
	Name string `arg:"" help:"The variable."`
	TenantFlag
}

var variableGet = Verb[VariableIn, *VariableOut]{
	Name: "var get", Help: "Print a variable.", Doors: Agents,
	About: "Example:\n  wb var get region\n\nA secret cannot be read. Of an Ed25519 key, prints the public half.",
	Do: func(ctx context.Context, h *Home, in *VariableIn) (out *VariableOut, err error) {
		return out, in.variables(h, func(s *store.Store, tenant string) error {
			out, err = variable(ctx, s, tenant, in.Name)
			return err
		})
	},
	Text: func(p *Page, out *VariableOut) error { p.Printf("%s\n", out.shown); return nil },
}

var variableRef = Verb[VariableIn, string]{
	Name: "var ref", Help: "Print the placeholder of a variable, for use in requests.", Doors: Agents,
	About: "Example:\n  wb var ref API_TOKEN\n\nPrints {{secret:API_TOKEN}}, which the host replaces in the headers and the body of\na request to a granted host.",
	Do: func(ctx context.Context, h *Home, in *VariableIn) (ref string, err error) {
		return ref, in.variables(h, func(s *store.Store, tenant string) error {
			v, err := variable(ctx, s, tenant, in.Name)
			if err != nil {
				return err
			}
			if ref = v.ref; ref == "" {
				return &diag.CodedError{Err: errors.New(in.Name + " is a signing key: it can sign, but is never sent"), Code: diag.ExitForbidden}
			}
			return nil
		})
	},
	Text: func(p *Page, ref string) error { p.Printf("%s\n", ref); return nil },
}

var variableUnset = Verb[VariableIn, Done]{
	Name: "var unset", Help: "Forget a variable.", About: "Example:\n  wb var unset region", Changes: true,
	Do: func(ctx context.Context, h *Home, in *VariableIn) (Done, error) {
		return Done{}, in.variables(h, func(s *store.Store, tenant string) error {
			was, err := s.UnsetVar(ctx, tenant, in.Name)
			if err == nil && !was {
				err = diag.NotFoundf("wb var list", "there is no variable %s", in.Name)
			}
			return err
		})
	},
}

var variableList = Verb[TenantFlag, VariablesOut]{
	Name: "var list", Help: "List variables and the names of secrets.", About: "Example:\n  wb var list", Doors: Agents,
	Do: func(ctx context.Context, h *Home, in *TenantFlag) (out VariablesOut, err error) {
		return out, in.variables(h, func(s *store.Store, tenant string) error {
			all, err := s.Vars(ctx, tenant)
			if err != nil {
				return err
			}
			out = VariablesOut{}
			for _, v := range all {
				one, err := variable(ctx, s, tenant, v.Name)
				if err != nil {
					return err
				}
				out = append(out, one)
			}
			return nil
		})
	},
	Text: func(p *Page, out VariablesOut) error {
		if len(out) == 0 && p.Reader == Model {
			p.Printf("(no variable is set)\n")
		}
		for _, v := range out {
			p.Printf("%-24s %s\n", v.Name, v.shown)
		}
		return nil
	},
}

// VariablesOut is all variables.
type VariablesOut []*VariableOut

// VariableSetIn holds the arguments of wb var set.
type VariableSetIn struct {
	Name    string `arg:"" help:"The name: letters, digits, _ . and -."`
	Value   string `arg:"" optional:"" help:"The value; - or nothing reads standard input."`
	Secret  bool   `on:"terminal" help:"Keep it secret: it can sign and be sent to granted hosts, but never be read." xor:"kind"`
	Ed25519 bool   `on:"terminal" name:"ed25519" help:"Make a new signing key, or take the 32-byte seed in base64." xor:"kind"`
	TenantFlag
}

var variableSet = Verb[VariableSetIn, *VariableOut]{
	Name: "var set", Help: "Set a variable, or a secret, which can never be read back.", Doors: Agents, Changes: true,
	Model: "Set a variable; secrets are set by a person.",
	About: "Examples:\n  wb var set region eu-1\n  printf %s \"$TOKEN\" | wb var set API_TOKEN --secret\n  wb var set release --ed25519\n\nA secret on the command line stays in the shell's history; give it on standard input.",
	Do: func(ctx context.Context, h *Home, in *VariableSetIn) (out *VariableOut, err error) {
		kind, value, err := in.value(h)
		if err != nil {
			return nil, err
		}
		return out, in.variables(h, func(s *store.Store, tenant string) error {
			if h.Root != nil {
				switch v, found, err := s.Var(ctx, tenant, in.Name); {
				case err != nil:
					return err
				case found && v.Kind != store.Plain:
					return fmt.Errorf("%s was set by a person: it cannot be read or replaced here", in.Name)
				}
			}
			if err := s.SetVar(ctx, tenant, in.Name, kind, value); err != nil {
				return err
			}
			out, err = variable(ctx, s, tenant, in.Name)
			return err
		})
	},
	Text: func(p *Page, out *VariableOut) error {
		switch {
		case p.Reader == Model:
			p.Printf("set %s\n", out.Name)
		case out.Kind != store.Plain:
			p.Printf("%s\n", out.shown)
		}
		return nil
	},
}

// value is the value to store, and its kind.
func (in *VariableSetIn) value(h *Home) (store.VarKind, []byte, error) {
	value := []byte(in.Value)
	if in.Value == "-" || in.Value == "" && !in.Ed25519 {
		if h.Stdin == nil {
			return "", nil, diag.Usagef("", "wb var set NAME VALUE: the value of %s is missing", in.Name)
		}
		said, err := io.ReadAll(h.Stdin)
		if err != nil {
			return "", nil, err
		}
		value = []byte(strings.TrimSuffix(string(said), "\n"))
	}
	switch {
	case in.Secret:
		return store.Secret, value, nil
	case !in.Ed25519:
		return store.Plain, value, nil
	}
	seed, err := base64.StdEncoding.DecodeString(string(value))
	if err != nil {
		return "", nil, diag.Usagef("", "%s: the seed is not base64", in.Name)
	}
	if len(seed) == 0 {
		seed = nil
	}
	return store.Ed25519, seed, nil
}
