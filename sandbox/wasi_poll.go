package sandbox

import (
	"context"
	"encoding/binary"
	"time"
)

// The sizes of poll_oneoff's records, and its kinds of subscription.
const (
	subscriptionSize = 48
	eventSize        = 32

	pollClock = 0
	pollRead  = 1
	pollWrite = 2

	pollAbsolute = 1
)

// pollOneoff waits for the first of several things. Descriptors are always
// ready (reading one that has nothing yet is what waits); when there are only
// clocks it sleeps until the earliest.
func (in *Instance) pollOneoff(s []uint64) errno {
	count := uint32(s[2])
	if count == 0 || count > 4096 {
		return errnoInval
	}
	mem := in.Memory()
	subs, ok := mem.Read(uint32(s[0]), count*subscriptionSize)
	if !ok {
		return errnoFault
	}
	events, ok := mem.Read(uint32(s[1]), count*eventSize)
	if !ok {
		return errnoFault
	}
	wait, sleeping := in.pollWait(subs)
	if sleeping {
		in.sleep(wait)
	}
	done := uint32(0)
	for ; len(subs) > 0; subs = subs[subscriptionSize:] {
		kind := subs[8]
		e := errno(0)
		switch kind {
		case pollClock:
			if !sleeping || in.pollDelay(subs) > wait {
				continue
			}
		case pollRead, pollWrite:
			if in.fd(uint64(binary.LittleEndian.Uint32(subs[16:]))) == nil {
				e = errnoBadf
			}
		default:
			e = errnoInval
		}
		event := events[done*eventSize:][:eventSize]
		clear(event)
		copy(event[:8], subs[:8])
		binary.LittleEndian.PutUint16(event[8:], uint16(e))
		event[10] = kind
		if kind != pollClock {
			binary.LittleEndian.PutUint64(event[16:], 1)
		}
		done++
	}
	if !mem.WriteU32(uint32(s[3]), done) {
		return errnoFault
	}
	return 0
}

// pollWait is how long until the earliest clock fires; sleeping is false when
// a descriptor makes waiting unnecessary.
func (in *Instance) pollWait(subs []byte) (wait time.Duration, sleeping bool) {
	for ; len(subs) > 0; subs = subs[subscriptionSize:] {
		if subs[8] != pollClock {
			return 0, false
		}
		if d := in.pollDelay(subs); !sleeping || d < wait {
			wait, sleeping = d, true
		}
	}
	return wait, sleeping
}

// pollDelay is how far in the future a clock subscription fires.
func (in *Instance) pollDelay(sub []byte) time.Duration {
	timeout := binary.LittleEndian.Uint64(sub[24:])
	delay := time.Duration(min(timeout, 1<<62))
	if sub[40]&pollAbsolute == 0 {
		return delay
	}
	c := in.sys.clock
	if binary.LittleEndian.Uint32(sub[16:]) == clockRealtime {
		delay -= time.Duration(c.wall(in.fuelUsed()).UnixNano())
	} else {
		delay -= c.elapsed(in.fuelUsed())
	}
	return max(0, delay)
}

// sleep waits for d in real time, or moves virtual time forward.
func (in *Instance) sleep(d time.Duration) {
	if !in.sys.clock.real {
		in.sys.clock.virtual += min(d, 1<<61)
		if err := in.expired(in.calls.Context); err != nil {
			in.halt(err)
		}
		return
	}
	ctx, cancel := in.waitContext()
	defer cancel()
	in.haltIfExpired(sleepContext(ctx, d))
}

func sleepContext(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
