package client

import "testing"

// A 2xx of another shape than the contract's is no answer, least of all of anything that stands in the API's place and
// says that all is well. What becomes of the call then is in docs/scenarios.md.
func TestAnswers_shape(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		into func() any
		good string
		bad  []string
	}{
		"a session": {func() any { return &sessionAnswer{} }, `{"token":"e30.e30.c2ln","refreshToken":"r.r.2","user":{"id":"u-2"}}`, []string{
			`{"refreshToken":"r.r.2","user":{"id":"u-2"}}`, `{"token":"e30.e30.c2ln","user":{"id":"u-2"}}`, `{"token":"e30.e30.c2ln","refreshToken":"r.r.2"}`,
			`{"token":"e30.e30","refreshToken":"r.r.2","user":{"id":"u-2"}}`, `{"token":"e30.e30.c2ln","refreshToken":"r. .2","user":{"id":"u-2"}}`,
			`{"token":"e30..c2ln","refreshToken":"r.r.2","user":{"id":"u-2"}}`, `{"token":"e30.e30.c2ln","refreshToken":"r.r.2","user":{"id":2}}`,
		}},
		"a token":    {func() any { return &tokenAnswer{} }, `{"token":"a.b.c"}`, []string{`{"token":"a.b"}`, `{"token":"a.b.c.d"}`, `{"token":"a.b.c "}`, `{"token":true}`}},
		"a log-out":  {func() any { return &doneAnswer{} }, `{"success":true}`, []string{`{"success":false}`}},
		"an entry":   {func() any { return &enteredAnswer{} }, `{"success":true,"entryFee":0}`, []string{`{"success":true,"entryFee":null}`, `{"success":true,"entryFee":"5"}`, `{"success":false,"entryFee":5}`}},
		"a claim":    {func() any { return &claimedAnswer{} }, `{"success":true,"goldReward":0}`, []string{`{"success":true,"goldReward":null}`, `{"success":false,"goldReward":5}`, `{"success":1,"goldReward":5}`}},
		"a judging":  {func() any { return &Judged{} }, `{"success":true,"topThree":[]}`, []string{`{"success":true}`, `{"success":true,"topThree":{}}`, `{"topThree":[]}`}},
		"a show":     {func() any { return &ShowDetail{} }, `{"id":"s-1","entries":[]}`, []string{`{"id":"s-1"}`, `{"id":"s-1","entries":null}`, `{"entries":[]}`}},
		"a season":   {func() any { return &seasonAnswer{} }, `{"id":"n-1"}`, []string{`{"active":true}`, `{"active":null}`, `{"id":7}`}},
		"no season":  {func() any { return &seasonAnswer{} }, `{"active":false}`, nil},
		"some shows": {func() any { return &[]ListedShow{} }, `[]`, []string{`{"0":{}}`}},
	} {
		for _, body := range append(test.bad, `{}`, `{"status":"ok"}`, `"ok"`, `true`, `7`, `null`, ``, `<html>`) {
			if err := answered(200, body).read(200, test.into()); CodeOf(err) != Unexpected {
				t.Errorf("%s: %q is read: %v", name, body, err)
			}
		}
		if err := answered(200, test.good).read(200, test.into()); err != nil {
			t.Errorf("%s: %s: %v", name, test.good, err)
		}
		if err := answered(201, test.good).read(200, test.into()); CodeOf(err) != Unexpected {
			t.Errorf("%s: with another status: %v", name, err)
		}
	}
}

func answered(status int, body string) outcome {
	return outcome{answer: Answer{Status: status, Body: []byte(body)}}
}
