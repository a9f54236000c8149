package client

// Tokens are what a registration and a log-in answer beside the user. A refreshing answers the access token alone.
type Tokens struct {
	Token        string `json:"token"` // the access token
	RefreshToken string `json:"refreshToken"`
}
