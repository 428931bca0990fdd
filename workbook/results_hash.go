package workbook

// hash is what #+RESULTS[hash]: shows for a block with :cache yes.
func (t *task) hash() string {
	if t.digests == nil {
		return ""
	}
	return t.digests.Key()[:40]
}
