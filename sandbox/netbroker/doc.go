// Package netbroker makes HTTP requests on behalf of code and documents that
// are not trusted with the network.
//
// A [Broker] is made for one principal with what the user granted it, and does
// every request itself; nothing below it opens a connection. Whatever was
// granted, a floor holds ([PublicAddress]): the host's name is resolved here,
// an address that is not public refuses the request, and the connection goes to
// the very address that was checked, so that a name cannot answer differently
// the second time. Every redirect is a new request with the same checks, and
// headers that carry credentials do not follow to another origin.
//
//	b := netbroker.New(netbroker.Config{Allow: grants, Log: sink})
//	reply, err := b.Get(ctx, "https://api.example.com/orders", header)
//
// Nothing is allowed unless a [Grant] says so. Bodies, headers, redirects and
// time are bounded by [Limits]. Every denial is reported to Config.Denied.
package netbroker
