package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
)

// tomorrow returns a proxy to the API that changes responses as a later version may (docs/versioning.md). Every object
// in a response gets one more field. Every field in known gets a value that today's clients do not know.
func tomorrow(api string) http.Handler {
	u, err := url.Parse(api)
	if err != nil {
		panic(err) // the API of a running service
	}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(u)
			r.Out.Header.Del("Accept-Encoding") // so that the proxy itself handles gzip
		},
		ModifyResponse: func(r *http.Response) error {
			d := json.NewDecoder(r.Body)
			d.UseNumber()
			var body any
			if err := d.Decode(&body); err != nil {
				return err
			}
			text, err := json.Marshal(later(body))
			r.Body = io.NopCloser(bytes.NewReader(text))
			r.ContentLength = int64(len(text))
			r.Header.Set("Content-Length", strconv.Itoa(len(text)))
			return err
		},
	}
}

// known lists the fields that the contract marks with x-known.
var known = []string{"error", "status", "showStatus", "sex", "rarity_tier", "rarityTier"}

// later returns a JSON value as a later version of the service might send it.
func later(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = later(v[i])
		}
	case map[string]any:
		for name, member := range v {
			if v[name] = later(member); slices.Contains(known, name) {
				v[name] = "SOMETHING_NEW"
			}
		}
		v["someNewField"] = map[string]any{"of": []any{"tomorrow", 1}}
	}
	return v
}
