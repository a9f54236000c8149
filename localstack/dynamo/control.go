package dynamo

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
)

// ControlPath is the path of the control server. GET returns a Status. POST of {"on": false} or {"on": true} turns the
// faults off or on.
const ControlPath = "/-/dynamosim"

// Switch turns the faults on or off. When it turns them off, it waits until all requests that met a fault are finished,
// late attempts have arrived, and commits have ended. If the context ends earlier, Switch returns the context's error.
func (s *Simulator) Switch(ctx context.Context, on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.On = on
	if on {
		return nil
	}
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})()
	for s.status.Pending > 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.changed.Wait()
	}
	return nil
}

// Further counts, besides faults.
const (
	held          = "held"            // transactions that held their items
	metConflict   = "met-conflict"    // refusals for items that another transaction held
	metInProgress = "met-in-progress" // refusals of a token whose transaction was under way
	lateAccepted  = "late-accepted"   // late attempts that the engine accepted
)

// Status is a Simulator's report.
type Status struct {
	On       bool           `json:"on"`
	Seed     uint64         `json:"seed"`
	Requests uint64         `json:"requests"` // in the sequence
	Pending  int            `json:"pending"`  // requests, late attempts and open commits
	Faults   map[string]int `json:"faults"`   // how often each was met
	Effects  map[string]int `json:"effects"`  // outcomes of holds and of late attempts

	Capacity *capacity.Snapshot `json:"capacity,omitempty"` // the counts of the limits
}

// Status returns the counts.
func (s *Simulator) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.status
	status.Faults, status.Effects = maps.Clone(status.Faults), maps.Clone(status.Effects)
	return status
}

// serveControl answers requests to the control.
func (s *Server) serveControl(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		var wish struct{ On *bool }
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&wish); err != nil || wish.On == nil {
			http.Error(w, `want {"on": true} or {"on": false}`, http.StatusBadRequest)
			return
		}
		if err := s.Simulator.Switch(r.Context(), *wish.On); err != nil {
			return // the client has gone
		}
	}
	status := s.Simulator.Status()
	if s.limits != nil {
		snapshot := s.limits.Snapshot()
		status.Capacity = &snapshot
	}
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(status)
}
