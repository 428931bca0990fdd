package result

// Prose is the text of a result that org-babel cannot find again by itself.
func (r *Result) Prose() string {
	if r.Words.Has("raw") || r.Wrapped {
		return r.Text()
	}
	return ""
}

func (r *Result) InlineProse() string {
	if r.Words.Has("raw") || r.Wrapped {
		return r.inlineText()
	}
	return ""
}
