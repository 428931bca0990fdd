package app

import (
	"context"
	"os"
	"path/filepath"

	"wb/proof/manifest"
	"wb/proof/verify"
	"wb/publish/page"
	"wb/publish/rebuild"
	"wb/publish/site"
	"wb/publish/site/deploy"
	"wb/workbook"
)

// carry puts into the page of a workbook that is published alone the source that
// its readers see, so that they can run it again. Where that would not give what
// the page says, it says why.
func (h *Home) carry(ctx context.Context, file string, config site.Config, job *deploy.Job) error {
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	plan := workbook.NewPlan(file, src)
	if len(plan.Components) == 0 {
		return nil
	}
	cannot := func(why, instead string) error {
		h.notef("readers cannot run the page again (wb verify --rebuild): %s", why)
		h.hint(instead)
		return nil
	}
	if len(job.Assertions[site.HomePage]) == 0 {
		return cannot("it records nothing about how its results were made", "run the workbook before you publish it")
	}
	name := filepath.Base(file)
	said := map[string]any{"path": name}
	carried := src
	switch config.Source {
	case "none":
		return cannot("#+PUBLISH_SOURCE: none keeps the source back", "")
	case "full":
	default:
		carried = page.Public(ctx, file, src)
		said["part"] = rebuild.Exported
		why, err := h.incomplete(ctx, file, src, carried)
		if err != nil {
			return err
		}
		if why != "" {
			return cannot(why, "#+PUBLISH_SOURCE: full publishes all of the source, sections and drawers that are not exported too")
		}
	}
	said["sha256"] = manifest.SHA256(carried)
	job.Assertions[site.HomePage] = append([]manifest.Assertion{{Label: verify.SourceLabel, Data: said}}, job.Assertions[site.HomePage]...)
	job.Carry = map[string]manifest.Files{site.HomePage: {name: carried}}
	return nil
}

// incomplete says why the part of a source that readers see does not give what is
// known of the whole, "" when it does. Nothing runs.
func (h *Home) incomplete(ctx context.Context, file string, src, public []byte) (string, error) {
	book, err := h.book(ctx, file, src)
	if err != nil {
		return "", err
	}
	whole, err := page.Facts(ctx, book)
	if err != nil {
		return "", err
	}
	book.Source = public
	part, err := page.Facts(ctx, book)
	if err != nil {
		return "", err
	}
	return page.CanRunAgain(whole, part), nil
}

// first tells which files the first release has besides pages.
func (h *Home) first(files []manifest.File) {
	const most = 20
	for i, f := range files {
		if i == most {
			h.notef("… and %s", Count(len(files)-most, "more file"))
			return
		}
		h.notef("the first release has %s, %d bytes, because a document links to it", f.Path, f.Size)
	}
}
