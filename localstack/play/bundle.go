package play

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// pageFolder and clientFolder are the folders of the working tree whose files Bundle puts into the page.
const (
	pageFolder   = "localstack/play/web"
	clientFolder = "shared/client/typescript/dist" // the built client (make client)
	assets       = "assets/"                       // the folder of the bundled files, relative to the page's address
)

// entries are the files that index.html names. esbuild bundles each file with its imports.
var entries = []string{"app.js", "theme.js", "style/page.css", "icon.svg"}

// oldest has the oldest browsers of the page. The README of the TypeScript client names them, too, and
// browser/ages.test.mjs plays without all younger functions.
var oldest = []api.Engine{{Name: api.EngineChrome, Version: "100"}, {Name: api.EngineFirefox, Version: "98"}, {Name: api.EngineSafari, Version: "15.4"}}

// ErrNoClient is the error of Bundle and Write if the TypeScript client is not built.
var ErrNoClient = errors.New("the game needs the TypeScript client: run make client, then try again")

// Bundle returns the files of the game's page, by their paths below its address: index.html, and in assets its minified
// scripts, style and icon with source maps. A file's name in assets contains a hash of its content, so browsers may
// keep the file for ever. The error has the place of each mistake in a source file. A call takes about 30 ms.
func Bundle(root string) (map[string][]byte, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	web := filepath.Join(root, pageFolder)
	client := filepath.Join(root, clientFolder, "index.js")
	if _, err := os.Stat(client); err != nil {
		return nil, ErrNoClient
	}
	built := api.Build(api.BuildOptions{
		AbsWorkingDir: web, PreserveSymlinks: true,
		EntryPoints: entries, EntryNames: "[name]-[hash]", Outdir: assets, Metafile: true,
		Bundle: true, Format: api.FormatESModule, Target: api.ES2022, Engines: oldest, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Sourcemap: api.SourceMapLinked,
		Loader:  map[string]api.Loader{".svg": api.LoaderCopy},
		Plugins: []api.Plugin{theClient(client)},
	})
	if len(built.Errors) > 0 {
		lines := api.FormatMessages(built.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, fmt.Errorf("bundling the page:\n%s", strings.Join(lines, ""))
	}
	var meta struct {
		Outputs map[string]struct{ EntryPoint string }
	}
	if err := json.Unmarshal([]byte(built.Metafile), &meta); err != nil {
		return nil, err
	}
	page, err := os.ReadFile(filepath.Join(web, "index.html"))
	if err != nil {
		return nil, err
	}
	html, files := string(page), map[string][]byte{}
	for _, file := range built.OutputFiles {
		name := assets + filepath.Base(file.Path)
		files[name] = file.Contents
		if entry := meta.Outputs[name].EntryPoint; entry != "" {
			html = strings.ReplaceAll(html, `"`+entry+`"`, `"`+name+`"`)
		}
	}
	files["index.html"] = []byte(html)
	return files, nil
}

// theClient resolves client/index.js, which the sources import, to the built client.
func theClient(built string) api.Plugin {
	return api.Plugin{Name: "client", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `/client/index\.js$`}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: built}, nil
		})
	}}
}

// Write replaces a folder by the bundled page, for a static host. The page uses the API at apiURL. After an error of
// Bundle, the folder is unchanged.
func Write(root, folder, apiURL string) error {
	files, err := Bundle(root)
	if err != nil {
		return err
	}
	if files["config.json"], err = json.Marshal(map[string]any{"api": apiURL}); err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	for name, content := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
