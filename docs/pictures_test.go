package docs_test

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// A picture has at most as many bytes, and an animation (.webp): they are in every clone.
const (
	largestPicture   = 300_000
	largestAnimation = 1_000_000
)

// animation matches the first chunks of an animated WebP.
var animation = regexp.MustCompile(`(?s)^RIFF.{4}WEBPVP8X.{14}ANIM.{10}ANMF`)

var pictureForm = regexp.MustCompile(`!\[[^\]]*\]\(([^)]+)\)|<img[^>]* src="([^"]+)"`)

// TestPictures: each picture that README or a page of this folder shows is there and small, and is drawn (.svg), a PNG
// or an animated WebP; and so is whatever else is in docs/images. Pictures are not compared:
// `UPDATE_SCREENSHOTS=1 make test-browser` takes them.
func TestPictures(t *testing.T) {
	t.Parallel()
	problems, err := wrongPictures(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

func wrongPictures(repository fs.FS) (problems []string, err error) {
	pages, err := fs.Glob(repository, "docs/*.md")
	if err != nil {
		return nil, err
	}
	pictures := map[string]string{} // and who shows it
	found, err := fs.Glob(repository, "docs/images/*")
	if err != nil {
		return nil, err
	}
	for _, picture := range found {
		pictures[picture] = "docs/images"
	}
	for _, page := range append(pages, "README.md") {
		text, err := fs.ReadFile(repository, page)
		if err != nil {
			return nil, err
		}
		for _, shown := range pictureForm.FindAllStringSubmatch(string(text), -1) {
			address := shown[1] + shown[2]
			if strings.Contains(address, ":") {
				problems = append(problems, fmt.Sprintf("%s: the picture %s is fetched from elsewhere", page, address))
				continue
			}
			pictures[path.Join(path.Dir(page), address)] = page
		}
	}
	for picture, page := range pictures {
		if problem := wrongPicture(repository, picture); problem != nil {
			problems = append(problems, fmt.Sprintf("%s: the picture %s: %v", page, picture, problem))
		}
	}
	slices.Sort(problems)
	return problems, nil
}

func wrongPicture(repository fs.FS, name string) error {
	content, err := fs.ReadFile(repository, name)
	if err != nil {
		return errors.New("it is not there")
	}
	largest := largestPicture
	if path.Ext(name) == ".webp" {
		largest = largestAnimation
	}
	if len(content) > largest {
		return fmt.Errorf("it has %d bytes, more than %d", len(content), largest)
	}
	if path.Ext(name) == ".webp" {
		if !animation.Match(content) {
			return errors.New("it is no animated WebP")
		}
		return nil
	}
	if path.Ext(name) == ".svg" { // drawn, not taken
		return nil
	}
	if _, err := png.Decode(bytes.NewReader(content)); err != nil {
		return fmt.Errorf("it is no PNG: %w", err)
	}
	return nil
}

func TestPictures_saysWhatIsWrong(t *testing.T) {
	t.Parallel()
	got, err := wrongPictures(fstest.MapFS{
		"README.md": {Data: []byte("![The ranch](docs/images/ranch.png) and ![a text](docs/images/text.png)")},
		"docs/a.md": {Data: []byte(`![It](images/nowhere.png), <img width="3" src="images/large.png">, ![elsewhere](https://example.com/a.png)`)},
		"docs/images/ranch.png": {Data: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
			"\x00\x00\x00\rIDATx\xdac\x64\xf8\xcf\x50\x0f\x00\x03\x86\x01\x80\x5a\x34\x7d\x6b\x00\x00\x00\x00IEND\xaeB`\x82")},
		"docs/images/text.png":   {Data: []byte("text")},
		"docs/images/large.png":  {Data: make([]byte, largestPicture+1)},
		"docs/images/still.webp": {Data: []byte("RIFF\x24\x00\x00\x00WEBPVP8L")},
		"docs/images/long.webp":  {Data: make([]byte, largestAnimation+1)},
		"docs/images/other.jpg":  {Data: []byte("nobody shows it")},
	})
	want := []string{
		"README.md: the picture docs/images/text.png: it is no PNG: unexpected EOF",
		"docs/a.md: the picture docs/images/large.png: it has 300001 bytes, more than 300000",
		"docs/a.md: the picture docs/images/nowhere.png: it is not there",
		"docs/a.md: the picture https://example.com/a.png is fetched from elsewhere",
		"docs/images: the picture docs/images/long.webp: it has 1000001 bytes, more than 1000000",
		"docs/images: the picture docs/images/other.jpg: it is no PNG: png: invalid format: not a PNG file",
		"docs/images: the picture docs/images/still.webp: it is no animated WebP",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\ngot  %q\nwant %q", err, got, want)
	}
}
