package api

import "wb/agent/schedule"

// Clock says what time it is and wakes who waits for a time.
type Clock = schedule.Clock
