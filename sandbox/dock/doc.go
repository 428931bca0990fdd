// Package dock is where a guest asks for what it cannot do itself: keep a
// value, sign with a key it never sees, fetch a page, ask a model. A guest names
// an operation; the host decides, performs it and answers. No credential ever
// enters a guest.
//
// [Operations] is the table of operations. Everything that a language offers
// for them is made from that table: the module wb of JavaScript, TypeScript, Python,
// Lua, Ruby, Go, Rust and Zig, wb.h of C and C++, the command wb of the shell. A
// [Dock] belongs to one principal (a workbook or agent within a project) and
// serves the guests of one run:
//
//	d := dock.New(dock.Config{Principal: p, Granted: granted, Brokers: brokers})
//	reply, err := d.Call(ctx, "kv.get", []byte("count"))
//
// Every call passes the same gate, whatever the language and the broker: the
// operation exists, its capability was granted, the grant was not revoked, the
// rate is within bounds, arguments and reply are within their sizes. What does
// not pass is a [*Error] for the guest and, when it was refused, a [Denial] for
// the records.
//
// Guests reach a dock in three ways, all of them the same call:
//
//   - compiled ones import env.host_CAPABILITY (see [Dock.HostModule]); a module
//     that imports what was not granted is refused before it starts. A module in
//     WAT does so itself: host_CAPABILITY(frame, length) performs the call and
//     gives the reply's length, host_reply(to) copies the reply,
//   - interpreters whose programs are fixed open the file /dev/dock (see
//     [Dock.Device]), write a frame and read the reply,
//   - lanes that live in the host use [Dock.Call].
//
// A frame is, with lengths as little-endian u32,
//
//	[length][operation][count]([length][argument])*
//
// and a reply one byte of status (0 nothing there, 1 here it is, 2 an error as
// {"error":…,"code":…,"hint":…}) and the bytes.
package dock
