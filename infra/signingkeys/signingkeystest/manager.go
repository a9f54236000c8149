// Package signingkeystest simulates a Secrets Manager with one secret for tests. It keeps the secret's versions, and
// moves a label only from the version that the caller names. At the same address it is the table with the public keys.
package signingkeystest

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/token"
)

// Manager is the Secrets Manager.
type Manager struct {
	URL   string
	Clock func() time.Time
	// Manager calls Before with the name of each operation before the operation, and Lose after it. If Lose returns
	// true, the client gets no answer. Both may be nil.
	Before func(operation string)
	Lose   func(operation string) bool

	mu       sync.Mutex
	current  string // the version with the label AWSCURRENT
	versions map[string]version
	writes   int
	public   map[string]any // the public keys that were published last, as attributes by their id
}

type version struct {
	text    string
	created time.Time
}

// New returns a Secrets Manager whose secret has the text. By the clock, its version was written now. If the text has
// keys, the table has their public keys.
func New(t testing.TB, clock func() time.Time, text string) *Manager {
	m := &Manager{Clock: clock, versions: map[string]version{}}
	m.Put(text)
	if keys, err := token.ParseSecret(text); err == nil {
		m.Publish(keys.Public())
	}
	server := httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(server.Close)
	m.URL = server.URL
	return m
}

// Put makes the text the current version, as if an operator had changed the secret by hand.
func (m *Manager) Put(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.current = uuid.NewString()
	m.versions[m.current] = version{text, m.Clock()}
}

// Publish makes the keys the public keys in the table, by their id.
func (m *Manager) Publish(keys map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.public = map[string]any{}
	for kid, key := range keys {
		m.public[kid] = map[string]any{"S": key}
	}
}

// Current returns the text of the secret's current version, and the number of changes through the API.
func (m *Manager) Current() (text string, writes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.versions[m.current].text, m.writes
}

// Published returns the sorted ids of the public keys that were published last.
func (m *Manager) Published() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.public))
}

type request struct {
	VersionStage, ClientRequestToken, SecretString, RemoveFromVersionId, MoveToVersionId string
	VersionStages                                                                        []string

	Item struct{ K struct{ M map[string]any } } // of DynamoDB
}

func (m *Manager) serve(w http.ResponseWriter, r *http.Request) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var in request
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if m.Before != nil {
		m.Before(operation)
	}
	out, failure := m.do(operation, in)
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	if m.Lose != nil && m.Lose(operation) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if failure != "" {
		w.WriteHeader(http.StatusBadRequest)
		out = map[string]any{"__type": failure}
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (m *Manager) do(operation string, in request) (out map[string]any, failure string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case operation == "GetSecretValue" && in.VersionStage == "AWSCURRENT":
		v := m.versions[m.current]
		return map[string]any{"VersionId": m.current, "ARN": "arn:the-secret", "SecretString": v.text, "CreatedDate": float64(v.created.UnixMilli()) / 1000}, ""
	case operation == "PutSecretValue" && len(in.ClientRequestToken) >= 32 && len(in.VersionStages) > 0 && !slices.Contains(in.VersionStages, "AWSCURRENT"):
		m.versions[in.ClientRequestToken] = version{in.SecretString, m.Clock()}
	case operation == "UpdateSecretVersionStage" && in.VersionStage == "AWSCURRENT":
		if _, ok := m.versions[in.MoveToVersionId]; !ok || in.RemoveFromVersionId != m.current {
			return nil, "InvalidParameterException"
		}
		m.current = in.MoveToVersionId
	case operation == "PutItem":
		m.public = in.Item.K.M
		return map[string]any{}, ""
	case operation == "GetItem" && m.public != nil:
		return map[string]any{"Item": map[string]any{"k": map[string]any{"M": m.public}}}, ""
	case operation == "GetItem":
		return map[string]any{}, ""
	default:
		return nil, "InvalidRequestException"
	}
	m.writes++
	return map[string]any{}, ""
}
