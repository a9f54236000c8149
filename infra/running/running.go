// Package running lets tools find the `make run` of their working tree.
package running

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// file is where a running stack says so, from the root of the working tree.
const file = ".build/running.json"

// Stack is what a tool needs to know of a running stack.
type Stack struct {
	API      string `json:"api"`      // base URL
	Play     string `json:"play"`     // base URL of the game's page; "" where none is served
	Endpoint string `json:"endpoint"` // of DynamoDB
	Table    string `json:"table"`
	Secret   string `json:"secret"` // with the signing keys, at the same endpoint; "" where there is none
}

// ErrNone says that no stack is running.
var ErrNone = errors.New("no running stack was found")

// Announce says that the stack runs, until the returned function is called.
func Announce(root string, s Stack) (withdraw func(), err error) {
	path := filepath.Join(root, file)
	content, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return nil, err
	}
	return func() {
		// Another stack may have taken its place.
		if now, err := os.ReadFile(path); err == nil && bytes.Equal(now, content) {
			os.Remove(path)
		}
	}, nil
}

// Find returns the stack that runs in the working tree of the current folder, or else of this program's own file. It
// returns ErrNone when neither has one.
func Find() (Stack, error) {
	var starts []string
	if dir, err := os.Getwd(); err == nil {
		starts = append(starts, dir)
	}
	if program, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(program))
	}
	for _, dir := range starts {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			content, err := os.ReadFile(filepath.Join(dir, file))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return Stack{}, err
			}
			var s Stack
			if err := json.Unmarshal(content, &s); err != nil {
				return Stack{}, fmt.Errorf("%s: %w", filepath.Join(dir, file), err)
			}
			return s, nil
		}
	}
	return Stack{}, ErrNone
}
