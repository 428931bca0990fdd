package fabric_test

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/compile/place/fabric"
)

// costs are what a piece of work costs whom, in processor time, as
// BenchmarkPiece measures it.
type costs struct {
	caller time.Duration // at its caller, who prepares and settles it
	server time.Duration // at the server: half when it is queued, half when it is done
	worker time.Duration // at its worker, besides the work itself
	hop    time.Duration // one way over the network
}

// measured are the costs of pieces of 1 KiB on the machine of docs/fabric.org.
var measured = costs{caller: 151 * time.Microsecond, server: 275 * time.Microsecond, worker: 230 * time.Microsecond, hop: 100 * time.Microsecond}

// tripled are the costs at three servers that keep three copies, at the busiest of
// them, and with the second hop that a message takes before it is stored.
var tripled = costs{caller: 154 * time.Microsecond, server: 440 * time.Microsecond, worker: 220 * time.Microsecond, hop: 200 * time.Microsecond}

// objects are those of pieces of 256 KiB, at one server.
var objects = costs{caller: 2774 * time.Microsecond, server: 3810 * time.Microsecond, worker: 3595 * time.Microsecond, hop: 2 * time.Millisecond}

// plant is a fabric to simulate.
type plant struct {
	costs
	workers int // with one slot each
	window  int
	callers int
	work    time.Duration // how long a piece takes at a worker
}

// outcome is how a plant did.
type outcome struct {
	rate   float64 // pieces a second
	caller float64 // share of its time that a caller is busy
	server float64
	worker float64
}

// station serves one piece after the other, first come first served.
type station struct{ free, busy time.Duration }

// serve is when a piece that comes at now is done, if it takes so long.
func (s *station) serve(now, takes time.Duration) time.Duration {
	s.free = max(s.free, now) + takes
	s.busy += takes
	return s.free
}

// event is something that happens in a simulation.
type event struct {
	at   time.Duration
	what func(now time.Duration)
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]
	return last
}

// simulate has n pieces of work done, event by event. The server is one station:
// its streams order what they store. Workers wait in a line as their requests do
// at the server.
func (p plant) simulate(n int) outcome {
	var queue events
	at := func(when time.Duration, what func(time.Duration)) { heap.Push(&queue, event{when, what}) }
	var server station
	callers := make([]station, p.callers)
	var waiting []int // pieces in the queue, by caller
	idle := p.workers
	busy := time.Duration(0)
	left, done := n, 0
	end := time.Duration(0)

	var offer func(now time.Duration)
	var post func(now time.Duration, caller int)
	offer = func(now time.Duration) {
		for idle > 0 && len(waiting) > 0 {
			caller := waiting[0]
			waiting = waiting[1:]
			idle--
			takes := p.worker + p.work
			busy += takes
			at(now+p.hop+takes+p.hop, func(now time.Duration) {
				at(server.serve(now, p.server/2), func(now time.Duration) {
					idle++ // its next request comes with the acknowledgement
					at(now+p.hop, func(now time.Duration) {
						at(callers[caller].serve(now, p.caller/2), func(now time.Duration) {
							done++
							end = now
							post(now, caller)
						})
					})
					offer(now)
				})
			})
		}
	}
	post = func(now time.Duration, caller int) {
		if left == 0 {
			return
		}
		left--
		at(callers[caller].serve(now, p.caller/2)+p.hop, func(now time.Duration) {
			at(server.serve(now, p.server/2), func(now time.Duration) {
				waiting = append(waiting, caller)
				offer(now)
			})
		})
	}
	for c := range p.callers {
		for range p.window {
			post(0, c)
		}
	}
	for len(queue) > 0 {
		e := heap.Pop(&queue).(event)
		e.what(e.at)
	}
	if done != n {
		panic("the simulation lost work")
	}
	seconds := end.Seconds()
	o := outcome{rate: float64(n) / seconds, server: server.busy.Seconds() / seconds, worker: busy.Seconds() / seconds / float64(p.workers)}
	for _, c := range callers {
		o.caller = max(o.caller, c.busy.Seconds()/seconds)
	}
	return o
}

// bound is the most a plant can do: what its busiest part can.
func (p plant) bound() float64 {
	round := (p.work + p.costs.worker + p.costs.server + p.costs.caller + 4*p.hop).Seconds()
	return min(
		float64(p.callers)/p.costs.caller.Seconds(),
		1/p.costs.server.Seconds(),
		float64(p.workers)/(p.work+p.costs.worker+2*p.hop+p.costs.server/2).Seconds(),
		float64(p.callers*p.window)/round)
}

