package broker

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"wb/sandbox/dock"
)

// ServeLimits bound a server of a guest; zero fields have the values of
// [DefaultServeLimits].
type ServeLimits struct {
	Requests    int           // answered at most before serving is over
	Connections int           // open at the same time
	Waiting     int           // requests that the guest has not taken yet
	Rate        int           // requests of one client a minute
	Body        int64         // bytes of a request's body, or of what a TCP client sends
	Header      int           // bytes of a request's header
	Slow        time.Duration // a client has for sending its request, and for reading the reply
	Answer      time.Duration // the guest has for answering one
}

// DefaultServeLimits bound a server that says nothing else.
var DefaultServeLimits = ServeLimits{Requests: 10_000, Connections: 64, Waiting: 64, Rate: 600, Body: 1 << 20, Header: 64 << 10, Slow: 5 * time.Second, Answer: 10 * time.Second}

func (l ServeLimits) withDefaults() ServeLimits {
	d := DefaultServeLimits
	for _, f := range []struct{ to, from *int }{{&l.Requests, &d.Requests}, {&l.Connections, &d.Connections}, {&l.Waiting, &d.Waiting}, {&l.Rate, &d.Rate}, {&l.Header, &d.Header}} {
		if *f.to == 0 {
			*f.to = *f.from
		}
	}
	if l.Body == 0 {
		l.Body = d.Body
	}
	if l.Slow == 0 {
		l.Slow = d.Slow
	}
	if l.Answer == 0 {
		l.Answer = d.Answer
	}
	return l
}

// ServeConfig says how guests may serve.
type ServeConfig struct {
	Limits ServeLimits
	// Time is how long serving may last: less than the guest's own time, so that
	// it can end well. Zero is no bound.
	Time time.Duration
	// Started hears of each server by its address; nil is silent.
	Started func(call *dock.Call, address string)
	// Now is the clock that rates are counted by; nil is the system's.
	Now func() time.Time
}

// errOver says that a server takes no more requests.
var errOver = errors.New("serving is over")

// inbox is the shared part of the HTTP and TCP servers: one listener, the
// requests that wait for the guest, and those that wait for its answer.
type inbox[Request, Answer any] struct {
	config ServeConfig

	mu       sync.Mutex
	over     context.Context // nil before the first listen
	stop     context.CancelFunc
	pending  chan *visit[Request, Answer]
	taken    map[string]*visit[Request, Answer] // by the guest, not answered yet
	writing  sync.WaitGroup                     // answers on their way to clients
	left     int                                // requests that may still be taken
	last     int                                // id given
	clients  map[netip.Addr]*clientRate
	tallied  time.Time
	listener net.Listener
}

// visit is a request on its way to the guest.
type visit[Request, Answer any] struct {
	id       string
	request  Request
	answer   chan Answer // holds one
	answered bool        // the guest has answered
	gone     bool        // the client waits no more
}

// clientRate counts the requests of one client in a minute.
type clientRate struct{ n int }

func newInbox[Request, Answer any](config ServeConfig) *inbox[Request, Answer] {
	config.Limits = config.Limits.withDefaults()
	if config.Now == nil {
		config.Now = time.Now
	}
	return &inbox[Request, Answer]{config: config}
}

// listenOptions are those of both kinds of server.
type listenOptions struct {
	Requests int     `json:"requests"`
	Seconds  float64 `json:"seconds"`
	Until    string  `json:"until"` // tcpserve only
}

