package scripts_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// release is a server of releases with one archive for this system.
func release(t *testing.T, sums func(archive []byte, name string) string) (url string) {
	t.Helper()
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	for _, name := range []string{"aoa", "aoa-hook", "README.md"} {
		text := "#!/bin/sh\necho " + name + " v1.2.3\n"
		fault.Check(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}))
		fault.Must(w.Write([]byte(text)))
	}
	fault.Check(t, w.Close())
	fault.Check(t, z.Close())
	name := fmt.Sprintf("aoa_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	mux := http.NewServeMux()
	for _, dir := range []string{"/latest/download/", "/download/v1.2.3/"} {
		mux.HandleFunc("GET "+dir+name, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive.Bytes()) })
		mux.HandleFunc("GET "+dir+"checksums.txt", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, sums(archive.Bytes(), name))
		})
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// right is the list that goreleaser writes.
func right(archive []byte, name string) string {
	return fmt.Sprintf("%064x  other_%s\n%x  %s\n", 0, name, sha256.Sum256(archive), name)
}

// needs skips a test where the script cannot run.
func needs(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the script is for systems with a shell")
	}
	_, curl := exec.LookPath("curl")
	_, wget := exec.LookPath("wget")
	if curl != nil && wget != nil {
		fault.Lacking(t, "download", "neither curl nor wget is installed")
	}
}

// install runs the script with a home of its own.
func install(t *testing.T, args ...string) (home, said string, err error) {
	t.Helper()
	home = t.TempDir()
	cmd := exec.Command("/bin/sh", append([]string{"install.sh"}, args...)...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if left, _ := filepath.Glob(filepath.Join(strings.TrimPrefix(cmd.Env[2], "TMPDIR="), "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return home, string(out), err
}

// TestInstall: the programs are there and run; another folder and another release can be asked for.
func TestInstall(t *testing.T) {
	needs(t)
	url, other := release(t, right), filepath.Join(t.TempDir(), "with space", "bin")
	for _, args := range [][]string{{"-u", url}, {"-u", url, "-v", "v1.2.3", "-d", other}} {
		home, said, err := install(t, args...)
		dir := filepath.Join(home, ".local/bin")
		if len(args) > 2 {
			dir = other
		}
		if err != nil || !strings.Contains(said, "installed aoa v1.2.3 in "+dir) ||
			!strings.Contains(said, "is not on the PATH") {
			t.Errorf("%v: %v, %s", args, err, said)
		}
		for _, name := range []string{"aoa", "aoa-hook"} {
			if out, err := exec.Command(filepath.Join(dir, name)).Output(); err != nil || string(out) != name+" v1.2.3\n" {
				t.Errorf("%s: %v, %s", name, err, out)
			}
		}
		if all, _ := os.ReadDir(dir); len(all) != 2 {
			t.Errorf("%v in %s", all, dir)
		}
	}
}

// TestInstallRefuses: what cannot be verified, or is not there, is not installed.
func TestInstallRefuses(t *testing.T) {
	needs(t)
	for name, c := range map[string]struct {
		sums func([]byte, string) string
		args []string
		want string
	}{
		"another archive": {func(b []byte, name string) string { return right(append(b, 0), name) }, nil, "another checksum"},
		"not in the list": {func([]byte, string) string { return "" }, nil, "does not name"},
		"no such release": {right, []string{"-v", "v9.9.9"}, "cannot download"},
		"unknown option":  {right, []string{"-x"}, ""},
	} {
		home, said, err := install(t, append([]string{"-u", release(t, c.sums)}, c.args...)...)
		if err == nil || !strings.Contains(said, c.want) {
			t.Errorf("%s: %v, %s", name, err, said)
		}
		if left, _ := os.ReadDir(home); len(left) > 0 {
			t.Errorf("%s: %v was installed", name, left)
		}
	}
}

// TestInstallHalf: a script that was cut off while it was downloaded does nothing.
func TestInstallHalf(t *testing.T) {
	needs(t)
	whole := fault.Must(os.ReadFile("install.sh"))
	for _, end := range []int{len(whole) / 2, bytes.LastIndex(whole, []byte("main "))} {
		cmd := exec.Command("/bin/sh", "-s", "--", "-u", release(t, right))
		home := t.TempDir()
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		cmd.Stdin = bytes.NewReader(whole[:end])
		_ = cmd.Run() // half of it is no shell script
		if left, _ := os.ReadDir(home); len(left) > 0 {
			t.Errorf("the first part installed %v", left)
		}
	}
}

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
		b := fault.Must(os.ReadFile(filepath.Join("..", name)))
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
	if !strings.Contains(text("cmd/aoa/main.go"), "var release = ") {
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
