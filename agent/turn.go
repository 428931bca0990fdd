package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wb/internal/sha"
	"wb/internal/trace"
)

// turn is the journal's record of a model's turn.
type turn struct {
	Request string        `json:"request"`         // digest of what was asked
	Asked   *asked        `json:"asked,omitempty"` // of the first turn
	Reply   Reply         `json:"reply"`
	Took    time.Duration `json:"took_ns"`
}

// asked holds the parts of the request that all turns of a run share. What differs in a later
// process, because the document was changed, is shown by it.
type asked struct {
	Model       string          `json:"model"`
	Temperature float64         `json:"temperature"`
	MaxTokens   int             `json:"max_tokens,omitempty"`
	System      string          `json:"system"`
	Task        string          `json:"task"`
	Tools       []ToolSpec      `json:"tools,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}

// askedIn is the part of a request that stays the same.
func (r *run) askedIn(request Request) *asked {
	return &asked{request.Model, request.Temperature, request.MaxTokens, r.agent.System, r.Task, request.Tools, request.Schema}
}

// String is text to compare line by line.
func (a *asked) String() string {
	if a == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "model: %s\ntemperature: %g\n", a.Model, a.Temperature)
	if a.MaxTokens > 0 {
		fmt.Fprintf(&b, "max_tokens: %d\n", a.MaxTokens)
	}
	fmt.Fprintf(&b, "\nsystem:\n%s\n\ntask:\n%s\n", a.System, a.Task)
	for _, t := range a.Tools {
		fmt.Fprintf(&b, "\ntool %s: %s\n%s\n", t.Name, t.Description, t.Schema)
	}
	if len(a.Schema) > 0 {
		fmt.Fprintf(&b, "\nschema:\n%s\n", a.Schema)
	}
	return b.String()
}

// ask puts the transcript to the model. What the turn may cost is reserved
// before and settled after.
func (r *run) ask(ctx context.Context, step int, tools []ToolSpec) (Reply, error) {
	request := r.request(r.transcript, tools)
	reserved, err := r.reserve(&request, r.main, 1)
	if err != nil {
		return Reply{}, err
	}
	key := fmt.Sprintf("turn/%d", r.trips)
	t, err := r.take(ctx, key, request, r.deadline)
	if err != nil {
		reserved.Settle(Bounds{})
		return Reply{}, err
	}
	used := r.cost(t.Reply.Usage)
	if len(t.Reply.Message.ToolCalls) > 0 {
		used.Steps = 1
	}
	reserved.Settle(used)
	r.counted(t)
	r.noteTurn(step, t)
	return t.Reply, nil
}

// request is a turn's question.
func (r *run) request(messages []Message, tools []ToolSpec) Request {
	return Request{Model: r.agent.Model, Messages: messages, Tools: tools, Temperature: r.agent.Temperature, MaxTokens: r.agent.MaxTokens,
		Schema: r.agent.OutputSchema(), Reasoning: r.agent.Reasoning}
}

// reserve sets aside the most a turn can cost. Where tokens or dollars are bounded,
// the answer's length is cut to what is left.
func (r *run) reserve(request *Request, from *Ledger, steps int64) (*Reservation, error) {
	prompt := r.promptTokens(*request)
	if room := r.room(from, prompt); room < unbounded {
		if request.MaxTokens == 0 { // providers refuse more than their models can say
			request.MaxTokens = assumedAnswer
		}
		request.MaxTokens = int(min(max(room, minAnswer), int64(request.MaxTokens)))
	}
	answer := int64(request.MaxTokens)
	return from.Reserve(Bounds{Steps: steps, Tokens: prompt + answer, USD: r.dollars(prompt, answer)})
}

// minAnswer is the shortest answer worth asking for, and assumedAnswer how long one
// may be in a run that is bounded, where :MAX_TOKENS: says nothing; in tokens. More
// room than unbounded is no bound.
const (
	minAnswer     = 32
	assumedAnswer = 4096
	unbounded     = 1 << 60
)

// room is how long the answer to a prompt may be, in tokens, for what is left.
func (r *run) room(from *Ledger, prompt int64) int64 {
	tokens, usd := from.left()
	room := tokens - prompt
	if paid := (usd - r.dollars(prompt, 0)) * 1e6 / r.Prices.Out; paid < unbounded { // without a price infinite, or no number
		room = min(room, int64(max(paid, 0)))
	}
	return room
}

// dollars is the price of tokens.
func (r *run) dollars(in, out int64) float64 {
	return (float64(in)*r.Prices.In + float64(out)*r.Prices.Out) / 1e6
}

// promptTokens estimates a request's tokens: what the provider counted for the part it
// has seen, and rather too many for what is new.
func (r *run) promptTokens(request Request) int64 {
	size := requestSize(request)
	r.askedSize = size
	if r.lastKnown > 0 && size >= r.knownSize {
		return r.lastKnown + size - r.knownSize
	}
	return size
}

// requestSize estimates the tokens of a request that no provider has counted.
func requestSize(request Request) int64 {
	messages := slices.Clone(request.Messages)
	var pictures int64
	for i := range messages {
		pictures += int64(len(messages[i].Pictures))
		messages[i].Pictures = nil
	}
	text, _ := json.Marshal([]any{messages, request.Tools, request.Schema})
	return tokensIn(text) + pictures*pictureTokens
}

// pictureTokens is the most tokens a picture costs at the known providers.
const pictureTokens = 1500

// tokensIn estimates rather too many: tokens of English and of code have about four
// bytes, and here three and a half; other letters count one each.
func tokensIn(text []byte) int64 {
	var plain, other int64
	for _, c := range string(text) {
		if c < 128 {
			plain++
		} else {
			other++
		}
	}
	return (plain*2+6)/7 + other
}

// counted remembers what the provider counted.
func (r *run) counted(t turn) {
	if t.Reply.Usage.TokensIn > 0 {
		r.lastKnown = t.Reply.Usage.TokensIn
		r.knownSize = r.askedSize
	}
}

// cost is the usage of a turn.
func (r *run) cost(u trace.Usage) Bounds {
	b := Bounds{Tokens: u.TokensIn + u.TokensOut, USD: u.CostUSD}
	if b.USD == 0 {
		b.USD = r.dollars(u.TokensIn, u.TokensOut)
	}
	return b
}

// take gets a turn from the journal or else from the model.
func (r *run) take(ctx context.Context, key string, request Request, stop time.Time) (turn, error) {
	lasting := request
	lasting.Reasoning = ""                // the environment may say another when a run goes on
	lasting.MaxTokens = r.agent.MaxTokens // what is left to spend differs when a run goes on
	text, err := json.Marshal(lasting)
	if err != nil {
		return turn{}, err
	}
	var t turn
	found, err := r.recorded(trace.EntryModel, key, &t)
	switch {
	case err != nil:
		return turn{}, err
	case found && r.retold != nil:
		r.retold(key, request, t, t.Request == sha.Hex(text))
		r.elapsed += t.Took
		return t, nil
	case found && t.Request != sha.Hex(text):
		return turn{}, &DivergedError{key, r.askedIn(lasting).String(), t.Asked.String()}
	case found:
		r.elapsed += t.Took
		return t, nil
	case r.Replay:
		return turn{}, &DivergedError{Key: key}
	}
	start := r.Now()
	asking, cancel := r.within(ctx, stop)
	defer cancel()
	reply, err := r.complete(asking, request, r.Delta)
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return turn{}, context.Canceled
		case errors.Is(asking.Err(), context.DeadlineExceeded):
			return turn{}, &BoundError{"timeout", fmt.Sprint(r.hardStop.Sub(r.started).Milliseconds())}
		}
		return turn{}, err
	}
	reply.Message = Message{Role: RoleAssistant, Content: reply.Message.Content, ToolCalls: reply.Message.ToolCalls}
	t = turn{Request: sha.Hex(text), Reply: reply, Took: r.Now().Sub(start)}
	if r.trips == 0 {
		t.Asked = r.askedIn(lasting)
	}
	return t, r.record(trace.EntryModel, key, t)
}

// noteTurn records a turn in the result and in the events.
func (r *run) noteTurn(step int, t turn) {
	t.Reply.Usage.CostUSD = r.cost(t.Reply.Usage).USD // by the user's prices where the provider names none
	r.result.Usage = r.result.Usage.Add(t.Reply.Usage)
	r.result.Report.Trips = append(r.result.Report.Trips, Trip{Index: r.trips, Finish: t.Reply.Finish, Usage: t.Reply.Usage, Duration: milliseconds(t.Took), Model: t.Reply.Model})
	r.trips++
	r.emit(trace.Event{Kind: trace.KindModelTurn, Step: step, Model: t.Reply.Model, Duration: t.Took, Usage: t.Reply.Usage, Output: t.Reply.Message.Content})
}

// wrapUpText asks for a conclusion.
const wrapUpText = "You have reached the end of what this run may use (%v). Do not call tools. Say now, from what you have found so far, the best answer you can give and what is still open."

// wrapUp is the turn held back for the end. The transcript is cut to what it
// can pay for: the beginning, and as much of the end as fits.
func (r *run) wrapUp(ctx context.Context, why *BoundError) (string, bool) {
	question := Message{Role: RoleUser, Content: fmt.Sprintf(wrapUpText, why)}
	for i, messages := range r.shortened(question) {
		request := r.request(messages, nil)
		if i == 0 { // with its calls; the tools stay, for endpoints that need them and for the prompt cache
			request.Tools, request.NoCalls = r.tools.specs, true
		}
		reserved, err := r.reserve(&request, r.outer, 0)
		if err != nil {
			continue
		}
		t, err := r.take(ctx, fmt.Sprintf("turn/%d", r.trips), request, r.hardStop)
		if err != nil {
			reserved.Settle(Bounds{})
			return "", false
		}
		reserved.Settle(r.cost(t.Reply.Usage))
		r.transcript = append(r.transcript, question, t.Reply.Message)
		r.noteTurn(0, t)
		return t.Reply.Message.Content, t.Reply.Message.Content != ""
	}
	return "", false
}

// shortened are transcripts for the last turn, longest first. Calls whose
// outputs are cut off would confuse the model, so from the first cut on only
// words are kept.
func (r *run) shortened(question Message) [][]Message {
	all := [][]Message{append(append([]Message{}, r.transcript...), question)}
	head := r.transcript[:min(2, len(r.transcript))]
	for _, room := range []int{16000, 6000, 2000, 800} {
		var tail []Message
		for i := len(r.transcript) - 1; i >= len(head) && room > 0; i-- {
			m := r.transcript[i]
			if m.Content == "" {
				continue
			}
			text := m.Content
			if len(text) > room {
				text = text[:room]
			}
			room -= len(text)
			role := RoleAssistant
			if m.Role != RoleAssistant {
				role, text = RoleUser, "(earlier output) "+text
			}
			tail = append([]Message{{Role: role, Content: text}}, tail...)
		}
		all = append(all, append(append(append([]Message{}, head...), tail...), question))
	}
	return all
}

// retry reports whether a turn that is to be mended counts as no step: so often
// in a row as the agent's definition says.
func (r *run) retry(step int) bool {
	if r.retriedStep != step {
		r.retriedStep, r.retries = step, 0
	}
	if r.retries >= r.agent.MaxRetries {
		return false
	}
	r.retries++
	r.main.spend(Bounds{Steps: -1})
	r.emit(trace.Event{Kind: trace.KindRetry, Step: step, Tool: "model", Output: fmt.Sprintf("attempt %d of %d to mend a program", r.retries, r.agent.MaxRetries)})
	return true
}
