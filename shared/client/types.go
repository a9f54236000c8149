package client

// Tokens are the tokens in the service's answer to a registration or a log-in. Only users of a Transport need them: a
// Client keeps its tokens in its session.
type Tokens struct {
	Token        string `json:"token"`        // the access token, valid for 15 minutes
	RefreshToken string `json:"refreshToken"` // valid for 30 days
}
