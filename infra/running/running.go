// Package running lets tools find the `make run` of their working tree, by a file that it writes there.
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

// file is the path of the file that describes the running stack, relative to the root of the working tree.
const file = ".build/running.json"

// Stack holds the addresses and names by which tools reach a running stack.
type Stack struct {
	API      string `json:"api"`      // base URL
	Play     string `json:"play"`     // base URL of the game's page; "" if the stack serves no page
	Endpoint string `json:"endpoint"` // of DynamoDB
	Table    string `json:"table"`
	Secret   string `json:"secret"` // of the signing keys, at the same endpoint; "" if there is none
}

// ErrNone means that no stack is running.
var ErrNone = errors.New("found no running stack: start one with `make run`")

// Announce writes the file by which Find finds the stack s in the working tree root. The caller must call withdraw,
// which deletes the file, when the stack ends.
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
		// Another stack may have replaced the file.
		if now, err := os.ReadFile(path); err == nil && bytes.Equal(now, content) {
			os.Remove(path)
		}
	}, nil
}

// Find returns the stack that runs in the working tree of the current folder or, if none runs there, in the working
// tree of this program's own file. It returns ErrNone if neither tree has one. It only reads the file: it also returns
// a stack that was killed before it could delete the file.
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
				return Stack{}, fmt.Errorf("the file %s, in which `make run` describes itself, is damaged: delete it and start `make run` again: %w", filepath.Join(dir, file), err)
			}
			return s, nil
		}
	}
	return Stack{}, ErrNone
}
