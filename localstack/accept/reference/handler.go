package reference

import (
	"bytes"
	_ "embed"
	"net/http"
)

//go:embed style.css
var style []byte

// policy lets the page have its stylesheet, from where it is itself, and nothing else.
const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page of a contract at its root, with what belongs to it: style.css, and openapi.yaml, the contract
// as it is. Mounted elsewhere it needs http.StripPrefix, and a slash at the end of the page's address. The curl lines
// of the page go to the API at the given base URL; "" is the contract's first server.
func Handler(contract []byte, api string) (http.Handler, error) {
	var page bytes.Buffer
	if err := Render(&page, contract, api); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	serve := func(path, mediaType string, content []byte) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			h := w.Header()
			h.Set("Content-Type", mediaType)
			h.Set("Content-Security-Policy", policy)
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("Cache-Control", "no-cache")
			_, _ = w.Write(content) // who has gone away needs it no more
		})
	}
	serve("/{$}", "text/html; charset=utf-8", page.Bytes())
	serve("/style.css", "text/css; charset=utf-8", style)
	serve("/openapi.yaml", "application/yaml", contract)
	return mux, nil
}
