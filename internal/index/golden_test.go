package index_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares a text with a file in testdata.
func golden(t *testing.T, file, got string) {
	t.Helper()
	name := "testdata/" + file
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil { //nolint:gosec // test data
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s:\n%s", file, d)
	}
}

// texts are prompts, commands, code and damaged input.
var texts = []string{
	"fix the TCPServer in parse_config.go",
	"Why does loginTimeout fail? See LoginTimeouts, MAX_LOGIN_TIMEOUTS and the 42 others.",
	"testing the tests, tested twice; stories about classes, statuses and buses",
	"don't change HTTPServer2 or utf8Decoder, let's rename XMLHttpRequest",
	"naïve Größe löscht Änderungen; 日本語のテスト and кошки",
	"go test ./internal/cold -run 'TestForget|TestReplay' -count=1",
	"grep -rn \"func (s *Store) Open\" --include=*.go .",
	"\xff\xfe broken \xc3 bytes äöü_Name",
	"a bb ccc dddd 1234 0x1F deadbeef v2Token base64Key",
	"the and for with that this from have has was",
	strings.Repeat("supercalifragilisticexpialidocious ", 2) + "running sing red bed needed flies dies pass gas us bus",
	"CONSTANT_NAME kebab-case snake_case_name dotted.name.here slash/separated/path camelCaseName PascalCaseName ALLCAPSWord",
	"func (r *Reader) ReadAll(ctx context.Context, max int) ([]byte, error) { return nil, nil }",
	"",
	"   \t\n",
}

func TestGoldenTerms(t *testing.T) {
	var b strings.Builder
	for _, s := range texts {
		fmt.Fprintf(&b, "%q\n\tterms       %q\n\tfirst three %q\n\tidentifiers %q\n\ttokens      %d\n",
			s, index.Terms(s, 64), index.Terms(s, 3), index.Identifiers(s, 16), index.Tokens(s))
	}
	for _, p := range []event.Path{"cmd/aoa/main_test.go", "web/src/UserProfilePage.spec.tsx", "docs/README", ".github/workflows/ci.yml", "a/.env",
		"internal/HTTPServer/routes.go", "deep/" + event.Path(strings.Repeat("folderName1/otherFolder/", 14)) + "x.go"} {
		fmt.Fprintf(&b, "%s\n\tpath terms  %q\n", p, index.PathTerms(p))
	}
	golden(t, "terms.golden", b.String())
}

// corpus is the files of a made-up repository, the same ones at each call.
func corpus() (files []event.Path, text map[event.Path]string) {
	nouns := []string{"Session", "Token", "Bucket", "Cursor", "Parser", "Retry", "Snapshot", "Queue", "Invoice", "Socket"}
	verbs := []string{"open", "close", "refresh", "encode", "decode", "expire", "merge", "resolve"}
	text = map[event.Path]string{}
	add := func(p, s string) {
		files = append(files, event.Path(p))
		text[event.Path(p)] = s
	}
	for i, n := range nouns {
		low := strings.ToLower(n)
		next := nouns[(i+1)%len(nouns)]
		var b strings.Builder
		fmt.Fprintf(&b, "// Package %s keeps %ss and %ss their rows.\npackage %s\n\ntype %sStore struct{ rows int }\n\n",
			low, low, verbs[i%8], low, n)
		for k, v := range verbs[:3+i%5] {
			title := strings.ToUpper(v[:1]) + v[1:]
			fmt.Fprintf(&b, "// %s%s %ss the %s of a %s.\nfunc (s *%sStore) %s%s(id int) error { return s.%s%s(id+%d) }\n\n",
				title, n, v, low, strings.ToLower(next), n, title, n, verbs[(k+1)%8], next, i*k)
		}
		add("internal/"+low+"/"+low+".go", b.String())
		add("internal/"+low+"/"+low+"_test.go", fmt.Sprintf("package %s\nfunc Test%sStore(t *testing.T) { var s %sStore; s.Open%s(1); s.Close%s(2) }\n",
			low, n, n, n, n))
		add("web/"+low+".ts", fmt.Sprintf("export default async function load%sPage() { return fetch%s('%s') }\nexport const max%sItems = %d\n",
			n, next, low, n, i))
		add("tools/"+low+".py", fmt.Sprintf("class %sReport:\n    def write_report(self):\n        return %s_total(%d)\n", n, low, i))
		add("docs/"+low+".md", fmt.Sprintf("# The %s\n\nHow a %s is %sed, and when it %ss. See %sStore.\n",
			low, low, verbs[i%8], verbs[(i+3)%8], n))
	}
	add("README.md", "Sessions and tokens; run the tests with make.\n")
	var wide strings.Builder
	for i := range 400 {
		fmt.Fprintf(&wide, "func wide%c%cName%c() { call%c%cThing%c() }\n", 'a'+i%26, 'a'+i/26, 'A'+i%7, 'A'+i%5, 'a'+i/20, 'A'+i%3)
	}
	add("wide.go", wide.String())
	add("data.bin", "Session\x00Token")
	add("empty.go", "")
	add("huge.go", strings.Repeat("someLongIdentifier otherName ", index.MaxFileSize/20))
	return files, text
}

func TestGoldenContents(t *testing.T) {
	files, text := corpus()
	c := index.NewContents()
	for _, p := range files {
		c.Set(p, []byte(text[p]))
	}
	var b strings.Builder
	show := func(what string) {
		fmt.Fprintf(&b, "%s: %d files\n", what, c.Len())
		for _, q := range []string{"how does a session expire", "TokenStore openToken", "decode the cursor of a parser",
			"merge_snapshot report", "make the retry queue faster",
			"wideaaNameA widejpNameF callAaThingA callBbThingB callEtThingC", "nothing known"} {
			fmt.Fprintf(&b, "\twords of %q\n", q)
			for _, f := range c.Words(index.Terms(q, 16), 6) {
				fmt.Fprintf(&b, "\t\t%s %.9f %v\n", f.Path, f.Weight, f.Words)
			}
			fmt.Fprintf(&b, "\tidentifiers of %q\n", q)
			for _, f := range c.Identifiers(index.Identifiers(q, 16), 6) {
				fmt.Fprintf(&b, "\t\t%s %.9f %v\n", f.Path, f.Weight, f.Words)
			}
		}
		for _, names := range [][]string{{"tokenstore", "opensession"}, {"loadparserpage", "cursorreport", "maxqueueitems"},
			{"writereport"}, {"wideaanamea", "wideadnamee", "widejpnamef"}, {"nobody"}} {
			fmt.Fprintf(&b, "\tdefining %v\n", names)
			for _, f := range c.Defining(names, 6) {
				fmt.Fprintf(&b, "\t\t%s %.9f %v\n", f.Path, f.Weight, f.Words)
			}
		}
		for _, p := range append(files[:20:20], "wide.go") {
			fmt.Fprintf(&b, "\t%s has %v words\n", p, c.Size(p))
			for _, f := range c.Alike(p, 5) {
				fmt.Fprintf(&b, "\t\tlike %s %.9f %v\n", f.Path, f.Weight, f.Words)
			}
			for _, f := range c.Called(p, 5) {
				fmt.Fprintf(&b, "\t\tcalls %s %.9f %v\n", f.Path, f.Weight, f.Words)
			}
		}
	}
	show("all files")
	c.Remove(files[5:15]...)
	c.Set("web/session.ts", []byte("export function expireSession() { return refreshToken() }\n"))
	c.Set("web/session.ts", []byte("export function expireSession() { return refreshToken() + refreshToken() }\n"))
	show("after changes")
	golden(t, "contents.golden", b.String())
}