// listen opens the port that a call names, and gives the listener; serving goes
// on until the inbox is closed.
func (b *inbox[Request, Answer]) listen(call *dock.Call, o listenOptions) (net.Listener, error) {
	address, err := listenAddress(call)
	if err != nil {
		return nil, err
	}
	if o.Requests < 0 || o.Requests > b.config.Limits.Requests {
		return nil, dock.Errorf(dock.CodeLimit, "%s: requests must be at most %d", call.Operation, b.config.Limits.Requests)
	}
	if o.Seconds < 0 {
		return nil, dock.Errorf(dock.CodeInvalid, "%s: seconds must not be negative", call.Operation)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over != nil && b.over.Err() == nil {
		return nil, dock.Errorf(dock.CodeLimit, "%s: already serving on %s; close that first", call.Operation, b.listener.Addr())
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		why := "cannot be had"
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			why = "is in use"
		case errors.Is(err, syscall.EACCES):
			why = "needs rights that this user lacks"
		case errors.Is(err, syscall.EADDRNOTAVAIL):
			why = "is not on an address of this machine"
		}
		return nil, dock.Errorf(dock.CodeFailed, "%s: the port of %s %s", call.Operation, address, why)
	}
	b.listener = &boundedListener{Listener: listener, slots: make(chan struct{}, b.config.Limits.Connections)}
	b.left = b.config.Limits.Requests
	if o.Requests > 0 {
		b.left = o.Requests
	}
	b.pending = make(chan *visit[Request, Answer], b.config.Limits.Waiting)
	b.taken = map[string]*visit[Request, Answer]{}
	b.clients = map[netip.Addr]*clientRate{}
	lasts := b.config.Time
	if own := seconds(o.Seconds); own > 0 && (lasts == 0 || own < lasts) {
		lasts = own
	}
	if lasts == 0 {
		b.over, b.stop = context.WithCancel(call.Run())
	} else {
		b.over, b.stop = context.WithTimeout(call.Run(), lasts)
	}
	call.Watch(b.over, b.stop)
	if b.config.Started != nil {
		b.config.Started(call, listener.Addr().String())
	}
	return b.listener, nil
}

