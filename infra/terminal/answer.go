package terminal

import (
	"bufio"
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// Is reports whether the stream is a terminal.
func Is(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// ReadLine returns the next line of from. If the context ends, it fails, even while from is silent. From a terminal it
// reads no more than the line.
func ReadLine(ctx context.Context, from io.Reader) (string, error) {
	type result struct {
		line string
		err  error
	}
	read := make(chan result, 1)
	go func() {
		line, err := bufio.NewReader(from).ReadString('\n')
		read <- result{line, err}
	}()
	select {
	case r := <-read:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
