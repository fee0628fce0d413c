package scripts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// releaseConfig is what this test reads of .goreleaser.yaml.
type releaseConfig struct {
	Project string `yaml:"project_name"`
	Builds  []struct {
		Main, Binary          string
		Goos, Goarch, Ldflags []string
	}
	Archives []struct {
		Name  string `yaml:"name_template"`
		Files []struct{ Src string }
	}
	Checksum struct {
		Name string `yaml:"name_template"`
	}
	SBOMs []struct {
		Cmd string
	} `yaml:"sboms"`
	Packages []struct {
		Contents []struct{ Src, Dst string }
	} `yaml:"nfpms"`
}

// TestRelease: the configuration of goreleaser, which make test does not run, agrees with the tree
// and with install.sh.
func TestRelease(t *testing.T) {
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join("..", name))
		fault.Check(t, err)
		return string(b)
	}
	var c releaseConfig
	fault.Check(t, yaml.Unmarshal([]byte(text(".goreleaser.yaml")), &c))
	platforms := strings.Fields(regexp.MustCompile(`(?m)^platforms='(.*)'$`).FindStringSubmatch(text("scripts/dev/cross.sh"))[1])
	var binaries []string
	for _, b := range c.Builds {
		binaries = append(binaries, b.Binary)
		if _, err := os.Stat(filepath.Join("..", b.Main)); err != nil {
			t.Errorf("%s: %v", b.Binary, err)
		}
		var built []string
		for _, system := range b.Goos {
			for _, processor := range b.Goarch {
				built = append(built, system+"/"+processor)
			}
		}
		slices.Sort(built)
		slices.Sort(platforms)
		fault.Same(t, fmt.Sprintf("%s is built for", b.Binary), built, platforms)
		if flags := strings.Join(b.Ldflags, " "); !strings.Contains(flags, "-X main.release=v{{ .Version }}") {
			t.Errorf("%s: no version in %q", b.Binary, flags)
		}
	}
	if !strings.Contains(text("cmd/aoa/version.go"), "var release = ") {
		t.Error("aoa has no variable for the version")
	}
	if !slices.Equal(binaries, []string{"aoa", "aoa-hook"}) || len(c.Archives) != 1 || len(c.Packages) != 1 {
		t.Fatalf("programs %v, %d archives, %d packages", binaries, len(c.Archives), len(c.Packages))
	}
	if sbom := c.SBOMs[0].Cmd; !strings.HasPrefix(sbom, "../bin/tools/") { // goreleaser runs it in the folder dist
		t.Errorf("the list of modules is made by %q", sbom)
	}
	if strings.Contains(text(".goreleaser.yaml"), "quarantine") {
		t.Error("the cask changes how macOS judges the programs: that is for their user")
	}
	script := text("scripts/install.sh")
	archive := strings.NewReplacer("{{ .ProjectName }}", c.Project, "{{ .Os }}", "${os}", "{{ .Arch }}",
		"$arch").Replace(c.Archives[0].Name)
	for _, want := range []string{"archive=" + archive + ".tar.gz\n", "/" + c.Checksum.Name + `"`} {
		if !strings.Contains(script, want) {
			t.Errorf("install.sh has no %q", want)
		}
	}
	var sources []string
	for _, f := range c.Archives[0].Files {
		sources = append(sources, f.Src)
	}
	for _, f := range c.Packages[0].Contents {
		sources = append(sources, f.Src)
	}
	for _, src := range sources {
		if strings.HasPrefix(src, "bin/manual/") { // TestManual of cmd/aoa writes it
			continue
		}
		if _, err := os.Stat(filepath.Join("..", src)); err != nil {
			t.Error(err)
		}
	}
}
