package httpapi

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
)

// TestStatuses compares the statuses with docs/rules.md, S7. Each code of package game must have a status.
func TestStatuses(t *testing.T) {
	want := map[game.Code]int{
		"VALIDATION_ERROR": 400, "MISSING_TOKEN": 400, "INVALID": 400, "INSUFFICIENT_GOLD": 400, "ALREADY_CLAIMED": 400,
		"INVALID_CREDENTIALS": 401, "OAUTH_ACCOUNT": 401, "INVALID_TOKEN": 401, "UNAUTHORIZED": 401,
		"BANNED": 403, "NOT_FOUND": 404, "CONFLICT": 409, "DUPLICATE": 409,
	}
	assert.Empty(t, cmp.Diff(want, statuses))
	source, err := os.ReadFile("../game/refusal.go")
	require.NoError(t, err)
	codes := regexp.MustCompile(`(?m)^\tCode\w+ +Code = "(\w+)"$`).FindAllSubmatch(source, -1)
	for _, code := range codes {
		delete(want, game.Code(code[1]))
	}
	assert.True(t, len(want) == 0 && len(codes) == len(statuses), "%d codes, %d statuses; no codes are %v", len(codes), len(statuses), want)
}

func TestRenderBodies(t *testing.T) {
	for want, response := range map[string]Response{
		`{"active":false}`:      OK(map[string]bool{"active": false}),
		`[]`:                    OK([]int{}),
		`"<b>&'€\u2028"`:        OK("<b>&'€\u2028"),
		`{"error":"NOT_FOUND"}`: Refuse(game.ErrShowUnknown),
		`{"error":"CONFLICT","message":"Email or username already taken"}`: Refuse(game.ErrTaken),
		`{"error":"VALIDATION_ERROR","message":"Invalid input","details":{"email":["a","b"],"username":["c"]}}`: Refuse(&game.Refusal{
			Code: game.CodeValidation, Message: "Invalid input", Details: map[string][]string{"username": {"c"}, "email": {"a", "b"}}}),
	} {
		out, err := render(response, events.APIGatewayV2HTTPRequest{})
		assert.True(t, err == nil && out.Body == want && !out.IsBase64Encoded, "got %s, %v, want %s", out.Body, err, want)
	}
}

func TestRenderHeaders(t *testing.T) {
	response := Created(1)
	response.Header = map[string]string{"Location": "/x"}
	out, err := render(response, events.APIGatewayV2HTTPRequest{})
	require.NoError(t, err)
	want := events.APIGatewayV2HTTPResponse{
		StatusCode: 201, Body: "1",
		Headers: map[string]string{
			"Content-Type": "application/json", "Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
			"Strict-Transport-Security": "max-age=31536000; includeSubDomains", "X-Content-Type-Options": "nosniff", "Location": "/x",
			"Content-Disposition": `attachment; filename="api.json"`, "Referrer-Policy": "no-referrer",
		},
	}
	assert.Empty(t, cmp.Diff(want, out))
	again, err := render(OK(1), events.APIGatewayV2HTTPRequest{})
	assert.True(t, err == nil && again.Headers["Location"] == "", "the next answer has %v, %v", again.Headers, err)
}

func TestRenderCompressesLargeBodies(t *testing.T) {
	// A JSON string of n bytes with its quotes.
	text := func(n int) string { return strings.Repeat("x", n-2) }
	for name, test := range map[string]struct {
		size       int
		accept     string
		gzip, vary bool
	}{
		"small":                {16*1024 - 1, "gzip", false, false},
		"large":                {16 * 1024, "gzip", true, true},
		"large, none accepted": {16 * 1024, "", false, true},
		"large, refused":       {16 * 1024, "gzip;q=0", false, true},
	} {
		for _, headerName := range []string{"accept-encoding", "Accept-Encoding"} {
			ev := events.APIGatewayV2HTTPRequest{Headers: map[string]string{headerName: test.accept}}
			out, err := render(OK(text(test.size)), ev)
			require.NoError(t, err)
			got := out.Headers["Content-Encoding"] == "gzip"
			assert.True(t, got == test.gzip && out.IsBase64Encoded == test.gzip,
				"%s: encoded %t, base64 %t", name, got, out.IsBase64Encoded)
			got = out.Headers["Vary"] == "Accept-Encoding"
			assert.Equal(t, test.vary, got, "%s: vary %t", name, got)
			if got := decodedBody(t, out); got != `"`+text(test.size)+`"` {
				t.Errorf("%s: a body of %d bytes", name, len(got))
			}
		}
	}
}

