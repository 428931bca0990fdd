//go:build openbsd || dragonfly

package index

import "syscall"

func changeTime(s *syscall.Stat_t) int64 { return s.Ctim.Nano() }
