package agenda

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Group is the items that have something in common.
type Group struct {
	Name  string  `json:"name"`
	Items []*Item `json:"items"`
}

// otherItems is the name of the group of items that belong to no other.
const otherItems = "Other items"

// Groups are the criteria for grouping items; property:NAME goes by a property.
var Groups = []string{"tag", "todo", "priority", "file", "category", "property:NAME"}

// IsGroup reports whether items can be grouped by this.
func IsGroup(by string) bool {
	name, ok := strings.CutPrefix(by, "property:")
	return ok && name != "" || !ok && slices.Contains(Groups, by)
}

// GroupBy parts the items of each day, or of the list, into groups. Tags make one
// group of all that an item has; groups are in the order of their names, keywords
// in that of their declaration, and items that have none come last.
func (v *View) GroupBy(by string) {
	order := map[string]int{}
	v.Groups, v.Items = groups(v.Items, by, order), nil
	for i := range v.Days {
		page := &v.Days[i]
		page.Groups, page.Items, page.grid = groups(page.Items, by, order), nil, nil
	}
}

func groups(items []*Item, by string, order map[string]int) []Group {
	if len(items) == 0 {
		return nil
	}
	found := map[string][]*Item{}
	for _, item := range items {
		name := item.groupName(by)
		if _, ok := order[name]; !ok && by == "todo" {
			order[name] = item.stateRank
		}
		found[name] = append(found[name], item)
	}
	var list []Group
	for _, name := range slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		last := func(name string) int {
			if name == otherItems {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(order[a], order[b]), cmp.Compare(a, b))
	}) {
		list = append(list, Group{name, found[name]})
	}
	return list
}

// groupName is the name of the group that an item belongs to.
func (i *Item) groupName(by string) string {
	kind, value := "", ""
	switch by {
	case "tag":
		kind, value = "Tags", strings.Join(slices.Sorted(slices.Values(i.Tags)), ", ")
	case "todo":
		kind, value = "To-do", i.State
	case "priority":
		kind, value = "Priority", i.Entry.Priority
	case "file":
		kind, value = "File", filepath.Base(i.File)
	case "category":
		kind, value = "Category", i.Category
	default:
		name := strings.TrimPrefix(by, "property:")
		kind, value = name, i.Property(name)
	}
	if value == "" {
		return otherItems
	}
	return fmt.Sprintf("%s: %s", kind, value)
}