// TestSimulation says where a fabric saturates, and checks that the simulation
// agrees with what its busiest part allows.
func TestSimulation(t *testing.T) {
	var table strings.Builder
	fmt.Fprintf(&table, "%8s %8s %10s %8s %8s %8s\n", "work", "workers", "pieces/s", "worker", "server", "caller")
	for _, work := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second} {
		for _, workers := range []int{1, 3, 10, 30, 100, 300, 1000} {
			p := plant{costs: measured, workers: workers, window: 4 * 1000, callers: 1, work: work}
			o := p.simulate(20 * max(workers, 500))
			if o.rate > 1.001*p.bound() || o.rate < .8*p.bound() {
				t.Errorf("work of %v, %d workers: %.0f pieces/s, where %.0f are possible", work, workers, o.rate, p.bound())
			}
			fmt.Fprintf(&table, "%8v %8d %10.0f %7.0f%% %7.0f%% %7.0f%%\n", work, workers, o.rate, 100*o.worker, 100*o.server, 100*o.caller)
		}
	}
	t.Logf("\n%s", table.String())
	// A second caller does not help: the server is the limit.
	one, two := plant{measured, 1000, 4000, 1, time.Millisecond}, plant{measured, 1000, 4000, 2, time.Millisecond}
	if a, b := one.simulate(20000).rate, two.simulate(20000).rate; math.Abs(a-b) > .05*a {
		t.Errorf("one caller has %.0f pieces/s done, two have %.0f", a, b)
	}
	// A window smaller than the crew leaves workers idle.
	narrow := plant{measured, 1000, 256, 1, time.Second}
	if o := narrow.simulate(10000); o.worker > .27 {
		t.Errorf("with a window of 256, 1000 workers are %.0f%% busy", 100*o.worker)
	}
}

// busyShare is how much of its time a crew has to be busy to be worth its machines.
const busyShare = .9

// bend is about the largest crew that one caller can keep busy, by bisection.
func (p plant) bend() int {
	low, high := 1, int(2*(p.work+p.costs.worker)/p.costs.server)
	for high-low > max(1, low/50) {
		p.workers = (low + high) / 2
		p.window = 2 * p.workers
		if p.simulate(10*p.workers+1000).worker >= busyShare {
			low = p.workers
		} else {
			high = p.workers
		}
	}
	return low
}

// TestBend says how large a crew may grow before workers wait for the server.
func TestBend(t *testing.T) {
	var table strings.Builder
	fmt.Fprintf(&table, "%8s %12s %14s %18s\n", "work", "one server", "three servers", "one, of objects")
	for _, work := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second} {
		fmt.Fprintf(&table, "%8v", work)
		for _, c := range []costs{measured, tripled, objects} {
			p := plant{costs: c, callers: 1, work: work}
			got, most := p.bend(), float64(work+c.worker)/float64(c.server)/busyShare
			if float64(got) > 1.05*most+1 || float64(got) < .8*most-4 {
				t.Errorf("%v at %+v bends at %d workers, where %.0f are possible", work, c, got, most)
			}
			fmt.Fprintf(&table, " %14d", got)
		}
		table.WriteByte('\n')
	}
	t.Logf("crews that are busy %.0f %% of their time:\n%s", 100*busyShare, table.String())
}

// TestCrew has work done by many workers of one process, each with a connection
// of its own, at a real server.
func TestCrew(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	s.config.Window = 2 * crew
	begin := time.Now()
	ctx, leave := context.WithCancel(context.WithoutCancel(t.Context()))
	var all, joined sync.WaitGroup
	work := func(ctx context.Context, j *fabric.Job) ([]byte, error) {
		select {
		case <-time.After(crewWork):
			return upper(ctx, j)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	lanes := make(chan struct{}, 32) // so many join at once
	for i := range crew {
		joined.Add(1)
		all.Go(func() {
			lanes <- struct{}{}
			c := s.config
			c.Name, c.User, c.Token = fmt.Sprintf("w%d", i), fabric.WorkerUser("ada"), s.tenant.WorkerToken
			link, err := fabric.Dial(ctx, c)
			<-lanes
			joined.Done()
			if err != nil {
				t.Error(err)
				return
			}
			defer link.Close()
			if err := fabric.NewWorker(link, fabric.WorkerConfig{Execute: work}).Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	joined.Wait()
	joining := time.Since(begin)
	q := s.queue(fabric.QueueConfig{})
	var pieces sync.WaitGroup
	begin = time.Now()
	n := 5 * crew
	for i := range n {
		pieces.Go(func() {
			r, err := q.Do(t.Context(), fabric.Work{Key: key(i), Body: fmt.Appendf(nil, "piece %d", i)})
			if err != nil || string(r.Body) != fmt.Sprintf("PIECE %d", i) {
				t.Errorf("piece %d: %v", i, err)
			}
		})
	}
	pieces.Wait()
	took := time.Since(begin)
	s.stored(uint64(n))
	load, err := s.server.Load()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d workers joined in %v; %d pieces of %v in %v, %.0f a second; %d connections, %d MiB in all", crew, joining.Round(time.Millisecond), n, crewWork,
		took.Round(time.Millisecond), float64(n)/took.Seconds(), load.Connections, load.Memory>>20)
	members, err := q.Link().Roll(t.Context(), time.Second)
	if err != nil || len(members) != crew {
		t.Errorf("%d of %d workers answer the roll: %v", len(members), crew, err)
	}
	leave()
	all.Wait()
}