// listenAddress is where a call may listen: on this machine's own interface,
// unless the grant names another.
//
//	serve                 any port of 127.0.0.1
//	serve:8080            this port of 127.0.0.1
//	serve:0.0.0.0:8080    this port of every interface
func listenAddress(call *dock.Call) (string, error) {
	asked := call.Text(0)
	host, port := "127.0.0.1", asked
	if strings.Contains(asked, ":") {
		var err error
		if host, port, err = net.SplitHostPort(asked); err != nil {
			return "", dock.Errorf(dock.CodeInvalid, "%s: the address is PORT or HOST:PORT", call.Operation)
		}
	}
	if port == "" {
		port = "0"
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || port != strconv.FormatUint(n, 10) {
		return "", dock.Errorf(dock.CodeInvalid, "%s: port %.20q is not between 0 and 65535", call.Operation, port)
	}
	ip, err := netip.ParseAddr(host)
	if host == "localhost" {
		ip, err = netip.MustParseAddr("127.0.0.1"), nil
	}
	if err != nil || ip.Zone() != "" {
		return "", dock.Errorf(dock.CodeInvalid, "%s: %.60q is not an address of this machine", call.Operation, host)
	}
	address := netip.AddrPortFrom(ip, 0).Addr().String()
	full := net.JoinHostPort(address, port)
	if ip.IsLoopback() {
		if call.Scope != nil && !call.Within(port) && !call.Within(full) {
			return "", outside(call, port)
		}
		return full, nil
	}
	if call.Scope == nil || !call.Within(full) {
		e := dock.Errorf(dock.CodeDenied, "%s is granted for this machine only, not for %s", call.Operation.Capability, full)
		e.Help = "wb run --grant " + call.Operation.Capability + ":" + full
		return "", e
	}
	return full, nil
}

// running is the context of the server, nil when there is none.
func (b *inbox[Request, Answer]) running() (context.Context, chan *visit[Request, Answer]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.over, b.pending
}

// hand is the guest's next request, named by its id, as a reply to the guest:
// nothing when serving is over.
func (b *inbox[Request, Answer]) hand(ctx context.Context, call *dock.Call, name func(*Request, string)) (dock.Reply, error) {
	id, request, err := b.next(ctx, call)
	switch {
	case errors.Is(err, errOver):
		return dock.Reply{}, nil
	case err != nil:
		return dock.Reply{}, err
	}
	name(&request, id)
	return answer(call, request, nil)
}

// next waits for the next request that the guest has to answer.
func (b *inbox[Request, Answer]) next(ctx context.Context, call *dock.Call) (id string, request Request, err error) {
	over, pending := b.running()
	if over == nil {
		return "", request, dock.Errorf(dock.CodeInvalid, "%s: listen first", call.Operation)
	}
	b.mu.Lock()
	spent := b.left <= 0
	if !spent {
		b.left--
	}
	b.mu.Unlock()
	if spent {
		b.close()
		return "", request, errOver
	}
	for {
		select {
		case v := <-pending:
			b.mu.Lock()
			gone := v.gone
			if !gone {
				b.taken[v.id] = v
			}
			b.mu.Unlock()
			if !gone {
				return v.id, v.request, nil
			}
		case <-over.Done():
			return "", request, errOver
		case <-ctx.Done():
			return "", request, ctx.Err()
		}
	}
}

// reply gives the guest's answer to who waits for it.
func (b *inbox[Request, Answer]) reply(call *dock.Call, a Answer) (dock.Reply, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	v := b.taken[call.Text(0)]
	if v == nil {
		return dock.Reply{}, dock.Errorf(dock.CodeNotFound, "%s: no request %.20q waits for an answer", call.Operation, call.Text(0))
	}
	delete(b.taken, v.id)
	v.answered = true
	b.writing.Add(1)
	v.answer <- a
	return dock.Found(nil), nil
}

// Why a request was not passed on to the guest.
var (
	errRate    = errors.New("too many requests")
	errWaiting = errors.New("too many requests wait")
	errSlow    = errors.New("no answer in time")
)

// ask passes a request on to the guest, and what it answers to write.
func (b *inbox[Request, Answer]) ask(ctx context.Context, client string, request Request, write func(Answer)) error {
	if !b.rate(client) {
		return errRate
	}
	b.mu.Lock()
	b.last++
	v := &visit[Request, Answer]{id: strconv.Itoa(b.last), request: request, answer: make(chan Answer, 1)}
	over, pending := b.over, b.pending
	b.mu.Unlock()
	select {
	case pending <- v:
	default:
		return errWaiting
	}
	patience := time.NewTimer(b.config.Limits.Answer)
	defer patience.Stop()
	var err error
	select {
	case a := <-v.answer:
		b.write(a, write)
		return nil
	case <-patience.C:
		err = errSlow
	case <-ctx.Done():
		err = ctx.Err()
	case <-over.Done():
		err = errOver
	}
	b.mu.Lock()
	v.gone = true
	delete(b.taken, v.id)
	answered := v.answered
	b.mu.Unlock()
	if answered { // in the same moment
		b.write(<-v.answer, write)
		return nil
	}
	return err
}

// write passes an answer to the client.
func (b *inbox[Request, Answer]) write(a Answer, write func(Answer)) {
	defer b.writing.Done()
	write(a)
}

// maxClients bounds the table of rates; more clients than that a minute share
// one rate.
const maxClients = 4096

// rate counts a request of a client and reports whether it is within the rate.
func (b *inbox[Request, Answer]) rate(client string) bool {
	from, _ := netip.ParseAddrPort(client) // of a connection; else all share the zero address
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := b.config.Now(); now.Sub(b.tallied) >= time.Minute {
		b.tallied = now
		clear(b.clients)
	}
	key := from.Addr().Unmap()
	if b.clients[key] == nil && len(b.clients) >= maxClients {
		key = netip.Addr{}
	}
	if b.clients[key] == nil {
		b.clients[key] = &clientRate{}
	}
	b.clients[key].n++
	return b.clients[key].n <= b.config.Limits.Rate
}

// close ends serving, once the answers that were given are with the clients.
func (b *inbox[Request, Answer]) close() {
	b.mu.Lock()
	stop := b.stop
	b.mu.Unlock()
	if stop == nil {
		return
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		b.writing.Wait()
	}()
	select {
	case <-written:
	case <-time.After(b.config.Limits.Slow):
	}
	stop()
}

// lasting is a broker whose calls start what [dock.Dock.Close] ends.
type lasting struct {
	operations
	close func()
}

// Close implements io.Closer.
func (l lasting) Close() error {
	l.close()
	return nil
}

// boundedListener accepts so many connections at a time and hangs up on others.
type boundedListener struct {
	net.Listener
	slots chan struct{}
}

func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.slots <- struct{}{}:
			return &boundedConn{Conn: conn, free: sync.OnceFunc(func() { <-l.slots })}, nil
		default:
			_ = conn.Close()
		}
	}
}

type boundedConn struct {
	net.Conn
	free func()
}

func (c *boundedConn) Close() error {
	c.free()
	return c.Conn.Close()
}
