package gateway

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// refuse sends an answer of the gateway's own.
func refuse(w http.ResponseWriter, status int) {
	body := `{"message":"` + http.StatusText(status) + `"}`
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write([]byte(body)) // the client may have gone
}

// respond sends a function's output to the client. An object with a statusCode describes the response; any other JSON
// is the body of a response. If the output is no JSON, or describes a response that HTTP does not allow, respond sends
// nothing and returns an error.
func (g *Gateway) respond(w http.ResponseWriter, output []byte) error {
	response, body, err := parseOutput(output)
	if err != nil {
		return err
	}
	for name, value := range response.Headers {
		canonical := http.CanonicalHeaderKey(name)
		if canonical == "Content-Length" || slices.Contains(hopByHop, canonical) || g.cfg.CORS != nil && strings.HasPrefix(canonical, "Access-Control-") {
			continue
		}
		w.Header().Set(canonical, value)
	}
	status := response.StatusCode
	if status == http.StatusNoContent || status == http.StatusNotModified {
		w.WriteHeader(status)
		return nil
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/plain;charset=UTF-8")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body) // the client may have gone
	return nil
}

// parseOutput reads a function's output in payload format 2.0. It ignores cookies, since our functions set none.
func parseOutput(output []byte) (response events.APIGatewayV2HTTPResponse, body []byte, err error) {
	if !json.Valid(output) {
		return response, nil, fmt.Errorf("no JSON: %.100q", output)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(output, &fields) != nil || fields["statusCode"] == nil {
		response.StatusCode, response.Headers = http.StatusOK, map[string]string{"Content-Type": "application/json"}
		return response, output, nil
	}
	if err := json.Unmarshal(output, &response); err != nil {
		return response, nil, err
	}
	if response.StatusCode < 200 || response.StatusCode > 599 {
		return response, nil, fmt.Errorf("no such status: %s", fields["statusCode"])
	}
	if !response.IsBase64Encoded {
		return response, []byte(response.Body), nil
	}
	if body, err = base64.StdEncoding.DecodeString(response.Body); err != nil {
		return response, nil, fmt.Errorf("its body: %w", err)
	}
	return response, body, nil
}
