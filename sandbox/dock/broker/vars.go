package broker

import (
	"context"

	"wb/sandbox/dock"
	"wb/sandbox/dock/store"
)

// Vars reads the user's variables, set with wb var. Secrets are not among them.
// A grant may be narrowed to names: vars:build-*.
func Vars(s *store.Store) dock.Broker {
	return operations{
		"get": within(func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			name := call.Text(0)
			v, found, err := s.Var(ctx, call.Principal.Tenant, name)
			if err == nil && found && v.Kind != store.Plain {
				return dock.Reply{}, dock.Errorf(dock.CodeDenied, "%s is a secret: it can sign, but not be read", name)
			}
			return value(call, []byte(v.Value), found, err)
		}),
		"list": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			all, err := s.Vars(ctx, call.Principal.Tenant)
			names := []string{}
			for _, v := range all {
				if v.Kind == store.Plain && call.Within(v.Name) {
					names = append(names, v.Name)
				}
			}
			return answer(call, names, err)
		},
	}
}

// Secrets signs. A grant may be narrowed to names: secrets:release-key. used
// hears of each use, by name; nil is silent.
func Secrets(s *store.Store, used func(call *dock.Call, name string)) dock.Broker {
	by := func(do func(ctx context.Context, call *dock.Call, name string) ([]byte, bool, error)) operation {
		return within(func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			name := call.Text(0)
			body, found, err := do(ctx, call, name)
			if err != nil {
				return dock.Reply{}, fault(call, err)
			}
			if !found {
				e := dock.Errorf(dock.CodeNotFound, "there is no such secret: %s", name)
				e.Help = "wb var set " + name + " --secret"
				return dock.Reply{}, e
			}
			if used != nil {
				used(call, name)
			}
			return dock.Found(store.Encode(body)), nil
		})
	}
	return operations{
		"sign": by(func(ctx context.Context, call *dock.Call, name string) ([]byte, bool, error) {
			return s.Sign(ctx, call.Principal.Tenant, name, call.Args[1])
		}),
		"public": by(func(ctx context.Context, call *dock.Call, name string) ([]byte, bool, error) {
			return s.Public(ctx, call.Principal.Tenant, name)
		}),
	}
}
