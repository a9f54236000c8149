package blackbox

import "testing"

// Of simultaneous registrations of a name exactly one goes through, and the losers leave nothing behind.
func TestConcurrency_registrations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n      int
		shared []string
	}{"both names": {40, []string{"email", "username"}}, "e-mail": {20, []string{"email"}}, "username": {20, []string{"username"}}} {
		t.Run(name, func(t *testing.T) {
			common := candidate().form()
			forms := make([]object, c.n)
			requests := make([]request, c.n)
			for i := range forms {
				changes := object{}
				for _, field := range c.shared {
					changes[field] = common[field]
				}
				forms[i] = candidate().with(changes)
				requests[i] = request{method: "POST", path: "/auth/register", body: forms[i]}
			}
			answers := together(t, requests...)
			outcome(t, answers, map[int]int{201: 1, 409: c.n - 1})
			checked := 0
			for i, answer := range answers {
				credentials := object{"email": forms[i]["email"], "password": forms[i]["password"]}
				if answer.status == 201 {
					user := login(t, credentials).object(t, 200)["user"].(object)
					if user["username"] != forms[i]["username"] || len(setList(t, "animal", "list", user["id"].(string))) != 3 {
						t.Errorf("%v", user)
					}
					(&player{id: user["id"].(string)}).has(t, 500)
				} else if checked < 3 {
					checked++
					answer.refuses(t, 409, "CONFLICT", "Email or username already taken")
					login(t, credentials).refuses(t, 401, "INVALID_CREDENTIALS", "Invalid email or password")
					if len(c.shared) == 1 { // the other name is free
						fresh := candidate().form()
						fresh[c.shared[0]], forms[i][c.shared[0]] = "", fresh[c.shared[0]]
						register(t, forms[i]).object(t, 201)
					}
				}
			}
		})
	}
}

// Logins of one user at the same time are sessions of their own.
func TestConcurrency_logins(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	answers := together(t, repeated(12, p.loggingIn())...)
	outcome(t, answers, map[int]int{200: 12})
	tokens := map[any]bool{}
	var refreshing []request
	for _, answer := range answers {
		token := answer.object(t, 200)["refreshToken"]
		tokens[token] = true
		refreshing = append(refreshing, request{method: "POST", path: "/auth/refresh", body: object{"refreshToken": token}})
	}
	outcome(t, together(t, refreshing...), map[int]int{200: 12})
	if len(tokens) != 12 {
		t.Errorf("%d tokens", len(tokens))
	}
	for i := range refreshing {
		refreshing[i].path = "/auth/logout"
	}
	outcome(t, together(t, append(refreshing, refreshing...)...), map[int]int{200: 24})
	for i := range refreshing {
		refreshing[i].path = "/auth/refresh"
	}
	outcome(t, together(t, refreshing...), map[int]int{401: 12})
}
