package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/token"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const (
	taken  = `{"error":"CONFLICT","message":"Email or username already taken"}`
	failed = `{"error":"INTERNAL_ERROR","message":"Registration failed"}`
)

// form is the body of a registration.
type form map[string]string

func ann() form {
	return form{"email": "Ann.Lee+Ranch@Example.COM", "username": "Ann_Lee-1", "password": "correct horse", "ranchName": "Ann's Ranch"}
}

// with returns the form with one field changed.
func (f form) with(field, value string) form {
	changed := maps.Clone(f)
	changed[field] = value
	return changed
}

func (f form) request() functiontest.Request { return functiontest.Request{Body: functiontest.JSON(f)} }

func TestRegister(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	answer := b.Golden(t, "registered", ann().request())
	answer.WantStatus(t, 201)
	body := answer.Object(t)
	user := functiontest.In[map[string]any](t, body, "user")
	id := game.ID(functiontest.In[string](t, user, "id"))
	answer.WantLogged(t, map[string]any{"user": id, "GoldPaid": 500})
	b.Do(t, ann().request()).WantLogged(t, map[string]any{"user": nil, "GoldPaid": nil, "code": "CONFLICT"})
	checkAccount(t, b, id)
	checkTokens(t, b, id, functiontest.In[string](t, body, "token"), functiontest.In[string](t, body, "refreshToken"))
	b.Invariants(t)
}

func checkAccount(t *testing.T, b *functiontest.Bench, id game.ID) {
	t.Helper()
	account := b.AccountOf(t, id)
	want := game.NewAccount(game.Registration{Email: "ann.lee+ranch@example.com", Username: "Ann_Lee-1", RanchName: "Ann's Ranch"}, b.Now)
	want.ID, want.Ranch.ID = id, account.Ranch.ID
	storetest.Equal(t, "account", account, want)
	match, err := password.Verify(b.HashOf(t, account.Email), "correct horse")
	assert.True(t, match && err == nil, "%v, %v", match, err)
	animals, err := b.Rival.Animals(t.Context(), id)
	assert.True(t, err == nil && len(animals) == 3 && animals[0].Ranch == account.Ranch.ID, "%v, %v", animals, err)
	starter := game.StarterEntry(id, b.Now)
	rows := b.LedgerOf(t, id)
	starter.ID = rows[0].ID
	storetest.Equal(t, "ledger", rows, []game.LedgerEntry{starter})
}

func checkTokens(t *testing.T, b *functiontest.Bench, id game.ID, access, refresh string) {
	t.Helper()
	want := token.Caller{ID: id, Username: "Ann_Lee-1", Email: "ann.lee+ranch@example.com", Status: "active"}
	storetest.Equal(t, "caller", b.Caller(t, access), want)
	subject, err := functiontest.Keys().VerifyRefresh(refresh, b.Now)
	assert.True(t, subject == id && err == nil, "%v, %v", subject, err)
	record, _, err := b.Rival.RefreshRecord(t.Context(), token.Digest(refresh), id)
	if err != nil || record == nil || record.UserID != id || record.ExpiresAt != b.Now.Add(30*24*time.Hour) {
		t.Error(record, err)
	}
	stored := fmt.Sprint(b.Rows(t))
	for _, secret := range []string{access, refresh, "correct horse"} {
		assert.False(t, strings.Contains(stored, secret), "%s is stored", secret)
	}
}

// checkDetails checks that an answer is a 400 with sentences for exactly these fields.
func checkDetails(t *testing.T, a functiontest.Answer, fields ...string) {
	t.Helper()
	a.WantStatus(t, 400)
	details := functiontest.In[map[string]any](t, a.Object(t), "details")
	storetest.Equal(t, "fields", slices.Sorted(maps.Keys(details)), fields)
}

