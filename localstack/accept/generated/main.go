// Command generated generates clients from docs/openapi.yaml with the commands of docs/clients.md, and plays a game
// with each: `make generated-clients`. Each language has a folder here with a program that plays. The program plays
// twice: with the real service, and with the further fields and values that a later version of the service may send
// (tomorrow.go).
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/process"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
)

// language is a programming language with a generated client. docs/clients.md has the commands that generate the
// client, in a block with the language's name. run executes these commands in a copy of the folder, then compile, and
// then play with three arguments: the API's address, a player's name and a show's name.
type language struct {
	name, folder, compile, play string
}

var languages = []language{
	{"Python", "python", "true", "python play.py"},
	{"Go", "go", "go build -o play .", "./play"},
}

func main() { batch.Main("generated", "", run) }

func run(ctx context.Context) (err error) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	page, err := os.ReadFile(filepath.Join(template.Root, "docs", "clients.md"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ranch-generated-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	w, err := world.Open(ctx, world.Config{Folder: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	season, err := w.NewSeason(ctx, game.NewID())
	if err != nil {
		return err
	}
	proxy := httptest.NewServer(tomorrow(w.API))
	defer proxy.Close()
	for i, l := range languages {
		began := time.Now()
		g := &generated{language: l, root: template.Root, dir: filepath.Join(dir, "project-"+l.folder)}
		if err := g.build(ctx, string(page)); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		for j, service := range []struct{ api, want string }{
			{w.API, "active, 550 gold, rank 1, season score 100, second entry 409 DUPLICATE"},
			{proxy.URL, "SOMETHING_NEW, 550 gold, rank 1, season score 100, second entry 409 SOMETHING_NEW"},
		} {
			show := fmt.Sprintf("%s%d", l.folder, j)
			if _, err := w.NewShow(ctx, game.Show{Name: show, Tier: "rookie", EntryFee: 50, SeasonID: season.ID}, 1); err != nil {
				return err
			}
			got, err := g.shell(ctx, strings.Join([]string{l.play, service.api, show, show}, " "))
			if err != nil || lastLine(got) != service.want {
				return fmt.Errorf("%s: %s (%v): %s\nwant %s", l.name, l.play, err, got, service.want)
			}
		}
		fmt.Printf("[%d/%d] %s plays, with today's answers and with tomorrow's, %.0f s\n",
			i+1, len(languages), l.name, time.Since(began).Seconds())
	}
	return nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// generated is a project of one language, with the generated client.
type generated struct {
	language
	root, dir string
}

// build generates the client with the commands of page, and compiles it together with the program that plays.
func (g *generated) build(ctx context.Context, page string) error {
	block := regexp.MustCompile("(?s)```sh\n# " + regexp.QuoteMeta(g.name) + "[, ][^\n]*\n(.*?)```").FindStringSubmatch(page)
	if block == nil {
		return errors.New("docs/clients.md has no block of commands that begins with its name")
	}
	if err := os.Mkdir(g.dir, 0o700); err != nil {
		return err
	}
	if err := os.CopyFS(g.dir, os.DirFS(filepath.Join(g.root, "localstack/accept/generated", g.folder))); err != nil {
		return err
	}
	for _, commands := range []string{block[1], g.compile} {
		if out, err := g.shell(ctx, commands); err != nil {
			return fmt.Errorf("%s\n%s%w", commands, out, err)
		}
	}
	return nil
}

// shell runs commands in the project's folder and returns their output. It stops them after two minutes. The pinned
// generator is on the PATH. shell replaces /path/to/ranch by the path of the working tree.
func (g *generated) shell(ctx context.Context, commands string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var out strings.Builder
	cmd := exec.Command("sh", "-ec", strings.ReplaceAll(commands, "/path/to/ranch", g.root))
	cmd.Dir, cmd.Stdout, cmd.Stderr = g.dir, &out, &out
	path := filepath.Join(g.root, ".tools/generated/bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	cmd.Env = append(os.Environ(), "PATH="+path, "NO_PROXY=*")
	err := process.Run(ctx, cmd)
	return out.String(), err
}
