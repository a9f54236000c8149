package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// The runtimes of C#, by the endings of their programs.
const (
	onDotnet = ".dll"
	onMono   = ".exe"
)

// dotnet compiles and runs C#.
type dotnet struct {
	root    string // of the working tree
	hasMono bool
}

// csharp builds the C# client and returns its compiler. It returns nil if this machine cannot build the client.
func csharp(t *testing.T) *dotnet {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		untested(t, "the C# client: its compiler is for Linux on x86-64")
		return nil
	}
	for tool, install := range map[string]string{"npm": "Node.js 20 or newer", "python3": "Python 3.11 or newer"} {
		if _, err := exec.LookPath(tool); err != nil {
			untested(t, "the C# client, for want of "+tool+": install "+install)
			return nil
		}
	}
	_, err := exec.LookPath("mono")
	if err != nil {
		untested(t, "the C# client on Mono: install mono-runtime and libmono-system-net-http4.0-cil")
	}
	return &dotnet{root: made(t, "csharp"), hasMono: err == nil}
}

func (d *dotnet) path(names ...string) string { return filepath.Join(d.root, filepath.Join(names...)) }

// driver returns the path of the driver's program for a runtime.
func (d *dotnet) driver(on string) string {
	return map[string]string{onDotnet: d.path(".build", "csharp", "Driver.dll"), onMono: d.path(".build", "csharp", "mono", "Driver.exe")}[on]
}

// run returns the command of a program.
func (d *dotnet) run(program string) []string {
	if strings.HasSuffix(program, onMono) {
		return []string{"mono", program}
	}
	return []string{d.path(".tools", "dotnet", "bin", "python"), d.path("infra", "csharp", "dotnet.py"), "run", program}
}

