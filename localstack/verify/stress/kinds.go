package main

import (
	"context"
	"fmt"
	"time"

	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

// kind is a kind of call: of a player over HTTP, of an operator, or of the scheduled function JudgeDue.
type kind struct {
	name   string             // of the function in template.yaml, or of the operator's change
	weight int                // how often it is drawn
	ended  bool               // it is for a show that has ended
	ends   bool               // it ends its show
	change func(change) error // of an operator; nil for functions
}

// change is an operator's call.
type change struct {
	step
	ctx context.Context
	by  operate.Operator
	now game.Instant
}

// These are the kinds that the plan or the receipts treat in a special way.
var (
	register   = &kind{name: "Register", weight: 10}
	judgeDue   = &kind{name: "JudgeDue", weight: 8}
	createShow = &kind{name: "create show", change: change.createShow}
	cancelShow = &kind{name: "cancel show", weight: 4, ends: true, change: func(c change) error {
		return c.by.CancelShow(c.ctx, c.show.ID)
	}}
	refund = &kind{name: "refund", weight: 14, ended: true, change: func(c change) error {
		return c.by.Refund(c.ctx, c.show.ID, nil)
	}}
)

// kinds are the kinds that the plan draws.
var kinds = []*kind{
	register, judgeDue, cancelShow, refund,
	{name: "Login", weight: 5},
	{name: "GetMe", weight: 20},
	{name: "ListShows", weight: 40},
	{name: "GetSeason", weight: 60},
	{name: "GetShow", weight: 60, ended: true},
	{name: "EnterShow", weight: 450},
	{name: "JudgeShow", weight: 14, ends: true},
	{name: "ClaimReward", weight: 200, ended: true},
	{name: "ban", weight: 6, change: func(c change) error { return c.by.Ban(c.ctx, c.player.ID) }},
	{name: "unban", weight: 60, change: func(c change) error { return c.by.Unban(c.ctx, c.player.ID) }},
	{name: "adjust gold", weight: 40, change: func(c change) error {
		return c.by.AdjustGold(c.ctx, c.player.ID, 50+int64(c.draw%400), "stress")
	}},
	{name: "judge show", weight: 4, ends: true, change: func(c change) error {
		_, err := c.by.JudgeShow(c.ctx, c.show.ID)
		return err
	}},
	{name: "close show", weight: 4, ends: true, change: func(c change) error {
		closes := c.now.Add(time.Duration(c.draw%500) * time.Millisecond)
		return c.by.SetShow(c.ctx, c.show.ID, operate.ShowChange{EntryClosesAt: &closes})
	}},
	{name: "set show", weight: 16, change: func(c change) error {
		return c.by.SetShow(c.ctx, c.show.ID, []operate.ShowChange{
			{Name: new(fmt.Sprint("Renamed ", c.draw))},
			{EntryFee: new(int64(c.draw % 100))}, // refused if the show has an entry
			{EntryClosesAt: new(c.now.Add(time.Hour + time.Duration(c.draw%1000)*time.Second))},
		}[c.draw%3])
	}},
	{name: "set user", weight: 8, change: func(c change) error {
		_, err := c.by.SetUser(c.ctx, c.player.ID, operate.UserChange{Username: new(fmt.Sprint("renamed-", c.draw))})
		return err
	}},
	{name: "change animal", weight: 16, change: func(c change) error {
		return c.by.ChangeAnimal(c.ctx, c.player.ID, c.animal, []operate.AnimalChange{
			{Status: new(game.StatusPregnant)}, {DiedAt: &c.now}, {Stage: new(game.StageCalf)},
			{Status: new(game.StatusIdle), Stage: new(game.StageAdult), Alive: true},
		}[min(c.draw%6, 3)])
	}},
}

func (c change) createShow() error {
	show := c.show.Show
	show.EntryClosesAt = c.now.Add(time.Hour)
	return c.by.CreateShow(c.ctx, show, c.show.gates)
}

// body returns the body of a player's request, or nil.
func (s step) body() any {
	switch s.kind.name {
	case "Register":
		return client.Registration{Email: s.player.Email, Username: s.player.Username, Password: secret, RanchName: "New"}
	case "Login":
		return map[string]string{"email": s.player.Email, "password": secret}
	case "EnterShow":
		return map[string]game.ID{"animalId": s.animal}
	}
	return nil
}

// makes returns the key of the thing that a player's call makes (see things), or "".
func (s step) makes() string {
	switch s.kind.name {
	case "Register":
		return key("account", s.player.Email)
	case "EnterShow":
		return key("entry", s.animal, s.player.ID, s.show.ID)
	case "JudgeShow":
		return key("judging", s.player.ID, s.show.ID)
	case "ClaimReward":
		return key("prize", s.player.ID, s.show.ID)
	}
	return ""
}
