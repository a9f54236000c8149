// Package settings parses options from one line of settings between commas, such as "hold=20ms,seed=7".
package settings

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"
)

// Set sets flags from a line of settings, one after the other, until one is wrong. The error then lists the allowed
// settings, which are the usage texts of the flags. An empty line sets nothing.
func Set(flags *flag.FlagSet, line string) error {
	if line == "" {
		return nil
	}
	for setting := range strings.SplitSeq(line, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(setting), "=")
		err := errors.New("unknown setting")
		if flags.Lookup(name) != nil {
			err = flags.Set(name, value)
		}
		if err != nil {
			var allowed []string
			flags.VisitAll(func(f *flag.Flag) { allowed = append(allowed, f.Usage) })
			return fmt.Errorf("%s: %q: %w; allowed are %s", flags.Name(), setting, err, strings.Join(allowed, ", "))
		}
	}
	return nil
}

// longest is the largest value that a Duration setting accepts.
const longest = time.Minute

// Duration adds a setting to the flags: a time from 0 to one minute, which it stores in to.
func Duration(flags *flag.FlagSet, to *time.Duration, name string) {
	flags.Func(name, name+"=DURATION", func(value string) (err error) {
		if *to, err = time.ParseDuration(value); err == nil && (*to < 0 || *to > longest) {
			err = fmt.Errorf("a duration must be from 0 to %v", longest)
		}
		return err
	})
}
