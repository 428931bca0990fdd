// Package hostile is a corpus of what a hostile guest asks of the dock: sizes one
// over the limit, names that lead elsewhere, SQL that writes, JSON bombs, NULs,
// fan-out, other tenants' names, secrets, addresses inside the network, and calls
// after a revocation. It is data, so that the same cases run wherever guests do:
//
//	hostile.Run(t, func(t testing.TB, d *dock.Dock) hostile.Guest { return d.Serve })
//
// A tier passes its own way from a guest's frame to the dock and back. Every case
// has its outcome, and whatever the outcome, no reply holds a canary: the values
// of another tenant, the user's secrets, what answers inside the network.
//
// Attacks on requests over HTTP have a corpus of their own in package netbroker.
package hostile
