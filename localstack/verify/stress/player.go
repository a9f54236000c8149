package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/token"
)

// secret is everybody's password, so that it is hashed once.
const secret = "the same for everybody"

var secretHash = sync.OnceValue(func() string { return password.Hash(secret) })

// sessions are a player's refresh tokens, of which one is used at a time.
type sessions struct {
	mu      sync.Mutex
	current string
}

func (s *sessions) get() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

func (s *sessions) set(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = token
}

// welcome creates a player past the faults, as a registration does: hashes of passwords would take all there is of the
// processor.
func (r *round) welcome(ctx context.Context, p *player) error {
	now := game.InstantOf(time.Now())
	account := game.NewAccount(game.Registration{Email: p.email, Username: p.username, RanchName: "Ranch of " + p.username}, secretHash(), now)
	account.ID = p.id
	session, err := r.keys.IssueSession(account.User, now)
	if err != nil {
		return err
	}
	p.sessions.set(session.Refresh)
	animals := game.Starters(rand.New(rand.NewPCG(p.seed, 0)), account.ID, account.Ranch.ID, now)
	for i := range animals {
		animals[i].ID = p.animals[i]
	}
	err = r.stage.store.CreateAccount(ctx, account, animals, game.StarterEntry(account.ID, now), session.Record)
	if err != nil && !errors.Is(err, game.ErrTaken) { // by an attempt before, that an engine did not live to answer
		return err
	}
	r.log.welcomed(p.id, time.Now())
	return nil
}

// asked is what a player's call sends.
func (r *round) asked(o operation, c *call) (client.Request, error) {
	show := "/events/shows/" + string(c.Show)
	q := client.Request{Method: http.MethodGet}
	switch o.kind {
	case kindRegister:
		c.Name, c.Email = o.name, o.email
		return post("/auth/register", client.Registration{Email: o.email, Username: o.name, Password: secret, RanchName: "New ranch"}), nil
	case kindLogin:
		return post("/auth/login", map[string]string{"email": o.player.email, "password": secret}), nil
	case kindRefresh, kindLogout:
		held := o.player.sessions.get()
		c.Session = token.Digest(held)
		return post("/auth/"+o.kind, map[string]string{"refreshToken": held}), nil
	case kindAnimals:
		q.Path = "/animals"
	case kindSeason:
		q.Path = "/events/season"
	case kindList:
		q.Path = "/events/shows"
		switch o.draw % 4 {
		case 0: // what there is for whoever says nothing
			c.Filter = string(game.ShowOpen)
		case 1:
			q.Path += "?status="
		case 2:
			c.Filter = string(game.ShowCompleted)
			q.Path += "?status=" + c.Filter
		default:
			c.Filter = string(game.ShowCancelled)
			q.Path += "?status=" + c.Filter
		}
	case kindDetail:
		q.Path = show
	case kindEnter:
		c.Animal = o.player.animals[o.animal]
		q = post(show+"/enter", map[string]game.ID{"animalId": c.Animal})
	case kindJudge:
		q = post(show+"/judge", nil)
	case kindClaim:
		q = post(show+"/claim-reward", nil)
	default:
		return q, fmt.Errorf("no player can %s", o.kind)
	}
	var err error
	q.Token, err = r.keys.IssueAccess(game.User{ID: o.player.id, Username: o.player.username, Email: o.player.email, Status: game.UserActive}, game.InstantOf(time.Now()))
	return q, err
}

func post(path string, body any) client.Request {
	return client.Request{Method: http.MethodPost, Path: path, Body: body}
}

// play makes a player's call, once.
func (r *round) play(ctx context.Context, o operation) error {
	c := &call{N: o.n, Kind: o.kind}
	if o.player != nil {
		c.User = o.player.id
	}
	switch o.kind {
	case kindDetail, kindEnter, kindJudge, kindClaim:
		c.Show = o.show.id
	}
	q, err := r.asked(o, c)
	if err != nil {
		return err
	}
	c.Began = r.now()
	answer, err := r.transport.Send(ctx, q)
	c.Ended = r.now()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.Status, c.Request = answer.Status, answer.Header.Get("Apigw-Requestid")
	if err != nil {
		c.Status, c.Error = 0, err.Error()
	}
	if c.outcome = told(c.Status); c.outcome == done {
		err = r.read(o, c, answer)
	} else {
		var said struct{ Error, Message string }
		_ = json.Unmarshal(answer.Body, &said) // what is no JSON says nothing
		c.Code, c.Message, err = said.Error, said.Message, nil
	}
	r.record(c)
	return err
}

// read takes from an answer what is compared with the table.
func (r *round) read(o operation, c *call, a client.Answer) error {
	into := func(v any) error {
		if err := json.Unmarshal(a.Body, v); err != nil {
			return fmt.Errorf("%s was answered %.300q: %w", c.Kind, a.Body, err)
		}
		return nil
	}
	switch c.Kind {
	case kindRegister, kindLogin:
		var said struct {
			client.Tokens
			User struct{ ID game.ID }
		}
		if err := into(&said); err != nil {
			return err
		}
		c.Got.User, c.Session = said.User.ID, token.Digest(said.RefreshToken)
		if c.Kind == kindLogin {
			o.player.sessions.set(said.RefreshToken)
		}
	case kindEnter:
		var said client.Entered
		if err := into(&said); err != nil {
			return err
		}
		c.Got.Fee = said.EntryFee
	case kindClaim:
		var said client.Claimed
		if err := into(&said); err != nil {
			return err
		}
		c.Got.Prize = said.GoldReward
		if said.Rank != nil { // null: unranked
			c.Got.Rank = int(*said.Rank)
		}
	case kindSeason:
		var said client.Season
		if err := into(&said); err != nil {
			return err
		}
		c.Got.Score = said.MySeasonScore
	case kindJudge:
		var said struct {
			TopThree []struct {
				Rank               int
				PlayerID, AnimalID game.ID
				Score              json.Number
			}
		}
		if err := into(&said); err != nil {
			return err
		}
		for _, w := range said.TopThree {
			c.Got.Placed = append(c.Got.Placed, placed{w.AnimalID, w.PlayerID, w.Rank, string(w.Score)})
		}
	case kindDetail:
		return c.readDetail(into)
	case kindList:
		return c.readList(into)
	case kindAnimals:
		var said []client.Animal
		if err := into(&said); err != nil {
			return err
		}
		c.Got.Animals = map[game.ID][]string{}
		for _, a := range said {
			c.Got.Animals[game.ID(a.ID)] = flawsOf(a.Stage, a.Status, a.DiedAt != nil)
		}
	}
	return nil
}

func (c *call) readDetail(into func(any) error) error {
	var said struct {
		Status  game.ShowStatus
		Entries []struct {
			PlayerID, AnimalID game.ID
			Score              json.Number // "" for null
			Rank               int         // 0 for null
		}
	}
	if err := into(&said); err != nil {
		return err
	}
	c.Got.Status = said.Status
	for _, e := range said.Entries {
		c.Got.Placed = append(c.Got.Placed, placed{e.AnimalID, e.PlayerID, e.Rank, string(e.Score)})
	}
	return nil
}

func (c *call) readList(into func(any) error) error {
	var said []struct {
		ID         game.ID
		Status     game.ShowStatus
		EntryCount int64
	}
	if err := into(&said); err != nil {
		return err
	}
	for _, s := range said {
		c.Got.Listed = append(c.Got.Listed, listed{s.ID, s.Status, s.EntryCount})
	}
	return nil
}
