package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"wb/internal/diag"
	"wb/sandbox/dock/store"
)

// varCmd looks after the user's variables and secrets.
type varCmd struct {
	Tenant string `help:"Whose variables, on a machine that serves several." default:"default" placeholder:"NAME"`

	Set   varSetCmd   `cmd:"" help:"Set a variable, or a secret that nobody can read again."`
	Get   varGetCmd   `cmd:"" help:"Print a variable."`
	List  varListCmd  `cmd:"" help:"List variables and the names of secrets."`
	Ref   varRefCmd   `cmd:"" help:"Print what stands for a variable in a request."`
	Unset varUnsetCmd `cmd:"" help:"Forget a variable."`
}

type varSetCmd struct {
	Name    string `arg:"" help:"Letters, digits, _ . and -."`
	Value   string `arg:"" optional:"" help:"The value; - or nothing reads standard input."`
	Secret  bool   `help:"Keep it sealed: it can sign and be sent to granted hosts, but never be read." xor:"kind"`
	Ed25519 bool   `name:"ed25519" help:"Make a new signing key, or take the 32-byte seed in base64." xor:"kind"`
}

func (c *varSetCmd) Help() string {
	return "Examples:\n  wb var set region eu-1\n  printf %s \"$TOKEN\" | wb var set API_TOKEN --secret\n  wb var set release --ed25519\n\nA secret on the command line stays in the shell's history; give it on standard input."
}

func (c *varSetCmd) Run(a *terminal, v *varCmd) error {
	value := []byte(c.Value)
	if c.Value == "-" || c.Value == "" && !c.Ed25519 {
		text, err := io.ReadAll(a.std.In)
		if err != nil {
			return err
		}
		value = []byte(strings.TrimSuffix(string(text), "\n"))
	}
	kind := store.Plain
	switch {
	case c.Secret:
		kind = store.Secret
	case c.Ed25519:
		kind = store.Ed25519
		seed, err := base64.StdEncoding.DecodeString(string(value))
		if err != nil {
			return diag.Usagef("", "%s: the seed is not base64", c.Name)
		}
		if value = seed; len(seed) == 0 {
			value = nil
		}
	}
	return withTenantVariables(v.Tenant, func(s *store.Store) error {
		if err := s.SetVar(a.ctx, v.Tenant, c.Name, kind, value); err != nil {
			return err
		}
		return varGet(a, s, v.Tenant, c.Name, true)
	})
}

type varGetCmd struct {
	Name string `arg:"" help:"The variable."`
}

func (c *varGetCmd) Help() string {
	return "Example:\n  wb var get region\n\nA secret cannot be read; of an Ed25519 key the public half is shown."
}

func (c *varGetCmd) Run(a *terminal, v *varCmd) error {
	return withTenantVariables(v.Tenant, func(s *store.Store) error { return varGet(a, s, v.Tenant, c.Name, false) })
}

// varGet shows a variable; after setting one, only a program is told.
func varGet(a *terminal, s *store.Store, tenant, name string, set bool) error {
	v, found, err := s.Var(a.ctx, tenant, name)
	if err != nil {
		return err
	}
	if !found {
		return diag.NotFoundf("wb var list", "there is no variable %s", name)
	}
	public, _, err := s.Public(a.ctx, tenant, name)
	if err != nil {
		return err
	}
	data := map[string]any{"name": v.Name, "kind": v.Kind, "size": v.Size}
	if v.Kind == store.Plain {
		data["value"] = v.Value
	}
	if len(public) > 0 {
		data["public"] = string(store.Encode(public))
	}
	return a.answer("var", data, func(w io.Writer) error {
		if set && v.Kind == store.Plain {
			return nil
		}
		_, err := fmt.Fprintln(w, v.Shown(public))
		return err
	})
}

type varListCmd struct{}

func (c *varListCmd) Help() string { return "Example:\n  wb var list" }

func (c *varListCmd) Run(a *terminal, v *varCmd) error {
	return withTenantVariables(v.Tenant, func(s *store.Store) error {
		all, err := s.Vars(a.ctx, v.Tenant)
		if err != nil {
			return err
		}
		return a.answer("var", all, func(w io.Writer) error {
			for _, one := range all {
				public, _, err := s.Public(a.ctx, v.Tenant, one.Name)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%-24s %s\n", one.Name, one.Shown(public))
			}
			return nil
		})
	})
}

type varRefCmd struct {
	Name string `arg:"" help:"The variable."`
}

func (c *varRefCmd) Help() string {
	return "Example:\n  wb var ref API_TOKEN\n\nPrints {{secret:API_TOKEN}}, which the host replaces in the headers and the body of\na request to a granted host."
}

func (c *varRefCmd) Run(a *terminal, v *varCmd) error {
	return withTenantVariables(v.Tenant, func(s *store.Store) error {
		v, found, err := s.Var(a.ctx, v.Tenant, c.Name)
		if err != nil {
			return err
		}
		if !found {
			return diag.NotFoundf("wb var list", "there is no variable %s", c.Name)
		}
		ref := v.Ref()
		if ref == "" {
			return &diag.CodedError{Err: errors.New(c.Name + " is a signing key: it signs and is sent nowhere"), Help: "", Code: diag.ExitForbidden}
		}
		return a.answer("var", ref, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, ref)
			return err
		})
	})
}

type varUnsetCmd struct {
	Name string `arg:"" help:"The variable."`
}

func (c *varUnsetCmd) Help() string { return "Example:\n  wb var unset region" }

func (c *varUnsetCmd) Run(a *terminal, v *varCmd) error {
	return withTenantVariables(v.Tenant, func(s *store.Store) error {
		was, err := s.UnsetVar(a.ctx, v.Tenant, c.Name)
		if err == nil && !was {
			err = diag.NotFoundf("wb var list", "there is no variable %s", c.Name)
		}
		return err
	})
}
