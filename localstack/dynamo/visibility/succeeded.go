package visibility

import "time"

// tokenLife is how long a succeeded token is taken to be known to the engine. DynamoDB keeps them for ten minutes (API
// Reference, TransactWriteItems, ClientRequestToken); a Front forgets before the engine does, since to open a Commit
// for a repetition does no harm, and to apply a transaction without one would.
const tokenLife = 9 * time.Minute

// succeeded are the tokens of transactions that have succeeded in the last tokenLife.
type succeeded struct {
	at    map[string]time.Time
	order []string // the oldest first
}

func (s *succeeded) add(token string, now time.Time) {
	if s.at == nil {
		s.at = map[string]time.Time{}
	}
	for len(s.order) > 0 && !s.has(s.order[0], now) {
		delete(s.at, s.order[0])
		s.order = s.order[1:]
	}
	s.at[token] = now
	s.order = append(s.order, token)
}

func (s *succeeded) has(token string, now time.Time) bool {
	at, has := s.at[token]
	return has && now.Sub(at) < tokenLife
}
