package app

import (
	"context"
	"fmt"

	"wb/agent/issues"
)

// IssuesDir is where the tickets are.
type IssuesDir struct {
	Dir string `help:"The directory with issues.org; the current one by default." default:"." type:"existingdir"`
}

// IssuesListIn holds the arguments of wb issues list.
type IssuesListIn struct {
	IssuesDir
	All bool `help:"Also list tickets that are done."`
}

var issuesList = Verb[IssuesListIn, []issues.Ticket]{
	Name: "issues list", Help: "List tickets that agents filed.", About: "Example:\n  wb issues list --all",
	Do: func(_ context.Context, _ *Home, in *IssuesListIn) ([]issues.Ticket, error) {
		all, err := issues.Read(issues.File(in.Dir))
		shown := []issues.Ticket{}
		for _, t := range all {
			if in.All || !t.Done {
				shown = append(shown, t)
			}
		}
		return shown, err
	},
	Text: listed(func(t issues.Ticket) string {
		line := fmt.Sprintf("%s  %-4s  %s", t.ID, t.State, t.Title)
		switch {
		case t.Worker != "":
			line += "  (" + t.Worker + " works on it)"
		case t.Attempts > 0 && !t.Done:
			line += fmt.Sprintf("  (tried %d times)", t.Attempts)
		}
		return line
	}),
}

// IssuesShowIn holds the arguments of wb issues show.
type IssuesShowIn struct {
	ID string `arg:"" help:"Id of the ticket, or its beginning."`
	IssuesDir
}

var issuesShow = Verb[IssuesShowIn, *issues.Ticket]{
	Name: "issues show", Help: "Show a ticket with its notes.", About: "Example:\n  wb issues show issue-3f2a",
	Do: func(_ context.Context, _ *Home, in *IssuesShowIn) (*issues.Ticket, error) {
		all, err := issues.Read(issues.File(in.Dir))
		if err != nil {
			return nil, err
		}
		return issues.Find(all, in.ID)
	},
	Text: func(p *Page, t *issues.Ticket) error {
		p.Printf("%s %s %s\nfiled %s, tried %d times\n\n%s\n", t.ID, t.State, t.Title, t.Created, t.Attempts, t.Text)
		return nil
	},
}
