package gateway

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

const maxBody = 10 << 20 // API Gateway's limit on a request's body

// hopByHop lists headers that belong to a connection. API Gateway passes them on in neither direction.
var hopByHop = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

func newRequestID() string { return rand.Text()[:15] + "=" }

func newTraceID() string {
	var random [12]byte
	rand.Read(random[:])
	return fmt.Sprintf("Root=1-%08x-%x", time.Now().Unix(), random)
}

// newEvent makes the event of a request, in payload format 2.0, with the parts that our functions read.
func newEvent(
	r *http.Request, route route, parameters, stage map[string]string, body []byte, requestID string,
) ([]byte, error) {
	event := events.APIGatewayV2HTTPRequest{
		Version:        "2.0",
		RouteKey:       route.key,
		RawPath:        r.URL.Path, // HTTP APIs decode it, in spite of its name
		RawQueryString: r.URL.RawQuery,
		Headers:        headers(r, len(body)),
		PathParameters: parameters,
		StageVariables: stage,
		RequestContext: events.APIGatewayV2HTTPRequestContext{RequestID: requestID},
	}
	if len(body) == 0 || isText(r.Header.Get("Content-Type")) && utf8.Valid(body) {
		event.Body = string(body)
	} else {
		event.Body, event.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
	return json.Marshal(event)
}

// isText reports whether a content type is one of text. A function gets a body of such a type as plain text if the body
// is valid UTF-8. A function gets any other body in base64, unless the body is empty.
func isText(contentType string) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	switch mediaType {
	case "application/json", "application/xml", "application/javascript":
		return true
	}
	return strings.HasPrefix(mediaType, "text/") || strings.HasSuffix(mediaType, "+json") || strings.HasSuffix(mediaType, "+xml")
}

// headers returns a request's headers. Names are in lower case, and commas join the values of repeated headers. headers
// leaves out hop-by-hop headers, and cookies, since our functions read none.
func headers(r *http.Request, bodyLength int) map[string]string {
	all := map[string]string{"host": r.Host}
	for name, values := range r.Header {
		if name != "Cookie" && !slices.Contains(hopByHop, name) {
			all[strings.ToLower(name)] = strings.Join(values, ",")
		}
	}
	if bodyLength > 0 || r.Method == http.MethodPost {
		all["content-length"] = strconv.Itoa(bodyLength)
	}
	return all
}