// The limit applies to the text that the Lambda library sends, in which every quotation mark of the body is escaped
// once more. An answer at the limit passes. If it is one byte longer, it does not.
func TestRenderKnowsTheSizeOfTheFinalPayload(t *testing.T) {
	quotes := strings.Repeat(`"`, 1_000_000) // each takes four bytes in the payload: \\\"
	overhead := payloadBytes(t, OK(quotes)) - 4*len(quotes)
	fill := maxPayloadBytes - overhead - 4*len(quotes)
	for excess, fits := range map[int]bool{0: true, 1: false} {
		response := OK(quotes + strings.Repeat("x", fill+excess))
		_, err := render(response, events.APIGatewayV2HTTPRequest{})
		assert.Equal(t, fits, (err == nil), "%d bytes: %v", maxPayloadBytes+excess, err)
		if fits {
			got := payloadBytes(t, response)
			assert.Equal(t, maxPayloadBytes, got, "the payload has %d bytes", got)
		}
	}
}

// payloadBytes returns the size of the text that the Lambda library sends for the response.
func payloadBytes(t *testing.T, r Response) int {
	t.Helper()
	handler := lambda.NewHandler(func() (events.APIGatewayV2HTTPResponse, error) { return render(r, events.APIGatewayV2HTTPRequest{}) })
	payload, err := handler.Invoke(t.Context(), []byte("{}"))
	require.NoError(t, err)
	return len(payload)
}

// A list of 45,000 entries, with random ids and names, must fit into an answer with compression, and 15,000 without.
// The test uses a tenth: 4,500 entries must take at most a tenth of the limit with compression, and 1,500 without.
// gzip's window (32 KB) is far smaller than these lists, so that the whole list shrinks in the same proportion.
func TestLargeListFitsCompressed(t *testing.T) {
	const tenth = 10
	entries := make([]game.Entry, 45_000/tenth)
	for i := range entries {
		entries[i] = game.Entry{
			ID: game.NewID(), PlayerID: game.NewID(), PlayerUsername: "player-" + strconv.Itoa(i*7919), AnimalID: game.NewID(),
			AnimalName: "Bessie", Breed: "Angus", RarityTier: "uncommon", Score: new(game.Fixed(i * 31 % 100_00)), Rank: new(i * tenth),
		}
	}
	n := payloadBytes(t, OK(entries))
	assert.True(t, n >= maxPayloadBytes/tenth && n <= 3*maxPayloadBytes/tenth,
		"uncompressed they take %d bytes: there is nothing to gain, or a third of them does not fit", n)
	out, err := render(OK(entries), events.APIGatewayV2HTTPRequest{Headers: map[string]string{"accept-encoding": "gzip"}})
	assert.True(t, err == nil && len(out.Body) <= maxPayloadBytes/tenth, "compressed they take %d bytes, %v", len(out.Body), err)
	var decoded []json.RawMessage
	err = json.Unmarshal([]byte(decodedBody(t, out)), &decoded)
	assert.True(t, err == nil && len(decoded) == len(entries), "%d entries, %v", len(decoded), err)
}

// decodedBody decodes base64 and gzip as a client would.
func decodedBody(t *testing.T, out events.APIGatewayV2HTTPResponse) string {
	t.Helper()
	if !out.IsBase64Encoded {
		return out.Body
	}
	compressed, err := base64.StdEncoding.DecodeString(out.Body)
	require.NoError(t, err)
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	require.NoError(t, err)
	body, err := io.ReadAll(r)
	require.NoError(t, errors.Join(err, r.Close()))
	return string(body)
}
