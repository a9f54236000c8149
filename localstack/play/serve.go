package play

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Page is a running server of the game.
type Page struct {
	URL string // base URL, without a slash at the end

	server *http.Server
	failed chan error
}

// Serve serves the game on the loopback interface. Port 0 means any free port. The caller must Close the page.
func Serve(ctx context.Context, cfg Config, port int) (*Page, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("serving the game: %w", err)
	}
	p := &Page{
		URL:    "http://" + listener.Addr().String(),
		server: &http.Server{Handler: Handler(cfg), ReadHeaderTimeout: 10 * time.Second},
		failed: make(chan error, 1),
	}
	go func() { p.failed <- fmt.Errorf("the server of the game has ended: %w", p.server.Serve(listener)) }()
	return p, nil
}

// Failed returns a channel that gets the server's error when the server ends, also by Close.
func (p *Page) Failed() <-chan error { return p.failed }

// Close ends the server.
func (p *Page) Close() { _ = p.server.Close() }
