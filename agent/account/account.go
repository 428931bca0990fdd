// Package account keeps what an agent has spent, over all its runs: whoever starts
// one, by hand, on a schedule or for a ticket, they share what :BUDGET_DAY_USD:,
// :BUDGET_MONTH_TOKENS: and the like allow.
//
// A book is a file of the state directory that processes change in turn. What a turn
// of the model may cost is reserved in it before, and settled after, so that runs at
// the same time do not exceed together what each may spend alone. What a process had
// reserved when it died counts as spent: the provider may have charged it. A run that
// is resumed pays for no turn twice.
package account

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"wb/agent"
	"wb/internal/trace"
	"wb/internal/whole"
)

// Amount is an amount of tokens, dollars and calls.
type Amount struct {
	Tokens int64   `json:"tokens"`
	USD    float64 `json:"usd"`
}

func (a Amount) plus(b Amount) Amount  { return Amount{a.Tokens + b.Tokens, a.USD + b.USD} }
func (a Amount) minus(b Amount) Amount { return Amount{a.Tokens - b.Tokens, a.USD - b.USD} }

// beyond is how much of a exceeds b.
func (a Amount) beyond(b Amount) Amount {
	return Amount{max(0, a.Tokens-b.Tokens), max(0, a.USD-b.USD)}
}

func amountOf(b agent.Bounds) Amount { return Amount{b.Tokens, b.USD} }

// Book is the content of the file.
type Book struct {
	Agent string            `json:"agent"`
	File  string            `json:"file,omitempty"` // the document
	Days  map[string]Amount `json:"days"`           // by 2026-11-21, local time
	Total Amount            `json:"total"`
	Runs  map[string]*Entry `json:"runs"` // by root run
}

// Entry is a run in a book.
type Entry struct {
	Run      string    `json:"run"` // the latest of those resumed from each other
	Used     Amount    `json:"used"`
	Reserved Amount    `json:"reserved"`
	At       time.Time `json:"at"`
}

// keptDays is how long single days and runs are remembered; the total is for good.
const keptDays = 62 * 24 * time.Hour

const dayFormat = "2006-01-02"

// Spent holds the amounts spent on a day, in its month, and in total.
func (b *Book) Spent(now time.Time) (day, month, total Amount) {
	for d, a := range b.Days {
		if d[:7] == now.Format(dayFormat)[:7] {
			month = month.plus(a)
		}
	}
	return b.Days[now.Format(dayFormat)], month, b.Total
}

// reserved sums the reservations of all runs but one.
func (b *Book) reserved(but string) Amount {
	var sum Amount
	for root, e := range b.Runs {
		if root != but {
			sum = sum.plus(e.Reserved)
		}
	}
	return sum
}

// spend books an amount.
func (b *Book) spend(a Amount, now time.Time) {
	day := now.Format(dayFormat)
	b.Days[day] = b.Days[day].plus(a)
	b.Total = b.Total.plus(a)
}

// Config says whose account is opened, and for which run.
type Config struct {
	Path      string // of the book
	Agent     string
	File      string
	Allowance agent.Allowance
	Root, Run string // the run and the first of those it goes on with
	// Alive reports whether a run is going in some process.
	Alive func(run string) bool
	Now   func() time.Time // nil is time.Now
	// Warn hears that the book could not be written after something was spent.
	Warn func(error)
}

// Account is an account for one run; it implements [agent.Account].
type Account struct {
	config Config
	mu     sync.Mutex
	paid   Amount // settled by this process, turns of the journal included
	used   Amount // of the book's entry: what has been paid for by now
}

