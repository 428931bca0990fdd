package org

// CountsAsTimestamp reports whether what looks like a timestamp is one where it
// stands, as agendas see it: in a headline, a planning line, a property or text, not
// in code or examples.
func (d *Document) CountsAsTimestamp(at int) bool {
	for n := d.At(at); n != nil; n = n.Parent() {
		switch n.Kind() {
		case KindPlanning, KindProperty:
			return true
		case KindHeadline, KindParagraph, KindItem, KindVerseBlock, KindTableRow, KindAffiliated:
			objects := d.Objects(n)
			if objects == nil {
				return false
			}
			for o := range objects.Walk() {
				if o.Kind() == KindTimestamp && o.Start() <= at && at < o.End() {
					return true
				}
			}
			return false
		}
	}
	return false
}
