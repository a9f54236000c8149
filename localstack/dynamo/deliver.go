package dynamo

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// deliver answers; an engine that does not answer is a 502, which AWS's SDKs take for a passing failure.
func deliver(w http.ResponseWriter, response *http.Response, err error) {
	if err != nil {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, `{"__type":"`+protocol.Namespace+`InternalServerError","message":"the engine does not answer"}`)
		return
	}
	defer response.Body.Close()
	header(w, response)
	w.WriteHeader(response.StatusCode)
	if _, err := io.Copy(w, response.Body); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// deliverHalf cuts the connection in the middle of the answer.
func deliverHalf(w http.ResponseWriter, response *http.Response, err error) {
	if err == nil {
		var body []byte
		if body, err = protocol.ReadAll(response.Body, response.ContentLength); err == nil && len(body) > 1 {
			protocol.SetBody(response, body)
			header(w, response)
			w.WriteHeader(response.StatusCode)
			_, err = w.Write(body[:len(body)/2])
			err = errors.Join(err, http.NewResponseController(w).Flush())
		}
	}
	_ = err // whatever went wrong, the connection is cut
	panic(http.ErrAbortHandler)
}

// header copies what the client shall know of an answer. Nothing is granted to browsers.
func header(w http.ResponseWriter, response *http.Response) {
	for name, values := range response.Header {
		if !strings.HasPrefix(name, "Access-Control-") && name != "Connection" {
			w.Header()[name] = values
		}
	}
}
