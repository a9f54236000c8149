package history

// Unknown reports whether nobody knows what became of the call: it may have been done, or may yet be.
func (c Call) Unknown() bool {
	kind, _ := outcomeOf(&c)
	return kind == unknown
}
