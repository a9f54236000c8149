package store

import "errors"

// Refusals of operations that are not for players.
var (
	ErrUnknownShow   = errors.New("there is no such show")
	ErrUnknownUser   = errors.New("there is no such user")
	ErrUnknownAnimal = errors.New("the user has no such animal")
)
