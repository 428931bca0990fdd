// Package vm runs interpreters that are WASI programs: it starts one once,
// freezes it, and gives every job a machine revived from that snapshot, or the
// machine of the job's session. Lanes bring the toolchain and the functions to
// call; the machine brings standard streams, files, limits and sessions.
//
//	i := vm.New(env, vm.Config{Tool: "lua", File: "lua.wasm", Boot: boot})
//	m, release, err := i.Acquire(ctx, job)
//	defer release(alive)
//	results, err := m.Call(ctx, "wb_run", address)
package vm
