package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/ranch-game/ranch/shared/client"
)

// These are the names of the bad clients, with which TestBadClients tests the suite itself.
//
//	wrong      reports the opposite of every outcome
//	rash       sends every request twice, and returns the second answer
//	forgetful  stores no session, and reports no event
const (
	wrong     = "wrong"
	rash      = "rash"
	forgetful = "forgetful"
)

// spoil returns options with which a client makes the mistakes of the bad client way. Those of "wrong" are in do.
func spoil(way string, o client.Options) client.Options {
	switch way {
	case rash:
		o.HTTP = &http.Client{Transport: twice{http.DefaultTransport}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	case forgetful:
		o.Store, o.Events = unchanging{o.Store}, nil
	}
	return o
}

type twice struct{ http.RoundTripper }

func (t twice) RoundTrip(r *http.Request) (*http.Response, error) {
	again := r.Clone(r.Context())
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		again.Body = body
	}
	if answer, err := t.RoundTripper.RoundTrip(r); err == nil {
		answer.Body.Close()
	}
	return t.RoundTripper.RoundTrip(again)
}

type unchanging struct{ client.Store }

func (s unchanging) Update(ctx context.Context, change func(current *client.Session) *client.Session) error {
	current, err := s.Load(ctx)
	change(current)
	return err
}

// opposite returns the opposite of a call's outcome.
func opposite(err error) (any, error) {
	if err != nil {
		return nil, nil
	}
	return nil, errors.New("it has not succeeded")
}
