package conformance

import (
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
// package without a .meta file, and finds a scene's script by the GUID in the script's .meta file. IL2CPP strips what
// reflection alone uses.
func TestUnityPackage(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../../shared/client/csharp")
	require.NoError(t, err)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		assert.NoError(t, err)
		return string(text)
	}
	guids := map[string]string{} // from guid to file
	reflects := regexp.MustCompile(`System\.Reflection|Activator|GetProperty|GetField|GetMethod|typeof\(|dynamic`)
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, _ fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "Dotnet~":
			return fs.SkipDir
		case slices.Contains([]string{".", "Samples~", "Samples~/FirstShow"}, name):
			return nil
		}
		if of, isMeta := strings.CutSuffix(name, ".meta"); isMeta {
			_, err := os.Stat(filepath.Join(root, of))
			assert.NoError(t, err, "%s is of no file: delete it", name)
			return nil
		}
		if strings.HasSuffix(name, ".cs") && strings.HasPrefix(name, "Runtime/") {
			assert.NotRegexp(t, reflects, read(name), name)
		}
		guid := regexp.MustCompile(`(?m)^guid: ([0-9a-f]{32})$`).FindStringSubmatch(read(name + ".meta"))
		if assert.NotNil(t, guid, "%s.meta has no GUID: copy another .meta, and give it 32 other hexadecimal digits", name) {
			assert.Empty(t, guids[guid[1]], "%s and %s have one GUID", name, guids[guid[1]])
			guids[guid[1]] = name
		}
		return nil
	}))
	script := regexp.MustCompile(`m_Script: \{fileID: 11500000, guid: (\w+), type: 3\}`).
		FindStringSubmatch(read("Samples~/FirstShow/FirstShow.unity"))
	require.NotNil(t, script)
	assert.Equal(t, "Samples~/FirstShow/FirstShow.cs", guids[script[1]], "the scene's script")
	version := regexp.MustCompile(`"version": "(.*)"`).FindStringSubmatch(read("package.json"))
	require.NotNil(t, version)
	assert.Contains(t, read("Dotnet~/RanchGame.Client.csproj"), "<Version>"+version[1]+"<")
	assert.Contains(t, read("CHANGELOG.md"), "## "+version[1]+"\n")
}
