package dynamo

import (
	"context"
	"encoding/json"
	"net/http"
)

// ControlPath is where the control answers: GET returns a Status, and POST of {"on": false} or {"on": true} switches.
const ControlPath = "/-/faultproxy"

// Switch turns the faults on or off. Off, it returns when nothing is under way that has met one: late attempts have
// arrived and commits are over, or else with the context's error.
func (p *Proxy) Switch(ctx context.Context, on bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.on = on
	if on {
		return nil
	}
	defer context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.changed.Broadcast()
	})()
	for p.pending > 0 && ctx.Err() == nil {
		p.changed.Wait()
	}
	if p.pending > 0 {
		return ctx.Err()
	}
	return nil
}

// What is counted beside faults.
const (
	held          = "held"            // transactions that held their items
	metConflict   = "met-conflict"    // refusals for what another transaction held
	metInProgress = "met-in-progress" // refusals of a token whose transaction was under way
	lateAccepted  = "late-accepted"   // late attempts that the engine said yes to
)

var effects = []string{held, metConflict, metInProgress, lateAccepted}

// Status is what a Proxy tells of itself.
type Status struct {
	On       bool           `json:"on"`
	Seed     uint64         `json:"seed"`
	Requests uint64         `json:"requests"` // in the sequence
	Pending  int            `json:"pending"`  // requests, late attempts and commits that are not over
	Faults   map[string]int `json:"faults"`   // how often each was met
	Effects  map[string]int `json:"effects"`  // what came of holds and of late attempts
}

// Status returns what has been counted.
func (p *Proxy) Status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Status{On: p.on, Seed: p.options.Seed, Requests: p.number, Pending: p.pending, Faults: map[string]int{}, Effects: map[string]int{}}
	for _, f := range All {
		s.Faults[string(f)] = p.counts[string(f)]
	}
	for _, e := range effects {
		s.Effects[e] = p.counts[e]
	}
	return s
}

// serveControl answers what is asked of the control.
func (p *Proxy) serveControl(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != ControlPath {
		http.NotFound(w, r)
		return
	}
	switch r.Method {
	case http.MethodGet:
	case http.MethodPost:
		var wish struct{ On *bool }
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&wish); err != nil || wish.On == nil {
			http.Error(w, `want {"on": true} or {"on": false}`, http.StatusBadRequest)
			return
		}
		if err := p.Switch(r.Context(), *wish.On); err != nil {
			return // whoever asked is gone
		}
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "GET or POST", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(p.Status())
}
