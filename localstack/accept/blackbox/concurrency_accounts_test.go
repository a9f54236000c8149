package blackbox

import "testing"

// Of simultaneous registrations of a name exactly one goes through, and the losers leave nothing behind.
func TestConcurrency_registrations(t *testing.T) {
	t.Parallel()
	for _, shared := range []string{"email", "username"} {
		t.Run(shared, func(t *testing.T) {
			common := candidate().form()[shared]
			forms, requests := make([]object, 20), make([]request, 20)
			for i := range forms {
				forms[i] = candidate().with(object{shared: common})
				requests[i] = request{method: "POST", path: "/auth/register", body: forms[i]}
			}
			answers := together(t, requests...)
			outcome(t, answers, map[int]int{201: 1, 409: 19})
			for i, answer := range answers {
				credentials := object{"email": forms[i]["email"], "password": forms[i]["password"]}
				if answer.status == 201 {
					user := login(t, credentials).object(t, 200)["user"].(object)
					if user["username"] != forms[i]["username"] || len(setList(t, "animal", "list", user["id"].(string))) != 3 {
						t.Errorf("%v", user)
					}
					(&player{id: user["id"].(string)}).has(t, 500)
				} else if i < 3 {
					answer.refuses(t, 409, "CONFLICT", "Email or username already taken")
					login(t, credentials).refuses(t, 401, "INVALID_CREDENTIALS", "Invalid email or password")
					forms[i][shared] = candidate().form()[shared]
					register(t, forms[i]).object(t, 201) // the other name is free
				}
			}
		})
	}
}
