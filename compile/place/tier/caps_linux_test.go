package tier_test

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// capabilities are those this process has, in hex.
func capabilities() string {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var caps [2]unix.CapUserData
	if err := unix.Capget(&head, &caps[0]); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%08x%08x", caps[1].Effective|caps[1].Permitted, caps[0].Effective|caps[0].Permitted)
}
