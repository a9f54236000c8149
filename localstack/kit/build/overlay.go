package build

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// Overlay writes files that exist only for one build into a folder, which it creates. The key of a file in texts is the
// path at which the compiler sees it. Overlay returns the path for the Go tool's flag -overlay.
func Overlay(folder string, texts map[string]string) (overlay string, err error) {
	replace := map[string]string{}
	err = os.MkdirAll(folder, 0o755)
	for path, text := range texts {
		name := filepath.Join(folder, "overlay-"+strconv.Itoa(len(replace))) // without .go, for other tools
		replace[path] = name
		err = errors.Join(err, os.WriteFile(name, []byte(text), 0o644))
	}
	content, invalid := json.Marshal(map[string]any{"Replace": replace})
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, errors.Join(err, invalid, os.WriteFile(overlay, content, 0o644))
}
