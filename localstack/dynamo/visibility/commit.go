package visibility

import (
	"maps"
	"slices"
)

// Commit is a transaction that the engine has applied and that is not over. Its methods may be called at any time, by
// anyone, also within the function that Read asks.
type Commit struct {
	front  *Front
	token  string
	items  []item
	hidden map[Key]hiding // nil while the before-images are being read
	open   bool           // the engine has applied it
}

func (c *Commit) isOpen() bool {
	c.front.mu.Lock()
	defer c.front.mu.Unlock()
	return c.open
}

// Hidden returns the items that it has written and that are not shown, sorted.
func (c *Commit) Hidden() []Key {
	c.front.mu.Lock()
	defer c.front.mu.Unlock()
	return slices.SortedFunc(maps.Keys(c.hidden), compareKeys)
}

// Show shows items from now on. Those that are shown already, or not the commit's, change nothing.
func (c *Commit) Show(keys ...Key) {
	c.front.mu.Lock()
	defer c.front.mu.Unlock()
	for _, k := range keys {
		if _, is := c.hidden[k]; is {
			delete(c.hidden, k)
			delete(c.front.held, k)
		}
	}
}

// End shows what is hidden and lets go of everything. Ending it twice changes nothing.
func (c *Commit) End() {
	c.front.mu.Lock()
	defer c.front.mu.Unlock()
	c.release()
}

// release lets go of everything; the Front is locked.
func (c *Commit) release() {
	for _, i := range c.items {
		if c.front.held[i.Key] == c {
			delete(c.front.held, i.Key)
		}
	}
	if c.token != "" && c.front.underWay[c.token] == c {
		delete(c.front.underWay, c.token)
	}
	clear(c.hidden)
	c.open = false
	delete(c.front.open, c)
}