// Open readies an account. What runs that died had reserved is booked.
func Open(c Config) (*Account, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	a := &Account{config: c}
	err := Update(c.Path, func(b *Book) error {
		b.Agent, b.File = c.Agent, c.File
		now := c.Now()
		for root, e := range b.Runs {
			if e.Reserved != (Amount{}) && (root == c.Root || c.Alive == nil || !c.Alive(e.Run)) {
				b.spend(e.Reserved, now)
				e.Used, e.Reserved = e.Used.plus(e.Reserved), Amount{}
			}
			if now.Sub(e.At) > keptDays {
				delete(b.Runs, root)
			}
		}
		maps.DeleteFunc(b.Days, func(d string, _ Amount) bool { return d < now.Add(-keptDays).Format(dayFormat) })
		if b.Runs[c.Root] == nil {
			b.Runs[c.Root] = &Entry{}
		}
		e := b.Runs[c.Root]
		e.Run, e.At = c.Run, now
		a.used = e.Used
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("account of %s: %w", c.Agent, err)
	}
	return a, nil
}

// window is a bound of an account and what counts against it.
type window struct {
	name  string
	limit agent.Bounds
	spent Amount
}

// Lasts reports whether a bound that was met at a time holds still: its day or month
// is not over, and its limit has not been changed.
func Lasts(b *agent.BoundError, met time.Time, w agent.Allowance, now time.Time) bool {
	for _, window := range windows(&Book{}, w, now) {
		kind, found := strings.CutPrefix(b.Name, window.name+"_")
		limit := fmt.Sprint(window.limit.Tokens)
		if kind == "usd" {
			limit = fmt.Sprintf("%g", window.limit.USD)
		}
		if !found || limit != b.Limit {
			continue
		}
		switch window.name {
		case "day":
			return met.Format(dayFormat) == now.Format(dayFormat)
		case "month":
			return met.Format(dayFormat)[:7] == now.Format(dayFormat)[:7]
		}
		return true
	}
	return false
}

func windows(b *Book, w agent.Allowance, now time.Time) []window {
	day, month, total := b.Spent(now)
	return []window{{"day", w.Day, day}, {"month", w.Month, month}, {"total", w.Total, total}}
}

// exceeded is the bound that an amount breaks.
func (w window) exceeded(more Amount) error {
	all := w.spent.plus(more)
	switch {
	case w.limit.Tokens > 0 && all.Tokens > w.limit.Tokens:
		return &agent.BoundError{Name: w.name + "_tokens", Limit: fmt.Sprint(w.limit.Tokens)}
	case w.limit.USD > 0 && all.USD > w.limit.USD*(1+1e-12):
		return &agent.BoundError{Name: w.name + "_usd", Limit: fmt.Sprintf("%g", w.limit.USD)}
	}
	return nil
}

// Reserve implements [agent.Account].
func (a *Account) Reserve(amount agent.Bounds) error {
	want := amountOf(amount)
	if want == (Amount{}) {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return Update(a.config.Path, func(b *Book) error {
		now := a.config.Now()
		e := a.entry(b)
		more := a.paid.plus(e.Reserved).plus(want).beyond(a.used)
		for _, w := range windows(b, a.config.Allowance, now) {
			if err := w.exceeded(b.reserved(a.config.Root).plus(more)); err != nil {
				return err
			}
		}
		e.Reserved, e.At = e.Reserved.plus(want), now
		return nil
	})
}

// Settle implements [agent.Account].
func (a *Account) Settle(reserved, used agent.Bounds) {
	held, spent := amountOf(reserved), amountOf(used)
	if held == (Amount{}) && spent == (Amount{}) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.paid = a.paid.plus(spent)
	more := a.paid.beyond(a.used)
	a.used = a.used.plus(more)
	err := Update(a.config.Path, func(b *Book) error {
		now := a.config.Now()
		e := a.entry(b)
		e.Reserved = e.Reserved.minus(held).beyond(Amount{})
		e.Used, e.At = a.used, now
		b.spend(more, now)
		return nil
	})
	if err != nil && a.config.Warn != nil { // what is reserved stays so: nothing more can be spent than with it
		a.config.Warn(fmt.Errorf("account of %s: %w", a.config.Agent, err))
	}
}

// Left implements [agent.Account].
func (a *Account) Left() (tokens int64, usd float64) {
	tokens, usd = math.MaxInt64, math.Inf(1)
	a.mu.Lock()
	defer a.mu.Unlock()
	b, err := Read(a.config.Path)
	if err != nil {
		return 0, 0
	}
	taken := b.reserved(a.config.Root).plus(a.entry(b).Reserved)
	paid := a.used.beyond(a.paid) // by a run that this one goes on with
	for _, w := range windows(b, a.config.Allowance, a.config.Now()) {
		if w.limit.Tokens > 0 {
			tokens = min(tokens, w.limit.Tokens-w.spent.Tokens-taken.Tokens+paid.Tokens)
		}
		if w.limit.USD > 0 {
			usd = min(usd, w.limit.USD-w.spent.USD-taken.USD+paid.USD)
		}
	}
	return tokens, usd
}

// entry is the run's own.
func (a *Account) entry(b *Book) *Entry {
	e := b.Runs[a.config.Root]
	if e == nil {
		e = &Entry{Run: a.config.Run, Used: a.used}
		b.Runs[a.config.Root] = e
	}
	return e
}

// Exhausted says which bound leaves nothing to spend, nil when there is something.
func Exhausted(path string, w agent.Allowance, now time.Time) error {
	b, err := Read(path)
	if err != nil {
		return err
	}
	for _, w := range windows(b, w, now) {
		if err := w.exceeded(Amount{1, 1e-9}); err != nil {
			return err
		}
	}
	return nil
}

// Read reads a book; one that is not there is empty.
func Read(path string) (*Book, error) {
	b := &Book{Days: map[string]Amount{}, Runs: map[string]*Entry{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// lockWait is how long a process waits for the others that change a book.
const lockWait = 10 * time.Second

// lock waits for its turn at a file.
func lock(path string) (unlock func(), err error) {
	beside := trace.NewState(filepath.Dir(path))
	for wait, waited := 100*time.Microsecond, time.Duration(0); ; waited += wait {
		unlock, ok, err := beside.Lock(filepath.Base(path))
		if ok || err != nil {
			return unlock, err
		}
		if waited > lockWait {
			return nil, fmt.Errorf("%s: another process has locked it", path)
		}
		time.Sleep(wait)
	}
}

// Update changes a book, one process after the other; an error of change leaves it
// as it was.
func Update(path string, change func(*Book) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	b, err := Read(path)
	if err != nil {
		return err
	}
	if err := change(b); err != nil {
		return err
	}
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return whole.File{}.Write(path, append(text, '\n'))
}
