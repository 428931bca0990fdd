package sandbox

import "golang.org/x/sys/unix"

// noReserve lets reservations exceed what memory and swap could hold.
const noReserve = unix.MAP_NORESERVE