func TestFieldsThatAreWrong(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	b.Unchanged(t, func() {
		for _, body := range []string{"", "null", "[{}]", "{}", `{"EMAIL":"ann@example.com"}`, ann().request().Body + "{}"} {
			checkDetails(t, b.Do(t, functiontest.Request{Body: body}), "email", "password", "ranchName", "username")
		}
		for field := range ann() {
			checkDetails(t, b.Do(t, ann().with(field, "").request()), field)
		}
		b.Golden(t, "invalid", form{"email": "ann", "username": "A!", "password": "short"}.request())
		b.Do(t, functiontest.Request{Body: `{"email":null,"username":7,"password":["x"],"Ranchname":"Acres"}`}).Want(t, 400,
			`{"error":"VALIDATION_ERROR","message":"Invalid input","details":{"email":["E-mail is required."],"password":["Password must be a string."],`+
				`"ranchName":["Ranch name is required."],"username":["Username must be a string."]}}`)
	})
}

// A registration ignores unknown fields: a player can set only the form's fields.
func TestUnknownFieldsMeanNothing(t *testing.T) {
	t.Parallel()
	r := ann().request()
	r.Body, r.Token = strings.Replace(r.Body, "{", `{"status":"banned","goldBalance":9,"Email":1,`, 1), "rubbish-rubbish"
	a := functiontest.New(t, endpoint).Do(t, r)
	a.WantStatus(t, 201)
	user := functiontest.In[map[string]any](t, a.Object(t), "user")
	assert.True(t, user["username"] == "Ann_Lee-1" && user["status"] == "active" && fmt.Sprint(user["goldBalance"]) == "500", user)
}

func TestNamesThatAreTaken(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	b.Do(t, ann().request()).WantStatus(t, 201)
	other := ann().with("email", "other@example.com").with("username", "other")
	b.Unchanged(t, func() {
		b.Golden(t, "taken", ann().request()).Want(t, 409, taken)
		b.Do(t, other.with("email", ann()["email"]).request()).Want(t, 409, taken)
		b.Do(t, other.with("email", "ANN.LEE+RANCH@EXAMPLE.COM").request()).Want(t, 409, taken)
		b.Do(t, other.with("username", ann()["username"]).request()).Want(t, 409, taken)
		checkDetails(t, b.Do(t, ann().with("password", "short").request()), "password") // although the names are taken
	})
	b.Do(t, other.with("username", "ann_lee-1").request()).WantStatus(t, 201) // usernames are case-sensitive
	b.Invariants(t)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	functiontest.Faults(t, b, ann().request(), 500, failed, endpoint(nil, functiontest.Keys()), endpoint(b.Store, nil))
	b.Wire.Cut()
	b.Within(time.Second).Golden(t, "failed", ann().request())
}

// If the names are taken, an earlier attempt of the same registration, whose answer was lost, may have taken them. So
// the registration reads them: its role must allow this read.
func TestALostAnswerIsASuccess(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	b.Wire.Next("TransactWriteItems", storetest.LoseAnswer, storetest.Cancelled("ConditionalCheckFailed"))
	b.Do(t, ann().request()).WantStatus(t, 201)
	rows := len(b.Rows(t))
	assert.Equal(t, 9, rows, "%d rows", rows)
	b.Invariants(t)
}

// The same form at the same instant, on two tables, gives different animals. The draw does not depend on the clock, the
// names or earlier registrations, so that a player cannot choose a moment or a name to get a rare animal.
func TestStartersCannotBeForeseen(t *testing.T) {
	t.Parallel()
	genotypes := func() map[string]game.Genotype {
		b := functiontest.New(t, endpoint)
		user := functiontest.In[map[string]any](t, b.Do(t, ann().request()).Object(t), "user")
		animals, err := b.Rival.Animals(t.Context(), game.ID(functiontest.In[string](t, user, "id")))
		if err != nil || len(animals) != 3 {
			t.Fatal(animals, err)
		}
		drawn := map[string]game.Genotype{}
		for _, animal := range animals {
			drawn[animal.Name] = *animal.Genotype
		}
		return drawn
	}
	second := genotypes()
	for name, genotype := range genotypes() {
		// A gene has 21 values, and there are eight: two genotypes are equal by chance once in 38,000,000,000 times.
		again, there := second[name]
		assert.True(t, there && genotype != again, "%s, there twice: %t, is %v, then %v", name, there, genotype, again)
	}
}
