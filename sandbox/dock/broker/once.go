package broker

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sync/atomic"

	"wb/sandbox/dock"
	"wb/sandbox/dock/store"
)

// Once makes brokers over a store do what a guest asks once, however often a guest
// that died is started again: each operation is known by who asks, how many it asked
// for before, and its arguments. A guest that is given the same answers asks for the
// same operations. Where who is "" nothing is changed.
func Once(s *store.Store, who string) func(dock.Broker) dock.Broker {
	asked := new(atomic.Int64) // of all the guest's brokers
	return func(b dock.Broker) dock.Broker {
		if who == "" {
			return b
		}
		return &onceBroker{b, s, who, asked}
	}
}

type onceBroker struct {
	dock.Broker
	store *store.Store
	who   string
	asked *atomic.Int64
}

func (b *onceBroker) Do(ctx context.Context, call *dock.Call) (dock.Reply, error) {
	part := store.Dock
	if call.Operation.Capability == "vfs" {
		part = store.Files
	}
	var failed error
	told, err := b.store.Once(ctx, part, b.id(call), func(ctx context.Context) (store.Told, error) {
		reply, err := b.Broker.Do(ctx, call)
		failed = err
		return store.Told(reply), err
	})
	if failed != nil { // as the guest may see it
		return dock.Reply{}, failed
	}
	if err != nil {
		return dock.Reply{}, fault(call, err)
	}
	return dock.Reply(told), nil
}

// id names an operation.
func (b *onceBroker) id(call *dock.Call) string {
	h := sha256.New()
	part := func(text []byte) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
		h.Write(text)
	}
	part([]byte(b.who))
	part(binary.LittleEndian.AppendUint64(nil, uint64(b.asked.Add(1))))
	part([]byte(call.Operation.String()))
	for _, arg := range call.Args {
		part(arg)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
