package run

import "time"

// saveEvery is how long results wait for others before they are written.
const saveEvery = 500 * time.Millisecond

// saver writes results while the run goes on.
type saver struct {
	news chan struct{} // holds one word: something has ended
	stop chan struct{}
	done chan struct{}
}

// newSaver saves, every now and then, while there is news.
func newSaver(save func() error) *saver {
	s := &saver{news: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.run(save)
	}()
	return s
}

func (s *saver) run(save func() error) {
	wait := saveEvery
	for {
		select {
		case <-s.stop:
			return
		case <-s.news:
		}
		select {
		case <-s.stop:
			return
		case <-time.After(wait):
		}
		start := time.Now()
		if err := save(); err != nil {
			return // the last save tries again and tells
		}
		wait = max(saveEvery, 4*time.Since(start)) // a file of gigabytes is not written all the time
	}
}

// ended says that a component's turn is over.
func (s *saver) ended() {
	if s == nil {
		return
	}
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// end waits until nothing is being written any more.
func (s *saver) end() {
	if s != nil {
		close(s.stop)
		<-s.done
	}
}
