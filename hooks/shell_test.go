package hooks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoa-dev/aoa/internal/event"
)

// sketch writes events in one line: "read a.go; search x [dir] @named; run".
func sketch(events []event.Event) string {
	var out []string
	for _, e := range events {
		s := string(e.Kind)
		if e.Kind == event.KindSearch && e.Text != "" {
			s += " /" + e.Text + "/"
		}
		for i, p := range e.From {
			s += " " + string(p) + ">" + string(e.Paths[i])
		}
		if len(e.From) == 0 {
			for _, p := range e.Paths {
				s += " " + string(p)
			}
		}
		for _, p := range e.Named {
			s += " @" + string(p)
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// input reads the arguments of a call.
func input(raw []byte) (in map[string]any) {
	_ = json.Unmarshal(raw, &in)
	return in
}

// bash runs a command line. Without stdout there is no result yet.
func bash(r Repo, cwd, command, stdout string) []event.Event {
	s := &CallContext{Repo: r, Files: r.Locator(cwd), Agent: "claude", Session: "s", Time: r.now()}
	c := ToolCall{Name: "Bash", ID: "t", Input: arguments{"command": command}}
	if stdout != "" {
		c.Response = map[string]any{"stdout": stdout}
	}
	return s.Tool(c)
}

var commandLines = []struct{ command, want string }{
	// reading
	{"cat store/basket.go", "read store/basket.go"},
	{"cat store/basket.go web/server.go", "read store/basket.go; read web/server.go"},
	{"cat ./store/../store/basket.go", "read store/basket.go"},
	{"cat /home/dev/orchard/go.mod", "read go.mod"},
	{"cat /home/dev/orchard-pear/go.mod", "read go.mod"},
	{"cat /etc/passwd", "run"},
	{"cat store/*.go", "read store/basket.go; read store/basket_test.go"},
	{"cat {store,pick}/*_test.go", "read store/basket_test.go; read pick/picker_test.go"},
	{"cat **/migrations/*.sql", "read db/migrations/001_init.sql"},
	{`cat "docs/a guide.md"`, "read docs/a guide.md"},
	{`cat docs/a\ guide.md`, "read docs/a guide.md"},
	{"head -n 20 go.mod", "read go.mod"},
	{"head -20 go.mod", "read go.mod"},
	{"tail -c +5 go.mod", "read go.mod"},
	{"sed -n '1,40p' web/server.go", "read web/server.go"},
	{"sed -n -e 5p -e 9p web/server.go", "read web/server.go"},
	{"nl -ba web/server.go | sed -n '1,9p'", "read web/server.go"},
	{"less -N README.md", "read README.md"},
	{"bat --style plain README.md", "read README.md"},
	{"awk -F: '{print $1}' data/fruit.json", "read data/fruit.json"},
	{"jq -r --arg k v '.apples' data/fruit.json", "read data/fruit.json"},
	{"diff -u store/basket.go pick/picker.go", "read store/basket.go; read pick/picker.go"},
	{"wc -l store/*.go", "run @store/basket.go @store/basket_test.go"},
	{"sort < data/fruit.json", "read data/fruit.json"},
	{"while read l; do echo $l; done < go.mod", "read go.mod"},
	{"cat store/basket.go | grep -n New | head -3", "read store/basket.go"},
	{"echo \"$(cat go.mod)\"", "read go.mod"},
	{"diff <(cat go.mod) <(git show HEAD:go.mod)", "read go.mod"},
	{"git show HEAD~2:web/server.go", "read web/server.go"},
	{"git blame -L 1,9 web/server.go", "read web/server.go"},
	{"timeout 5 cat go.mod", "read go.mod"},
	{"sudo -u me env A=1 nice -n 5 cat go.mod", "read go.mod"},
	{"LC_ALL=C cat go.mod", "read go.mod"},
	{"bash -lc 'cat go.mod'", "read go.mod"},
	{"sh -c \"cd web && cat server.go\"; cat README.md", "read web/server.go; read README.md"},
	{"F=web/server.go; cat $F ${F}", "read web/server.go"},
	{"for f in web/server.go go.mod; do head -3 \"$f\"; done", "read web/server.go; read go.mod"},
	{"for f in store/*.go; do cat $f; done", "read store/basket.go; read store/basket_test.go"},
	{"cat $UNKNOWN/server.go", "run"},
	{"if [ -f go.mod ]; then cat go.mod; else cat README.md; fi", "read go.mod; read README.md"},
	{"cat go.mod && cat go.mod", "read go.mod"},
	// the working folder
	{"cd web && cat server.go", "read web/server.go"},
	{"cd web; cat ../go.mod", "read go.mod"},
	{"(cd web && cat server.go); cat go.mod", "read web/server.go; read go.mod"},
	{"cd web && cd - && cat go.mod", "read go.mod"},
	{"cd \"$(git rev-parse --show-toplevel)\" && cat go.mod", "read go.mod"},
	{"cd /tmp && cat go.mod", "run"},
	{"cd $SOMEWHERE && cat server.go", "read web/server.go"},
	{"git -C web show HEAD:./server.go", "read web/server.go"},
	// searching
	{"grep -rn NewBasket .", "search /NewBasket/"},
	{"grep -rnE 'New(Basket|Tree)' store --include=*.go", "search /New(Basket|Tree)/"},
	{"grep -n -A 3 Serve web/server.go", "search /Serve/ @web/server.go"},
	{"grep -e Serve -e Listen -r web", "search /Serve Listen/"},
	{"rg -t go 'type Basket'", "search /type Basket/"},
	{"rg -l Basket store | xargs sed -n 1p", "search /Basket/"},
	{"rg --files -g '*.sql'", "search /*.sql/"},
	{"ag Basket store", "search /Basket/"},
	{"git grep -n Basket -- store", "search /Basket/"},
	{"find . -name '*.sql' -not -path './x/*'", "search /*.sql/"},
	{"find store -name '*.go' -exec grep -l New {} \\;", "search /*.go/; search /New/"},
	{"find . -name '*.go' | xargs grep -n Serve", "search /*.go/; search /Serve/"},
	{"fd -e sql init db", "search /sql init/"},
	{"ls -la store", "search"},
	{"ls", "search"},
	{"tree -L 2 web", "search"},
	{"git ls-files 'store/*'", "search"},
	{"go vet ./... 2>&1 | grep -v warning", "run"},
	{"grep -r token /var/log", "run"},
	// changing
	{"sed -i 's/a/b/' web/server.go", "edit web/server.go"},
	{"sed -i '' -e 's/a/b/' web/server.go", "edit web/server.go"},
	{"sed -i.bak 's/a/b/' web/server.go", "edit web/server.go"},
	{"perl -pi -e 's/a/b/' web/server.go", "edit web/server.go"},
	{"perl -i -pe 's/a/b/' web/server.go", "edit web/server.go"},
	{"echo x > web/new.go", "write web/new.go"},
	{"echo x >> README.md", "edit README.md"},
	{"make 2> build.log", "run"},
	{"go test ./... > out.log 2>&1", "run"},
	{"cat > web/new.go <<'EOF'\npackage web // store/basket.go\nEOF", "write web/new.go"},
	{"cat <<EOF >> README.md\nhello $X\nEOF", "edit README.md"},
	{"printf x | tee web/new.go", "write web/new.go"},
	{"printf x | tee -a README.md", "edit README.md"},
	{"touch web/new.go go.mod", "write web/new.go"},
	{"cp go.mod go.work", "read go.mod; write go.work"},
	{"cp web/server.go store/", "read web/server.go; write store/server.go"},
	{"mv web/server.go web/serve.go", "rename web/server.go>web/serve.go"},
	{"git mv web/server.go web/server_test.go store", "rename web/server.go>store/server.go; rename web/server_test.go>store/server_test.go"},
	{"mv pick choose", "rename pick/picker.go>choose/picker.go pick/picker_test.go>choose/picker_test.go"},
	{"rm -f docs/old.md", "delete docs/old.md"},
	{"git rm -r pick", "delete pick/picker.go pick/picker_test.go"},
	{"git rm --cached go.mod", "run"},
	{"gofmt -w web/server.go", "edit web/server.go"},
	{"gofmt -l web/server.go", "run @web/server.go"},
	{"npx prettier --write web/index.ts", "edit web/index.ts"},
	{"patch -p1 <<'EOF'\n--- a/go.mod\n+++ b/go.mod\n@@\nEOF", "edit go.mod"},
	{"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: go.mod\n*** End Patch\nEOF", "edit go.mod"},
	{"sort -o data/fruit.json data/fruit.json", "read data/fruit.json; write data/fruit.json"},
	// running
	{"go test ./store -run TestBasket", "run"},
	{"pytest store/basket_test.go::test_x", "run @store/basket_test.go"},
	{"make && make test && npm run build", "run"},
	{"./scripts/gen.sh --out web/server.go", "run @scripts/gen.sh @web/server.go"},
	{"bash scripts/gen.sh", "run @scripts/gen.sh"},
	{"git diff main -- web/server.go", "run @web/server.go"},
	{"git add web/server.go && git commit -m 'serve baskets (web/index.ts)'", "run @web/server.go @web/index.ts"},
	{"python3 - <<'EOF'\nopen('data/fruit.json')\nEOF", "run @data/fruit.json"},
	{"cat go.mod && go build ./... && cat README.md", "read go.mod; run; read README.md"},
	{"uv run pytest -q", "run"},
	{"echo hello", "run"},
	{"cat 'unclosed web/server.go", "run @web/server.go"},
	{"if then fi ((( web/server.go", "run @web/server.go"},
}

func TestCommandLines(t *testing.T) {
	if len(commandLines) < 60 {
		t.Fatalf("only %d command lines", len(commandLines))
	}
	for _, c := range commandLines {
		if got := sketch(bash(orchard(), orchardRoot, c.command, "")); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.command, got, c.want)
		}
	}
}

// The hook may tell the folder that the command ended in.
func TestCwdAfterCommand(t *testing.T) {
	if got := sketch(bash(orchard(), orchardRoot+"/web", "cd web && cat server.go", "")); got != "read web/server.go" {
		t.Error(got)
	}
}

func TestShellResults(t *testing.T) {
	for _, c := range []struct {
		cwd, command, out string
		seen              []event.Path
		listing           bool
	}{
		{"", "grep -rn New .", "./store/basket.go:1:func New\npick/picker.go:3:see web/server.go", []event.Path{"store/basket.go", "pick/picker.go"}, true},
		{"", "ls store", "basket.go\nbasket_test.go\n", []event.Path{"store/basket.go", "store/basket_test.go"}, true},
		{"/web", "find . -type f", "./server.go\n./app/[id]/page.tsx\n", []event.Path{"web/server.go", "web/app/[id]/page.tsx"}, true},
		{"", "cd web && rg -l x", "server.go", []event.Path{"web/server.go"}, true},
		{"", "git status --short", " M web/server.go\n?? docs/a guide.md", []event.Path{"web/server.go"}, true},
		{"", "go test ./...", "--- FAIL\n    server_test.go:12: no\nok (see web/index.ts.)", []event.Path{"web/server_test.go", "web/index.ts"}, false},
		{"", "cat go.mod", "// docs: docs/old.md, not /usr/lib/README.md nor https://x.y/README.md nor node_modules/z/go.mod", []event.Path{"docs/old.md"}, false},
		{"", "ls vendor docs", "docs:\na guide.md\nold.md\n", []event.Path{"docs/a guide.md", "docs/old.md"}, true},
		{"", "aoa suggest pick/picker.go", "store/basket.go 0.91", nil, false},
		{"", "make", "index.ts is anybody's; orchard/README.md and a/go.mod are ours", []event.Path{"README.md", "go.mod"}, false},
	} {
		events := bash(orchard(), orchardRoot+c.cwd, c.command, c.out)
		last := events[len(events)-1]
		if d := cmp.Diff(c.seen, last.Seen); d != "" || last.Listing != c.listing {
			t.Errorf("%s: listing %v\n%s", c.command, last.Listing, d)
		}
	}
}

func TestShellBounds(t *testing.T) {
	r := bigRepo(3000)
	var out strings.Builder
	for p := range 200 {
		out.WriteString("dira/pkg/file" + itoa(p) + ".go\n")
	}
	events := bash(r, "/r", "ls dira/pkg", out.String())
	if n := len(events[0].Seen); n != event.MaxSeen {
		t.Errorf("%d seen, want %d", n, event.MaxSeen)
	}
	many := strings.Repeat("cat dira/pkg/file1.go dirb/pkg/file2.go; ", 5000)
	if n := len(bash(r, "/r", many, "")); n == 0 || n > 60 {
		t.Errorf("%d events", n)
	}
	if got := sketch(bash(r, "/r", "grep -n Serve dira/pkg/*.go dirb/pkg/file1.go && wc -l dira/pkg/*.go", "")); got != "search /Serve/ @dirb/pkg/file1.go; run" {
		t.Errorf("a wide pattern names files: %s", got)
	}
	all := bash(r, "/r", "cat dira/pkg/*.go", "")
	if len(all) != 1 || len(all[0].Paths) != event.MaxSeen {
		t.Errorf("a wide pattern: %d events", len(all))
	}
	for _, src := range []string{strings.Repeat("(", 60_000), strings.Repeat("$(", 900) + strings.Repeat(")", 900), strings.Repeat("{ ", 1900),
		"cat " + strings.Repeat("{a,b}", 40), "cat {1..99999999}", strings.Repeat("bash -c \"", 50), strings.Repeat("for x in a b c d e f g h; do ", 12) + "ls" + strings.Repeat("; done", 12),
		strings.Repeat("cat */*/*.go;", 4000), strings.Repeat("eval eval ", 1000)} {
		if events := bash(r, "/r", src, ""); len(events) == 0 || len(events) > 60 {
			t.Errorf("%.20s: %d events", src, len(events))
		}
	}
}

// What a transcript tells of moves and removals is long past: the tree of today stands.
func TestPastMoves(t *testing.T) {
	r := orchard()
	s := &CallContext{Repo: r, Files: r.Locator(orchardRoot), Past: true}
	for command, want := range map[string]string{
		"rm go.mod": "run @go.mod", "mv web/server.go web/old.go": "run @web/server.go @web/old.go", "git mv web/older.go web/server.go": "rename web/older.go>web/server.go",
	} {
		in, _ := json.Marshal(map[string]string{"command": command})
		if got := sketch(s.Tool(ToolCall{Name: "Bash", ID: "t", Input: input(in)})); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

func TestArgv(t *testing.T) {
	r := orchard()
	s := &CallContext{Repo: r, Files: r.Locator(orchardRoot)}
	for _, in := range []string{`{"command":["bash","-lc","cat go.mod"]}`, `{"command":["cat","go.mod"]}`, `{"cmd":"cat go.mod"}`, `{"command":"cat server.go ../go.mod","workdir":"web"}`} {
		if got := sketch(s.Tool(ToolCall{Name: "exec_command", ID: "t", Input: input([]byte(in))})); !strings.HasSuffix(got, "read go.mod") {
			t.Errorf("%s: %s", in, got)
		}
	}
}
