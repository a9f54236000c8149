package batch

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Settings reads settings from environment variables. It remembers the variables that were set, for Command, and the
// errors, for Err. An empty variable counts as not set.
type Settings struct {
	getenv func(string) string
	given  []string // as NAME=value
	wrong  []error
}

// NewSettings returns the settings that getenv returns, for example os.Getenv.
func NewSettings(getenv func(string) string) *Settings { return &Settings{getenv: getenv} }

// Text returns a variable's text, or standard if the variable is not set.
func (s *Settings) Text(name, standard string) string {
	text := s.getenv(name)
	if text != "" {
		s.Went(name, text)
	}
	return cmp.Or(text, standard)
}

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
	pattern, err := regexp.Compile(s.Text(name, ""))
	if err != nil {
		s.Wrong(name, err)
	}
	return pattern
}

// Figures returns the variable FIGURES: the path of a file that also gets the measured figures, or "" if the run only
// prints them. Err reports a missing folder of the file. Command does not repeat this setting.
func (s *Settings) Figures() string {
	path := s.getenv("FIGURES")
	if path != "" {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			s.Wrong("FIGURES", err)
		}
	}
	return path
}

// Went records a setting that the run has chosen itself, such as a seed, so that Command repeats it.
func (s *Settings) Went(name, value string) {
	if strings.ContainsFunc(value, func(r rune) bool { return !strings.ContainsRune(plain, r) }) {
		value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	s.given = append(s.given, name+"="+value)
}

// plain has the characters that need no quotes in a shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%"

// Wrong records an error in a variable, for Err.
func (s *Settings) Wrong(name string, what error) {
	s.wrong = append(s.wrong, fmt.Errorf("%s=%s: %w", name, s.getenv(name), what))
}

// Err returns the errors of all variables, or nil.
func (s *Settings) Err() error { return errors.Join(s.wrong...) }

// Command returns the shell command that repeats the run: make with the target, and all settings set or chosen.
func (s *Settings) Command(target string) string {
	return strings.Join(append([]string{"make", target}, s.given...), " ")
}

// Given returns those of the named variables that were set, or chosen (Went), each as " NAME=value".
func (s *Settings) Given(names ...string) (text string) {
	for _, setting := range s.given {
		if name, _, _ := strings.Cut(setting, "="); slices.Contains(names, name) {
			text += " " + setting
		}
	}
	return text
}