// compile compiles a program for .NET and returns its path. The sources are the given files, and the files of the
// working tree that match the patterns.
func (d *dotnet) compile(t *testing.T, sources []string, patterns ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "Program"+onDotnet)
	arguments := append([]string{d.path("infra", "csharp", "dotnet.py"), "compile", "--exe", "--out", program}, sources...)
	for _, pattern := range patterns {
		found, err := filepath.Glob(d.path(filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("no source is %s (%v)", pattern, err)
		}
		arguments = append(arguments, found...)
	}
	if out, err := exec.CommandContext(t.Context(), d.path(".tools", "dotnet", "bin", "python"), arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// played runs a program until it ends or has printed all of the wanted lines. It checks that the program has printed
// them.
func played(t *testing.T, command []string, want ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = t.TempDir() // a sample stores its session there
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	var text []byte
	for piece := make([]byte, 4096); !strings.Contains(string(text), want[len(want)-1]); {
		n, err := out.Read(piece)
		text = append(text, piece[:n]...)
		if err != nil {
			break
		}
	}
	in.Close()
	_ = cmd.Wait()
	for _, line := range want {
		if !strings.Contains(string(text), line) {
			t.Errorf("not written: %q. What was written:\n%s\n%s", line, text, &errs)
		}
	}
}

const (
	clientSources = "shared/client/csharp/Runtime/*.cs"
	unitySources  = "shared/client/csharp/Runtime/Unity/*.cs"
	standIns      = "localstack/accept/conformance/driver/csharp/Unity.cs"
)

// TestCSharpUnits checks what no scenario covers (driver/csharp/Units.cs).
func TestCSharpUnits(t *testing.T) {
	t.Parallel()
	d := csharp(t)
	if d == nil {
		return
	}
	for _, on := range []string{onDotnet, onMono} {
		if on == onMono && !d.hasMono {
			continue
		}
		command := append(d.run(d.driver(on)), "units")
		out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
		if !regexp.MustCompile(`^[1-9]\d+ checks\n$`).Match(out) {
			t.Errorf("%s: %v\n%s", on, err, out)
		}
	}
}

// guide is the code around the README's sample of an entry.
const guide = `#nullable enable
using System.Threading.Tasks;
using RanchGame;
using RanchGame.Unity;

abstract class Guide
{
    protected interface IPurse { void Show(long gold); }

    protected abstract void Tell(string text);

    protected async Task PlayAsync(string email, string password, ListedShow show, Animal animal, IPurse purse)
    {
%s
    }
}
`

// TestCSharpSamples compiles the samples of the package's README. It runs the scene for Unity and the program for .NET,
// each of which plays a whole game.
func TestCSharpSamples(t *testing.T) {
	t.Parallel()
	w, err := theStage()
	if err != nil {
		t.Fatal(err)
	}
	d := csharp(t)
	if d == nil {
		return
	}
	s := begin(t, w, nil)
	text, err := os.ReadFile(d.path("shared/client/csharp/README.md"))
	s.must(err)
	samples := regexp.MustCompile("(?s)```csharp\n(.*?)```").FindAllStringSubmatch(strings.ReplaceAll(string(text), "http://127.0.0.1:3000", s.proxy.URL), -1)
	if len(samples) != 3 {
		t.Fatalf("the README has %d samples, want 3", len(samples))
	}
	source := func(text string) string {
		file := filepath.Join(t.TempDir(), "Sample.cs")
		s.must(os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	// The samples do not play the scenarios' shows.
	alone := func() {
		show := s.show("rookie", 10)
		list := []map[string]any{{"id": show.ID, "name": show.Name, "tier": show.Tier, "entryFee": 10, "entryClosesAt": show.EntryClosesAt, "status": "open"}}
		s.proxy.On("GET", listPath, 1, faultyproxy.Answer(200, string(s.json(list))))
	}
	scene := d.compile(t, []string{source(samples[0][1]), source(fmt.Sprintf(guide, samples[2][1]))},
		"shared/client/csharp/Samples~/FirstShow/FirstShow.cs", "localstack/accept/conformance/testdata/csharp/Scene.cs", standIns, clientSources, unitySources)
	alone()
	played(t, append(d.run(scene), s.proxy.URL), "(SessionStarted)", "look for ", "entered in", "You received 100 gold for rank 1!", "You have 590 gold.")
	alone()
	played(t, d.run(d.compile(t, []string{source(samples[1][1])}, clientSources)), "SessionStarted", "entered in", "You received 100 gold for rank 1!", ": rank 1")
}

// TestUnityPackage checks what Unity needs in the package besides the sources. Unity ignores a file of an installed
// package that has no .meta file. It finds a scene's script by the GUID in that file.
func TestUnityPackage(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(template.Root, "shared", "client", "csharp")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	guids := map[string]string{} // from guid to file
	reflects := regexp.MustCompile(`System\.Reflection|Activator|GetProperty|GetField|GetMethod|typeof\(|dynamic`)
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case name == "Dotnet~":
			return fs.SkipDir
		case slices.Contains([]string{".", "Samples~", "Samples~/FirstShow"}, name):
			return nil
		case strings.HasSuffix(name, ".meta"):
			if _, err := os.Stat(strings.TrimSuffix(path, ".meta")); err != nil {
				t.Errorf("%s is of no file: delete it", name)
			}
			return nil
		}
		if filepath.Ext(name) == ".cs" && strings.HasPrefix(name, "Runtime/") && reflects.MatchString(read(name)) {
			t.Errorf("%s has %q: IL2CPP strips what reflection alone uses", name, reflects.FindString(read(name)))
		}
		guid := regexp.MustCompile(`(?m)^guid: ([0-9a-f]{32})$`).FindStringSubmatch(read(name + ".meta"))
		if guid == nil {
			t.Errorf("%s.meta has no GUID: copy the .meta of another file of its kind, and give it a GUID of its own (32 hexadecimal digits)", name)
			return nil
		}
		if guids[guid[1]] != "" {
			t.Errorf("%s and %s have one GUID", name, guids[guid[1]])
		}
		guids[guid[1]] = name
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile(`m_Script: \{fileID: 11500000, guid: (\w+), type: 3\}`).FindStringSubmatch(read("Samples~/FirstShow/FirstShow.unity"))
	if script == nil || guids[script[1]] != "Samples~/FirstShow/FirstShow.cs" {
		t.Errorf("the scene's script is not FirstShow.cs: %q", script)
	}
	var manifest struct {
		Version string
		Samples []struct{ Path string }
	}
	var core, unity struct {
		Name               string
		References         []string
		NoEngineReferences bool
	}
	for name, v := range map[string]any{"package.json": &manifest, "Runtime/RanchGame.Client.asmdef": &core, "Runtime/Unity/RanchGame.Client.Unity.asmdef": &unity} {
		if err := json.Unmarshal([]byte(read(name)), v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !core.NoEngineReferences || unity.NoEngineReferences || !slices.Equal(unity.References, []string{core.Name}) {
		t.Errorf("the assemblies are %+v and %+v", core, unity)
	}
	if len(manifest.Samples) != 1 || manifest.Samples[0].Path != "Samples~/FirstShow" {
		t.Errorf("the samples are %+v", manifest.Samples)
	}
	if !strings.Contains(read("Dotnet~/RanchGame.Client.csproj"), "<Version>"+manifest.Version+"<") || !strings.Contains(read("CHANGELOG.md"), "## "+manifest.Version+"\n") {
		t.Errorf("the project file and CHANGELOG.md have another version than %s", manifest.Version)
	}
}
