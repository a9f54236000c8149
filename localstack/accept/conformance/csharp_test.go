package conformance

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// csharp builds the C# client and its driver, and returns the compiler, or nil if this machine cannot build them.
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

// compile compiles a program for .NET and returns its path. The sources are the files in folder, and those of the
// working tree that match the patterns.
func (d *dotnet) compile(t *testing.T, folder string, patterns ...string) string {
	t.Helper()
	program := filepath.Join(folder, "Program"+onDotnet)
	command := []string{d.path(".tools", "dotnet", "bin", "python"), d.path("infra", "csharp", "dotnet.py"), "compile", "--exe", "--out", program}
	for _, pattern := range append(patterns, folder+"/*.cs") {
		if !filepath.IsAbs(pattern) {
			pattern = d.path(pattern)
		}
		found, err := filepath.Glob(pattern)
		require.True(t, err == nil && len(found) != 0, "no source is %s (%v)", pattern, err)
		command = append(command, found...)
	}
	printed(t, folder, command...)
	return program
}

const (
	clientSources = "shared/client/csharp/Runtime/*.cs"
	unitySources  = "shared/client/csharp/Runtime/Unity/*.cs"
	standIns      = "localstack/accept/conformance/driver/csharp/Unity.cs"
)

// TestCSharpUnits runs the tests of driver/csharp/Units.cs.
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
		out := printed(t, ".", append(d.run(d.driver(on)), "units")...)
		assert.True(t, regexp.MustCompile(`^[1-9]\d+ checks\n$`).MatchString(out), "%s:\n%s", on, out)
	}
}

// TestUnityPackage checks what Unity needs in the package besides the sources. Unity ignores a file of an installed
// package without a .meta file, and finds a scene's script by the GUID in the script's .meta file.
func TestUnityPackage(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	root := filepath.Join(template.Root, "shared", "client", "csharp")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		assert.NoError(t, err)
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
			_, err := os.Stat(strings.TrimSuffix(path, ".meta"))
			assert.NoError(t, err, "%s is of no file: delete it", name)
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
		assert.Empty(t, guids[guid[1]], "%s and %s have one GUID", name, guids[guid[1]])
		guids[guid[1]] = name
		return nil
	})
	require.NoError(t, err)
	script := regexp.MustCompile(`m_Script: \{fileID: 11500000, guid: (\w+), type: 3\}`).FindStringSubmatch(read("Samples~/FirstShow/FirstShow.unity"))
	assert.True(t, script != nil && guids[script[1]] == "Samples~/FirstShow/FirstShow.cs",
		"the scene's script is not FirstShow.cs: %q", script)
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
		err := json.Unmarshal([]byte(read(name)), v)
		assert.NoError(t, err, "%s", name)
	}
	assert.True(t, core.NoEngineReferences && !unity.NoEngineReferences && slices.Equal(unity.References, []string{core.Name}),
		"the assemblies are %+v and %+v", core, unity)
	assert.True(t, len(manifest.Samples) == 1 && manifest.Samples[0].Path == "Samples~/FirstShow", "the samples are %+v", manifest.Samples)
	assert.True(t, strings.Contains(read("Dotnet~/RanchGame.Client.csproj"), "<Version>"+manifest.Version+"<") && strings.Contains(read("CHANGELOG.md"), "## "+manifest.Version+"\n"),
		"the project file and CHANGELOG.md have another version than %s", manifest.Version)
}
