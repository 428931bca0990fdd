package agent

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// Bounds is the most a run may use, and what a ledger has counted. A zero
// field of a limit is no limit.
type Bounds struct {
	Steps     int64         // model turns that called tools
	ToolCalls int64         // calls of tools
	Tokens    int64         // of prompts and answers together
	USD       float64       // what the provider charges
	BytesOut  int64         // bytes sent to the network by tools
	Wall      time.Duration // from the start of the run
}

// BoundError says which bound a call would break.
type BoundError struct {
	Name  string `json:"name"` // "max_steps", "timeout", "tokens", "usd", "tool_calls", "bytes_out", "day_usd", "month_tokens", …
	Limit string `json:"limit"`
}

func (e *BoundError) Error() string {
	switch e.Name {
	case "max_steps":
		return fmt.Sprintf("stopped: reached max_steps (%s)", e.Limit)
	case "timeout":
		return fmt.Sprintf("stopped: timeout after %s ms", e.Limit)
	}
	return fmt.Sprintf("stopped: budget %s exhausted (%s)", e.Name, e.Limit)
}

// Status is the status of a run that this bound ended.
func (e *BoundError) Status() string {
	switch e.Name {
	case "max_steps", "timeout":
		return e.Name
	}
	return StatusBudget
}

// Ledger counts what a run and the runs it starts use. Amounts are reserved
// before a call and settled after it, so that no bound is ever exceeded by
// calls that run at the same time. It is safe for concurrent use.
type Ledger struct {
	parent  *Ledger
	account Account // what outlives the process; nil for none
	limit   Bounds
	// ownSteps keeps the steps of this ledger from those above: a run that another
	// starts has its own, within the budgets of both.
	ownSteps bool

	mu       sync.Mutex
	settled  Bounds
	reserved Bounds
}

// Account limits what an agent spends over all its runs. Amounts are reserved in it
// and settled like those of a [Ledger]; package account keeps one in a file.
type Account interface {
	Reserve(amount Bounds) error
	Settle(reserved, used Bounds)
	// Left is how much may still be reserved; without a bound the largest number
	// there is, and an infinity of dollars.
	Left() (tokens int64, usd float64)
}

// Allowance bounds an [Account], by tokens and dollars.
type Allowance struct{ Day, Month, Total Bounds }

// NewAccountLedger starts a ledger whose amounts are also those of an account, and
// of parent, unless that is nil.
func NewAccountLedger(a Account, parent *Ledger) *Ledger { return &Ledger{parent: parent, account: a} }

// NewLedger starts a ledger. What is spent in it is also spent in parent,
// unless that is nil.
func NewLedger(limit Bounds, parent *Ledger) *Ledger { return &Ledger{parent: parent, limit: limit} }

// Reservation is an amount set aside for one call.
type Reservation struct {
	ledger *Ledger
	amount Bounds
	above  *Reservation
}

// Reserve sets an amount aside, here and in every ledger above, or says which
// bound it would break.
func (l *Ledger) Reserve(amount Bounds) (*Reservation, error) {
	if l == nil {
		return nil, nil
	}
	above, err := l.parent.Reserve(l.upward(amount))
	if err != nil {
		return nil, err
	}
	if l.account != nil {
		if err := l.account.Reserve(amount); err != nil {
			above.Settle(Bounds{})
			return nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.fits(amount); err != nil {
		if l.account != nil {
			l.account.Settle(amount, Bounds{})
		}
		above.Settle(Bounds{})
		return nil, err
	}
	l.reserved = l.reserved.plus(amount)
	return &Reservation{l, amount, above}, nil
}

// fits reports the bound that amount would break.
func (l *Ledger) fits(amount Bounds) error {
	used := l.settled.plus(l.reserved).plus(amount)
	for _, b := range []struct {
		name        string
		limit, used int64
	}{
		{"max_steps", l.limit.Steps, used.Steps}, {"tool_calls", l.limit.ToolCalls, used.ToolCalls},
		{"tokens", l.limit.Tokens, used.Tokens}, {"bytes_out", l.limit.BytesOut, used.BytesOut},
	} {
		if b.limit > 0 && b.used > b.limit {
			return &BoundError{b.name, fmt.Sprint(b.limit)}
		}
	}
	if l.limit.USD > 0 && used.USD > l.limit.USD*(1+1e-12) {
		return &BoundError{"usd", fmt.Sprintf("%g", l.limit.USD)}
	}
	return nil
}

// Settle replaces what was reserved by what was used.
func (r *Reservation) Settle(used Bounds) {
	if r == nil {
		return
	}
	r.ledger.mu.Lock()
	r.ledger.reserved = r.ledger.reserved.plus(r.amount.negative())
	r.ledger.settled = r.ledger.settled.plus(used)
	r.ledger.mu.Unlock()
	if r.ledger.account != nil {
		r.ledger.account.Settle(r.amount, used)
	}
	r.above.Settle(r.ledger.upward(used))
}

// spend settles an amount that was used before this process.
func (l *Ledger) spend(amount Bounds) {
	for ; l != nil; l = l.parent {
		l.mu.Lock()
		l.settled = l.settled.plus(amount)
		l.mu.Unlock()
		amount = l.upward(amount)
	}
}

// upward is the part of an amount that the ledgers above count, too.
func (l *Ledger) upward(amount Bounds) Bounds {
	if l.ownSteps {
		amount.Steps = 0
	}
	return amount
}

// Used returns the amount settled so far.
func (l *Ledger) Used() Bounds {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.settled
}

// left is how much may still be reserved: the least over this ledger and those above.
// Without a bound it is the largest number there is, and an infinity of dollars.
func (l *Ledger) left() (tokens int64, usd float64) {
	if l == nil {
		return math.MaxInt64, math.Inf(1)
	}
	tokens, usd = l.parent.left()
	if l.account != nil {
		t, d := l.account.Left()
		tokens, usd = min(tokens, t), min(usd, d)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit.Tokens > 0 {
		tokens = min(tokens, l.limit.Tokens-l.settled.Tokens-l.reserved.Tokens)
	}
	if l.limit.USD > 0 {
		usd = min(usd, l.limit.USD-l.settled.USD-l.reserved.USD)
	}
	return tokens, usd
}

// boundsUSD reports whether this ledger or one above bounds dollars.
func (l *Ledger) boundsUSD() bool {
	_, left := l.left()
	return !math.IsInf(left, 1)
}

// overriddenBy replaces the bounds that o gives.
func (b Bounds) overriddenBy(o Bounds) Bounds {
	pick := func(to *int64, from int64) {
		if from != 0 {
			*to = from
		}
	}
	pick(&b.Steps, o.Steps)
	pick(&b.ToolCalls, o.ToolCalls)
	pick(&b.Tokens, o.Tokens)
	pick(&b.BytesOut, o.BytesOut)
	pick((*int64)(&b.Wall), int64(o.Wall))
	if o.USD != 0 {
		b.USD = o.USD
	}
	return b
}

func (b Bounds) plus(c Bounds) Bounds {
	return Bounds{b.Steps + c.Steps, b.ToolCalls + c.ToolCalls, b.Tokens + c.Tokens, b.USD + c.USD, b.BytesOut + c.BytesOut, b.Wall + c.Wall}
}

func (b Bounds) negative() Bounds {
	return Bounds{-b.Steps, -b.ToolCalls, -b.Tokens, -b.USD, -b.BytesOut, -b.Wall}
}
