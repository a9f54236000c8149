package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// instant parses a time: RFC 3339, or relative to a.now(), such as +2h, -1h, +1h500ms, +30d, today and yesterday.
func (a *app) instant(flag, s string) (game.Instant, error) { return instantFrom(a.now(), flag, s) }

// instantFrom parses a time that may be relative to now. A day begins at midnight in UTC.
func instantFrom(now game.Instant, flag, s string) (game.Instant, error) {
	switch day := 24 * time.Hour; {
	case s == "today":
		return game.InstantOf(now.Time().Truncate(day)), nil
	case s == "yesterday":
		return game.InstantOf(now.Time().Truncate(day).Add(-day)), nil
	case strings.HasPrefix(s, "+"), strings.HasPrefix(s, "-"):
		d, err := duration(flag, s)
		return now.Add(d), err
	}
	i, err := game.ParseInstant(s)
	if err != nil {
		return 0, usagef("--%s %q: must be RFC 3339, or relative, such as +2h", flag, s)
	}
	return i, nil
}

// duration parses a duration of Go, or whole days: 2h, -1h30m, 500ms, 30d.
func duration(flag, s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > -100_000 && n < 100_000 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, usagef("--%s %q: must be a duration, such as 2h, 500ms or 30d", flag, s)
	}
	return d, nil
}
