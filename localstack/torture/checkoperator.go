package main

// checkChanges: a change that is done has its record, and one that was refused has none.
func (e *evidence) checkChanges() {
	for _, c := range e.calls {
		if c.Change == "" {
			continue
		}
		switch _, recorded := e.facts.Changes[c.Change]; {
		case c.outcome == done && !recorded:
			e.report(c.subject(), "%s #%d is done, and has no record", c.Kind, c.N)
		case c.outcome == refused && recorded:
			e.report(c.subject(), "%s #%d failed, and has a record", c.Kind, c.N)
		}
	}
}
