package trace

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// crockford is the base-32 alphabet of ULIDs, in ASCII order, without I L O U.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// idLen is the length of a run id in bytes.
const idLen = 26

// IDs makes run ids: ULIDs, 26 characters that sort by the time they were
// made. Ids from one IDs strictly increase even within a millisecond and when
// the clock steps back. The zero IDs uses the system's clock and entropy; it is
// safe for concurrent use.
type IDs struct {
	Now     func() time.Time // nil is time.Now
	Entropy io.Reader        // nil is crypto/rand

	mu      sync.Mutex
	ms      uint64 // of the last id
	hi      uint16 // the upper 16 of its 80 random bits
	lo      uint64 // the lower 64
	started bool
}

// New returns the next id.
func (g *IDs) New() (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now
	if g.Now != nil {
		now = g.Now
	}
	ms := uint64(now().UnixMilli())
	if g.started && ms <= g.ms {
		g.lo++
		if g.lo == 0 {
			if g.hi++; g.hi == 0 {
				return "", errors.New("run id: more than 2^80 in a millisecond")
			}
		}
		return encodeID(g.ms, g.hi, g.lo), nil
	}
	var entropy = g.Entropy
	if entropy == nil {
		entropy = rand.Reader
	}
	var b [10]byte
	if _, err := io.ReadFull(entropy, b[:]); err != nil {
		return "", fmt.Errorf("run id: %w", err)
	}
	g.started, g.ms = true, ms
	g.hi, g.lo = binary.BigEndian.Uint16(b[:2])&0x7fff, binary.BigEndian.Uint64(b[2:]) // the top bit leaves room to count
	return encodeID(g.ms, g.hi, g.lo), nil
}

// encodeID writes 48 bits of time and 80 of entropy, five bits a character.
func encodeID(ms uint64, hi uint16, lo uint64) string {
	var id [idLen]byte
	upper, lower := ms<<16|uint64(hi), lo // 128 bits
	for i := idLen - 1; i >= 0; i-- {
		id[i] = crockford[lower&31]
		lower = lower>>5 | upper<<59
		upper >>= 5
	}
	return string(id[:])
}
