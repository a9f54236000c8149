package functiontest

import (
	"encoding/json"
	"maps"
	"strings"
)

// Request is a client's request to an endpoint. The method and the path come from the function's route.
type Request struct {
	ID     string // replaces {id}
	Query  string // the text after the question mark
	Body   string
	Token  string            // sent as "Authorization: Bearer <token>", unless empty
	Header map[string]string // names in lower case; a field replaces the usual field of its name
}

// WithQuery returns the request with another query.
func (r Request) WithQuery(query string) Request { r.Query = query; return r }

// JSON returns a value as JSON text, for the body of a request.
func JSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// These are the address and the name of the client in events.
const (
	clientAddress = "192.0.2.1"
	clientName    = "ranch-client/1.0"
)

// event is an event of API Gateway for a function (HTTP API, payload 2.0), without fields such as the account id.
type event struct {
	Version               string            `json:"version"`
	RouteKey              string            `json:"routeKey"`
	RawPath               string            `json:"rawPath"`
	RawQueryString        string            `json:"rawQueryString"`
	Headers               map[string]string `json:"headers"`
	QueryStringParameters map[string]string `json:"queryStringParameters,omitempty"`
	PathParameters        map[string]string `json:"pathParameters,omitempty"`
	RequestContext        eventContext      `json:"requestContext"`
	Body                  string            `json:"body,omitempty"`
	IsBase64Encoded       bool              `json:"isBase64Encoded"`
}

type eventContext struct {
	HTTP      eventHTTP `json:"http"`
	RequestID string    `json:"requestId"`
	RouteKey  string    `json:"routeKey"`
	Stage     string    `json:"stage"`
	Time      string    `json:"time"`
	TimeEpoch int64     `json:"timeEpoch"`
}

type eventHTTP struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Protocol  string `json:"protocol"`
	SourceIP  string `json:"sourceIp"`
	UserAgent string `json:"userAgent"`
}

func (b *Bench) event(r Request) event {
	f, now := b.route, b.Now.Time()
	key, path := f.Method+" "+f.Path, strings.ReplaceAll(f.Path, "{id}", r.ID)
	ev := event{
		Version: "2.0", RouteKey: key, RawPath: path, RawQueryString: r.Query, Body: r.Body,
		Headers: map[string]string{"accept": "application/json", "host": "ranch.example.com"},
		RequestContext: eventContext{
			HTTP:      eventHTTP{Method: f.Method, Path: path, Protocol: "HTTP/1.1", SourceIP: clientAddress, UserAgent: clientName},
			RequestID: "JKJaXmPLvHcESHA=", RouteKey: key, Stage: "$default", Time: now.Format("02/Jan/2006:15:04:05 -0700"), TimeEpoch: now.UnixMilli(),
		},
	}
	if path != f.Path {
		ev.PathParameters = map[string]string{"id": r.ID}
	}
	for parameter := range strings.SplitSeq(r.Query, "&") {
		if parameter == "" {
			continue
		}
		if ev.QueryStringParameters == nil {
			ev.QueryStringParameters = map[string]string{}
		}
		// API Gateway would decode the value, and join several values with commas. This is not necessary here, because
		// the functions read only RawQueryString.
		name, value, _ := strings.Cut(parameter, "=")
		ev.QueryStringParameters[name] = value
	}
	if r.Body != "" {
		ev.Headers["content-type"] = "application/json"
	}
	if r.Token != "" {
		ev.Headers["authorization"] = "Bearer " + r.Token
	}
	maps.Copy(ev.Headers, r.Header)
	return ev
}
