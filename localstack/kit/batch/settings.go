package batch

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// Settings reads settings from environment variables, and remembers the errors for Err. An empty variable counts as not
// set.
type Settings struct {
	getenv func(string) string
	wrong  []error
}

// NewSettings returns the settings that getenv returns, for example os.Getenv.
func NewSettings(getenv func(string) string) *Settings { return &Settings{getenv: getenv} }

// Text returns a variable's text, or standard if the variable is not set.
func (s *Settings) Text(name, standard string) string { return cmp.Or(s.getenv(name), standard) }

// Number returns a whole number of at least least, or standard if the variable is not set. Err reports other values.
func (s *Settings) Number(name string, standard, least int) int {
	n, err := strconv.Atoi(s.Text(name, strconv.Itoa(standard)))
	if err != nil || n < least {
		s.wrong = append(s.wrong, fmt.Errorf("%s=%s must be a whole number of at least %d", name, s.getenv(name), least))
	}
	return n
}

// Pattern returns a variable's regular expression. If the variable is not set, the expression matches everything. If
// the expression is invalid, Pattern returns nil, and Err reports it.
func (s *Settings) Pattern(name string) *regexp.Regexp {
	pattern, err := regexp.Compile(s.getenv(name))
	if err != nil {
		s.Wrong(name, err)
	}
	return pattern
}

// Wrong records an error in a variable, for Err.
func (s *Settings) Wrong(name string, what error) {
	s.wrong = append(s.wrong, fmt.Errorf("%s=%s: %w", name, s.getenv(name), what))
}

// Err returns the errors of all variables, or nil.
func (s *Settings) Err() error { return errors.Join(s.wrong...) }
