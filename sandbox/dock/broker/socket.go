package broker

import (
	"context"
	"encoding/json"
	"time"

	"wb/sandbox/dock"
	"wb/sandbox/netbroker"
)

// Socket sends one request over tcp, udp or tls, whichever network names, and
// reads its reply.
func Socket(web *netbroker.Broker, network string) dock.Broker {
	return operations{
		"request": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			x := netbroker.Exchange{Network: network, Address: call.Text(0), Data: call.Args[1]}
			var options struct {
				Until    string  `json:"until"`
				Bytes    int64   `json:"bytes"`
				KeepOpen bool    `json:"keepOpen"`
				Timeout  float64 `json:"timeout"`
			}
			if err := optionsOf(call, 2, &options, "{until, bytes, keepOpen, timeout}"); err != nil {
				return dock.Reply{}, err
			}
			if options.Bytes < 0 || options.Timeout < 0 {
				return dock.Reply{}, dock.Errorf(dock.CodeInvalid, "%s: bytes and timeout must not be negative", call.Operation)
			}
			x.Until, x.Bytes, x.KeepOpen = []byte(options.Until), options.Bytes, options.KeepOpen
			x.Timeout = seconds(options.Timeout)
			reply, err := web.Exchange(ctx, x)
			if err != nil {
				return dock.Reply{}, webError(err)
			}
			return dock.Found(reply), nil
		},
	}
}

// optionsOf reads an argument that is a JSON object, or nothing.
func optionsOf(call *dock.Call, i int, to any, shape string) error {
	if len(call.Args[i]) == 0 {
		return nil
	}
	if err := json.Unmarshal(call.Args[i], to); err != nil {
		return dock.Errorf(dock.CodeInvalid, "%s: %s are %s", call.Operation, call.Operation.Params[i].Name, shape)
	}
	return nil
}

// seconds is a number of seconds, an hour at most, as a duration.
func seconds(n float64) time.Duration { return time.Duration(min(n, 3600) * float64(time.Second)) }
