package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"wb/agent"
	"wb/org"
	"wb/org/orgfile"
	"wb/sandbox"
)

// Issues lets an agent file a ticket in issues.org of dir. Filing the same
// ticket again, in another run or because a run was resumed, adds nothing.
func Issues(dir string, now func() time.Time) agent.Tool {
	return &tool{name: "file_issue",
		description: "File a ticket about something you lack or that is broken. It is noted for people; carry on without it.",
		schema:      object("title string what is missing, in a line", "need string what you needed it for", "tried string what you tried instead"),
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			title := strings.Join(strings.Fields(args.Text("title")), " ")
			if title == "" {
				return agent.Output{}, errors.New("file_issue error: the title is empty")
			}
			id, call := issueID(title), callID(ctx)
			added, err := appendIssue(filepath.Join(dir, "issues.org"), id, call, issueText(id, call, title, args.Text("need"), args.Text("tried"), now()))
			if err != nil {
				return agent.Output{}, fmt.Errorf("file_issue error: %w", err)
			}
			text := fmt.Sprintf("filed %s: noted, carry on with what you have", id)
			if !added {
				text = fmt.Sprintf("%s is already filed: carry on with what you have", id)
			}
			return agent.Output{Text: text}, nil
		}}
}

// issueID names a ticket by its title, whatever its case and spacing.
func issueID(title string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(title)))
	return "issue-" + hex.EncodeToString(sum[:5])
}

// callID names the call that filed a ticket, so that the same call, made again
// because its process died, gives the same answer.
func callID(ctx context.Context) string {
	key := agent.CallKey(ctx)
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:5])
}

func issueText(id, call, title, need, tried string, at time.Time) string {
	body := func(label, text string) string {
		text = strings.TrimSpace(string(sandbox.Neutralize([]byte(text))))
		return fmt.Sprintf("- %s :: %s\n", label, strings.ReplaceAll(text, "\n", "\n  "))
	}
	if call != "" {
		call = ":CALL: " + call + "\n"
	}
	return fmt.Sprintf("* TODO %s :issue:\n:PROPERTIES:\n:ID: %s\n%s:CREATED: %s\n:END:\n%s%s", strings.TrimLeft(title, "*"), id, call, at.Format("[2006-01-02 Mon 15:04]"),
		body("need", need), body("tried", tried))
}

// appendIssue adds a ticket unless one with its id is there. It says that it has
// added one, too, when the same call has done so before.
func appendIssue(path, id, call, text string) (added bool, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		if err = f.Close(); err != nil { // the title comes with the first ticket
			return false, err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	for {
		file, err := orgfile.Read(path)
		if err != nil {
			return false, err
		}
		for h := range file.Doc.Headlines() {
			if known, _ := h.Property("ID"); known == id {
				by, _ := h.Property("CALL")
				return by != "" && by == call, nil
			}
		}
		end, ticket := len(file.Doc.Source()), text
		if end == 0 {
			ticket = "#+TITLE: Issues filed by agents\n\n" + ticket
		} else if !strings.HasSuffix(file.Doc.Source(), "\n") {
			ticket = "\n" + ticket
		}
		_, err = file.Apply([]org.Edit{{Start: end, End: end, New: ticket}})
		var conflict *orgfile.ConflictError
		if errors.As(err, &conflict) { // another run filed one just now
			continue
		}
		return err == nil, err
	}
}
