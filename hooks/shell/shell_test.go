package shell_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/hooks/shell"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// orchard is a worktree of which only the names matter.
func orchard() *index.Locator {
	return index.NewLocator(
		index.NewTree(eventtest.Paths([]string{"Makefile", "README.md", "go.mod", "pick/picker.go", "pick/picker_test.go",
			"store/basket.go",
			"store/basket_test.go", "web/server.go", "web/server_test.go", "web/app/[id]/page.tsx", "web/index.ts",
			"docs/old.md", "docs/yield.ipynb",
			"docs/a guide.md", "scripts/gen.sh", "data/fruit.json", "db/migrations/001_init.sql", "pkg/a/index.ts",
			"cmd/orchard/main.go"})),
		func(p event.Path) bool { return p.Ext() == ".log" }, "/home/dev/orchard", "/home/dev/orchard", "/home/dev/orchard-pear")
}

// sketch writes operations in one line: "read a.go; search /x/ @named; run". Neighboring runs are
// one.
func sketch(ops []shell.Op) string {
	var out []string
	runs := -1 // the index of the run that goes on
	for _, op := range ops {
		s := string(op.Kind)
		if op.Kind == event.KindSearch && op.Pattern != "" {
			s += " /" + op.Pattern + "/"
		}
		for _, p := range op.Paths {
			s += " " + string(p)
		}
		named := ""
		for _, p := range op.Named {
			named += " @" + string(p)
		}
		if op.Kind == event.KindRun && runs >= 0 {
			out[runs] += named
			continue
		}
		if runs = -1; op.Kind == event.KindRun {
			runs = len(out)
		}
		out = append(out, s+named)
	}
	if len(out) == 0 {
		return "run"
	}
	return strings.Join(out, "; ")
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
	{"F=web/server.go; cat ${F%.go}_test.go", "read web/server_test.go"},
	{"F=web/server.go; cd web; cat ${F##*/}", "read web/server.go"},
	{"F='docs/a guide.md'; cat \"$F\"", "read docs/a guide.md"},
	{"F='go.mod README.md'; cat $F", "read go.mod; read README.md"},
	{"N=1; cat db/migrations/00$((N))_init.sql", "read db/migrations/001_init.sql"},
	{"cat $'docs/a guide.md'", "read docs/a guide.md"},
	{"cat ${UNKNOWN:-go.mod}", "run"},
	{"cat ~/go.mod ~dev/go.mod", "run"},
	{"cat {1..3}/server.go", "run"},
	{"cat ${F/a/b}server.go", "run"},
	{"cd /nowhere$X && cat $PWD/go.mod", "run"},
	{"cat $PWD/go.mod", "read go.mod"},
	{"Get-Content go.mod | Select-String orchard", "run @go.mod"},
	{"if [ -f go.mod ]; then cat go.mod; else cat README.md; fi", "read go.mod; read README.md"},
	{"cat go.mod && cat go.mod", "read go.mod"},
	// the working folder
	{"cd web && cat server.go", "read web/server.go"},
	{"cd web; cat ../go.mod", "read go.mod"},
	{"(cd web && cat server.go); cat go.mod", "read web/server.go; read go.mod"},
	{"cd web && cd - && cat go.mod", "read go.mod"},
	{"cd \"$(git rev-parse --show-toplevel)\" && cat go.mod", "run; read go.mod"},
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
	{"find store -name '*.go' -exec grep -l New {} \\;", "search /*.go/"},
	{"find . -name '*.go' | xargs grep -n Serve", "search /*.go/; search /Serve/"},
	{"fd -e sql init db", "search /sql init/"},
	{"ls -la store", "search"},
	{"ls", "search"},
	{"tree -L 2 web", "search"},
	{"git ls-files 'store/*'", "search"},
	{"go vet ./... 2>&1 | grep -v warning", "run"},
	{"grep -r token /var/log", "run"},
	{"grep -n Serve 'web/server.go'", "search /Serve/ @web/server.go"},
	{"grep -f patterns.txt web/server.go", "search @web/server.go"},
	{"grep --regexp=Serve --max-count 3 web/server.go", "search /Serve/ @web/server.go"},
	{"grep Serve store/*.go", "search /Serve/ @store/basket.go @store/basket_test.go"},
	{"grep Serve $X/store", "search /Serve/"},
	{"grep -rn \"$(date) Serve\" .", "search / Serve/"},
	{"grep -rn \"$X Serve\" .", "search / Serve/"},
	{"grep -r Serve ~/elsewhere", "run"},
	{"cat go.mod | grep -r Serve", "read go.mod; search /Serve/"},
	{"find -L . \\( -name '*.go' -o -path '*/x' \\) -print", "search /*.go */x/"},
	{"find . ! -name '*.md' -iname '*.GO'", "search /*.GO/"},
	{"find . -not -name '*.md'", "search"},
	{"find /tmp -name '*.sql'", "run"},
	{"fdfind --exec-batch cat go.mod", "search"},
	{"rg --files", "search"},
	{"git --git-dir .git -C store grep -n Basket", "search /Basket/"},
	{"git -C $X show HEAD:./server.go", "run"},
	{"git blame web/server.go | head", "read web/server.go"},
	{"git diff --stat -- store", "run"},
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
	// what moves, copies and removes names its files: the watcher and git see what became of them
	{"cp go.mod go.work", "run @go.mod"},
	{"mv web/server.go web/serve.go", "run @web/server.go"},
	{"git mv web/server.go store", "run @web/server.go"},
	{"rm -f docs/old.md", "run @docs/old.md"},
	{"git rm --cached go.mod", "run @go.mod"},
	{"patch -p1 <fix.patch", "run"},
	{"gofmt -w web/server.go", "run @web/server.go"},
	{"gofmt -l web/server.go", "run @web/server.go"},
	{"apply_patch '*** Begin Patch\n*** Delete File: go.mod\n*** End Patch'", "run @go.mod"},
	{"apply_patch $PATCH", "run"},
	{"touch -d 2020-01-01 web/new.go", "write web/new.go"},
	{"tee --append README.md <go.mod", "read go.mod; edit README.md"},
	{"echo x 2> web/err.go", "run"},
	{"echo x &> web/all.go", "write web/all.go"},
	{"export F=go.mod; cat $F; unset F", "read go.mod"},
	{"F=go; F+=.mod; cat $F", "run"},
	{"A[0]=go.mod; cat $A", "run"},
	{"declare F; F=go.mod cat $F", "run"},
	{"cat {go.mod,README.md}", "read go.mod; read README.md"},
	{"cat {g,h}{o,p}{.,-}{mod,sum}", "run"},
	{"cat ${!F} ${#F} ${F:1:2} ${F[1]}", "run"},
	{"F=go.mod; G=F; cat ${!G} ${F:0:6}", "read go.mod"},
	{"F=go.mods; cat ${F:0:6}", "read go.mod"},
	{"F=go.mod; cat ${F[0]} ${F/x/y} ${!F*}", "run"},
	{"set -- go.mod; cat $1 $@", "run"},
	{"cd web; cd ../store; cd -; cat server.go", "read web/server.go"},
	{"cd; cat server.go", "read web/server.go"},
	{"bash -c \"bash -c 'bash -c \\\"cat go.mod\\\"'\"", "read go.mod"},
	{"eval cat go.mod", "read go.mod"},
	{"bash <<'EOF'\ncat go.mod\nEOF", "read go.mod"},
	{"xargs -I{} cat go.mod", "read go.mod"},
	{"poetry run -q cat go.mod", "read go.mod"},
	{"command -v cat go.mod", "run @go.mod"},
	{"case $x in a) cat go.mod;; *) cat README.md;; esac", "read go.mod; read README.md"},
	{"until grep -q x go.mod; do cat README.md; done", "search /x/ @go.mod; read README.md"},
	{"npx prettier --write web/index.ts", "run @web/index.ts"},
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

func TestFollow(t *testing.T) {
	if len(commandLines) < 60 {
		t.Fatalf("only %d command lines", len(commandLines))
	}
	for _, c := range commandLines {
		fault.Same(t, c.command, sketch(shell.Follow(orchard(), shell.Line{Text: c.command}).Ops), c.want)
	}
}

// TestOperands: what a message of a command can be compared with, and whether the file was guessed.
func TestOperands(t *testing.T) {
	r := shell.Follow(orchard(), shell.Line{Text: "cd web && cat server.go app/page.tsx orchard/main.go; aoa why x"})
	if len(r.Ops) < 2 || r.Ops[0].Operand != (shell.Operand{Name: "server.go", Dir: "/home/dev/orchard/web"}) ||
		r.Ops[0].Guessed {
		t.Errorf("%+v", r.Ops)
	}
	if !r.Ops[1].Guessed || r.Ops[1].Paths[0] != "cmd/orchard/main.go" {
		t.Errorf("not guessed: %+v", r.Ops[1])
	}
	if len(r.Missing) != 1 || r.Missing[0].Name != "app/page.tsx" || !r.Self || r.Dir != "/home/dev/orchard" {
		t.Errorf("%+v", r)
	}
}

func TestJoin(t *testing.T) {
	for want, argv := range map[string][]string{"cat go.mod": {"bash", "-lc", "cat go.mod"}, "cat 'a b'": {"cat", "a b"},
		"": nil} {
		fault.Same(t, want, shell.Join(argv), want)
	}
}

func FuzzFollow(f *testing.F) {
	for _, c := range commandLines {
		f.Add(c.command)
	}
	at := orchard()
	f.Fuzz(func(t *testing.T, line string) {
		r := shell.Follow(at, shell.Line{Text: line})
		for _, op := range r.Ops {
			for _, p := range append(op.Paths[:len(op.Paths):len(op.Paths)], op.Named...) {
				if q, err := event.NewPath(string(p)); err != nil || q != p {
					t.Errorf("path %q: %v", p, err)
				}
			}
		}
	})
}

// TestHostileExpansion: no line makes much of little.
func TestHostileExpansion(t *testing.T) {
	for name, line := range map[string]string{
		"doubled":  "x=aaaaaaaaaaaaaaaa; " + strings.Repeat("x=$x$x; ", 60) + "cat $x",
		"repeated": "x=" + strings.Repeat("a", 4000) + "; cat " + strings.Repeat("$x", 25_000),
		"many":     "x=" + strings.Repeat("a", 4000) + "; " + strings.Repeat("cat $x$x$x;", 1500),
		"replaced": "x=" + strings.Repeat("a", 4000) + "; cat " + strings.Repeat("${x//a/$x}", 5000),
		"braces":   "cat " + strings.Repeat("{a,b}", 1000) + strings.Repeat(" {1..999999}", 1000),
		"numbers":  "cat $((" + strings.Repeat("9**", 1000) + "9))",
		"itself":   "x=x; cat $((x))",
	} {
		before := allocated()
		shell.Follow(orchard(), shell.Line{Text: line})
		if used := allocated() - before; used > 64<<20 {
			t.Errorf("%s: %d MB", name, used>>20)
		}
	}
}

// allocated is how many bytes this process has allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
