package site

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"wb/proof/manifest"
)

// slot is where a part of a document stands in a page: what took the place of a mark.
// With it the part can be taken out of the page again, and put into another frame.
type slot struct {
	Mark     string
	At, Size int
}

// splice puts the parts of a document into a frame, and says where they are.
func splice(frame []byte, parts map[string]string) ([]byte, []slot) {
	rest, size := string(frame), len(frame)
	for _, part := range parts {
		size += len(part)
	}
	var out strings.Builder
	var slots []slot
	out.Grow(size)
	for {
		before, after, found := strings.Cut(rest, "<!--wb:")
		out.WriteString(before)
		if !found {
			return []byte(out.String()), slots
		}
		name, after, _ := strings.Cut(after, "-->")
		mark := "<!--wb:" + name + "-->"
		slots = append(slots, slot{mark, out.Len(), len(parts[mark])})
		out.WriteString(parts[mark])
		rest = after
	}
}

// takeOut gives the parts that were put into a page.
func takeOut(page []byte, slots []slot) map[string]string {
	parts := map[string]string{}
	for _, s := range slots {
		parts[s.Mark] = string(page[s.At : s.At+s.Size])
	}
	return parts
}

// inFrames puts the parts of a document into the frames of its pages.
func (b *Builder) inFrames(m *built) error {
	d, files, slots := m.doc, manifest.Files{}, map[string][]slot{}
	parts := map[string]map[string]string{}
	if m.page != nil {
		foot := m.foot.HTML
		if m.foot.Script != "" {
			foot += "<script type=\"module\" src=\"" + d.To(scriptOf(m.foot)) + "\"></script>\n"
		}
		parts = map[string]map[string]string{
			d.Page: {SlotHead: m.page.Head, SlotHeader: m.page.Header, SlotContents: m.page.TOC, SlotBody: m.page.Body,
				SlotProvenance: m.page.Provenance, SlotFoot: foot},
			sourceOf(d): {SlotBody: m.page.View},
			trailOf(d):  {SlotBody: m.page.Trail},
		}
	} else {
		for name, data := range m.framed {
			parts[name] = takeOut(data, m.Slots[name])
		}
	}
	for name, of := range parts {
		frame, ok, err := b.frameOf(name)
		if err != nil {
			return err
		}
		if ok || name == d.Page {
			files[name], slots[name] = splice(frame, of)
		}
	}
	m.framed, m.Slots, m.page = files, slots, nil
	return nil
}

// reframe puts pages that an earlier process built into the frames that are other ones
// now. A page that is not as it was left is made again.
func (b *Builder) reframe(ctx context.Context, r *Result) error {
	var lost []*Document
	for _, d := range b.p.Documents {
		m := b.pages[d.Path]
		if m.page != nil {
			continue
		}
		m.framed = manifest.Files{}
		slots := maps.Clone(m.Slots)
		for name, at := range m.Slots {
			old, ok, err := b.kept.frame(name)
			if err == nil && ok && bytes.Equal(old, b.frames[name]) {
				continue
			}
			data, err := b.kept.file(name)
			if err != nil {
				lost = append(lost, d)
				break
			}
			m.framed[name], slots[name] = splice(b.frames[name], takeOut(data, at))
		}
		m.Slots = slots
	}
	return b.rebuild(ctx, slices.Compact(lost), r)
}
