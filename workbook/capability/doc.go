// Package capability gives the components of a workbook what the user granted:
// it puts the brokers of package sandbox/dock/broker together with the stores
// of a project, the user's variables, the net, a model and the commands of the
// sandbox.
//
// [Host.Prepare] adds to the options of a run what the user granted to the
// document for good, and the docks:
//
//	host := &capability.Host{Tenant: "default", StateDir: dir, Grants: grants.Open(config, nil), Seal: seal}
//	defer host.Close()
//	host.Prepare(&opts)
//	report, err := workbook.Run(ctx, opts)
//
// [Host.PrepareFor] does the same for a workbook that an agent or a server
// starts: it holds what its starter holds, and nothing for good.
//
// Stores lie in the state directory: projects/DIGEST for what belongs to the
// directory of a workbook (keys and values, queues, volumes), tenants/TENANT for
// the user's variables and secrets.
package capability
