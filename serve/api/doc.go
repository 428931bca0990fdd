// Package api serves agents and workbooks over HTTP: programs start runs and
// follow them as JSON, server-sent events or a WebSocket, people on a page that
// needs no script.
//
// # Runs
//
// POST /api/run answers 202 with an id as soon as the run is on disk. The run
// outlives its caller and the server: what it is about lies in the tenant's state
// directory, what it did in the run's journal, and a server that starts goes on
// with every run that had not ended. The id stays the same through that; the runs
// of the journal that stand behind it are listed as "runs".
//
// # Streams
//
// What happened in a run is a log of [Frame]s, numbered from 1. A reader has a
// position in the log and nothing else, so that a slow one holds up neither the
// run nor another reader, and one that comes back goes on after the last frame it
// has seen (Last-Event-ID, or ?after=N). The model's words as they come are told
// to whoever keeps up and are in no log.
//
// # Tenants
//
// A token belongs to one tenant, a tenant has one directory, one state directory
// and one signing key. Runs of others do not exist for it: it gets the same 404 as
// for an id that was never given. Without tokens there is one tenant, and the
// server refuses to listen on anything but the loopback interface.
package api
