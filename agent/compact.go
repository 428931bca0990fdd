package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"wb/internal/trace"
)

// What becomes of a conversation that does not fit the model's window.
const (
	unshortened    = 2      // of its beginning, the prompt and the task, cannot be shortened
	keptMessages   = 6      // of its end stay as they are, unless there is nothing before them
	windowShare    = 4      // it is shortened when a fifth of the window is left: 4/5
	renderedLength = 1500   // characters of each message that the summary is made from
	renderedWhole  = 60_000 // characters of all of them
	maxCompactions = 2      // in a row, for one turn
	summaryTokens  = 1500   // the summary may have
	summaryHead    = "(What was said and done before, in short, because it no longer fits:)\n"
	summarySystem  = `You shorten the record of an agent at work so that it can go on from your text alone. Keep: the task and every instruction of the user, what was found out (names, numbers, paths, errors, to the letter), what was changed, what is still open. Leave out what no longer matters. No preface.`
)

// askShortened asks the model, and shortens the conversation first where it would not
// fit, or where the model's endpoint says that it does not.
func (r *run) askShortened(ctx context.Context, step int) (Reply, error) {
	for n := 0; ; n++ {
		key := fmt.Sprintf("compact/%d/%d", r.trips, n)
		if again, err := r.compactedBefore(key); err != nil {
			return Reply{}, err
		} else if again || n < maxCompactions && r.nearWindow() {
			if err := r.compact(ctx, step, key); err != nil {
				return Reply{}, err
			}
			continue
		}
		reply, err := r.ask(ctx, step, r.tools.specs)
		var full interface{ ContextExceeded() bool }
		if err == nil || n >= maxCompactions || !errors.As(err, &full) || !full.ContextExceeded() || len(r.transcript) <= unshortened {
			return reply, err
		}
		if err := r.compact(ctx, step, key); err != nil {
			return Reply{}, err
		}
	}
}

// compactedBefore reports whether the journal has a summary for this point.
func (r *run) compactedBefore(key string) (bool, error) {
	if r.Journal == nil {
		return false, nil
	}
	_, ok := r.Journal.Find(trace.EntryModel, key)
	return ok, nil
}

// nearWindow reports whether the next turn may not fit the model's window. A replay
// decides as its journal says.
func (r *run) nearWindow() bool {
	if r.Window <= 0 || r.Replay || len(r.transcript) <= unshortened {
		return false
	}
	size := r.promptTokens(r.request(r.transcript, r.tools.specs))
	return size > r.Window*windowShare/5 && size > r.compacted*5/4
}

// compact puts a summary in the place of the older part of the conversation. The
// summary is a turn of the model, kept in the journal as such.
func (r *run) compact(ctx context.Context, step int, key string) error {
	from, to := 1, len(r.transcript)-keptMessages
	for to > from && r.transcript[to].Role == RoleTool { // outputs stay with their calls
		to--
	}
	if to <= unshortened { // a few long messages: all of them are summed up
		to = len(r.transcript)
	}
	request := Request{Model: r.agent.Model, Temperature: r.agent.Temperature, MaxTokens: summaryTokens,
		Messages: []Message{{Role: RoleSystem, Content: summarySystem}, {Role: RoleUser, Content: rendered(r.transcript[from:to])}}}
	known, size := r.lastKnown, r.knownSize
	r.lastKnown = 0
	reserved, err := r.reserve(&request, r.main, 0)
	if err != nil {
		return err
	}
	t, err := r.take(ctx, key, request, r.deadline)
	if err != nil {
		reserved.Settle(Bounds{})
		r.lastKnown, r.knownSize = known, size
		return err
	}
	reserved.Settle(r.cost(t.Reply.Usage))
	r.result.Usage = r.result.Usage.Add(t.Reply.Usage)
	r.emit(trace.Event{Kind: trace.KindModelTurn, Step: step, Model: t.Reply.Model, Duration: t.Took, Usage: t.Reply.Usage, Output: summaryHead + t.Reply.Message.Content})
	task := Message{Role: RoleUser, Content: r.Task + "\n\n" + summaryHead + t.Reply.Message.Content}
	r.transcript = append([]Message{r.transcript[0], task}, r.transcript[to:]...)
	r.compacted = requestSize(r.request(r.transcript, r.tools.specs))
	return nil
}

// rendered is a conversation as a text to summarise: the beginning of every message,
// and of all of them the end.
func rendered(messages []Message) string {
	var all []string
	for _, m := range messages {
		text := m.Content
		for _, call := range m.ToolCalls {
			text += fmt.Sprintf("\n[calls %s %s]", call.Name, call.Args)
		}
		if runes := []rune(text); len(runes) > renderedLength {
			text = string(runes[:renderedLength-300]) + " … " + string(runes[len(runes)-300:])
		}
		all = append(all, m.Role+": "+strings.TrimSpace(text))
	}
	whole := []rune(strings.Join(all, "\n\n"))
	return string(whole[max(0, len(whole)-renderedWhole):])
}
