package shell

import (
	"strconv"
	"strings"
	"sync"
)

// spec tells how to read the arguments of a command.
type spec struct {
	does  string   // what the command does: see table
	short string   // options of one letter that take a value
	long  []string // options with a name that take a value
	// Options that contain its program; without one, the first operand is the program. nil if it
	// has no program.
	prog  []string
	edit  []string // options that make a reader change the files
	verbs []string // subcommands that do what does says; nil if it has none
	walks bool     // it searches folders without an option
	skip  int      // operands before the wrapped command

	task, file bool     // the first operand is a task, or a file that it runs
	check      bool     // the whole command is a test, a build or a linter
	before     []string // options with a value that may precede the task
}

// table has a line for each group of commands: what they do, their names, and their options:
//
//	-abc          letters that take a value
//	--name        a name that takes a value
//	prog:, edit:, verbs:, walks, skip:, task, file, check, before:
//	              the fields of spec; lists have commas. A backslash continues a line.
//
// What the commands do:
//
//	read     print the files in their operands
//	search   look for a pattern in them
//	find, fd, list   look for files by name
//	write    write their input to them
//	patch    change the files that the patch names
//	wrap     run the command in their operands
//	run      run the command after a verb
//	script   run a piece of shell
//	cd, git  see there
//	show     print files at a revision
//	diff     print changes
//	quiet    neither read nor change files of interest
//	idle     the same, but the files that they name count as named
//	runs     run a task, a file or a check; the watcher sees what that writes
const table = `
read cat tac more comm difft delta zcat gunzip mdcat csvlook ast-grep view
read less -jpPtTxyz
read nl -bdfhilnsvw
read bat batcat -rlHm --line-range --language --style --theme --color --paging
read head -nc --lines --bytes
read tail -ncs --lines --bytes
read od -AjNtw
read xxd -lscgo
read hexdump -nsef
read strings -ntT
read cut -dfcb --delimiter --fields
read sort -ktoST
read uniq -fsw
read column -sco
read fold -w
read paste -d
read join -t12aoejv
read diff -UCxIW --label --exclude --width
read colordiff -UC
read cmp -nil
read pygmentize -lfO
read glow -sw
read dasel -rwf
read sd -fn
read jq -fL --from-file --indent --arg --argjson --slurpfile --rawfile prog:-f,--from-file
read gojq -fL prog:-f
read yq -op --output-format --input-format prog:--from-file edit:-i,--inplace
read awk gawk mawk nawk -Fvf prog:-f
read sed -efl --expression --file prog:-e,-f,--expression,--file edit:-i,--in-place
read gsed -efl prog:-e,-f,--expression edit:-i,--in-place
read perl -eEIM prog:-e,-E edit:-i,-pi file
search grep egrep fgrep ggrep -ABCmefdD --include --exclude --exclude-dir --exclude-from --max-count --context \
  --after-context --before-context --regexp --file --label --binary-files --devices --directories
search ugrep -ABCmefgtO --include --exclude --exclude-dir --exclude-from --max-count --context --after-context \
  --before-context --regexp --file --label --binary-files --devices --directories
search zgrep -ABCmef
search pcregrep -ABC
search rg -ABCmefgtTjMrdE --glob --iglob --type --type-not --type-add --max-count --max-depth --regexp --file \
  --replace --sort --sortr --threads --after-context --before-context --context --color --colors --max-columns \
  --engine --pre walks
search ag -ABCmGp --ignore --ignore-dir --depth --file-search-regex walks
search ack -ABCm --type --ignore-dir walks
find find gfind bfs
fd fd fdfind -eEtdSoj --extension --exclude --type --max-depth --min-depth --size --owner --changed-within \
  --changed-before --base-directory
list ls eza exa lsd dir ll -Iw --ignore --level --max-depth
list tree -LIPo --ignore --level --max-depth
list du -d --ignore --level --max-depth
write tee sponge touch -dtr --date --reference
patch apply_patch applypatch
cd cd pushd
script bash sh zsh dash ksh file
script eval
git git task before:-C,-c
search git-grep -ABCmefO --include --exclude --exclude-dir --exclude-from --max-count --context --after-context \
  --before-context --regexp --file --label walks
list git-ls-files git-ls-tree -xX --exclude
show git-show git-cat-file git-blame git-annotate -LnOSGU --format --pretty
diff git-diff git-log git-status git-shortlog git-whatchanged git-diff-tree git-stash -nSGLUO --format --pretty \
  --since --until --author --grep
wrap sudo -ugpCh --user --group
wrap doas -u
wrap env -uCS --unset --chdir
wrap timeout gtimeout -ks --kill-after --signal skip:1
wrap nice -n
wrap ionice -cn
wrap time -fo
wrap exec -a
wrap stdbuf -ioe
wrap xargs -IiLnPdsaE --max-args --max-procs --delimiter --replace
wrap parallel -jIn
wrap caffeinate -tw
wrap npx -pc --package
wrap uvx --from --with
wrap xvfb-run
wrap nohup command builtin noglob setsid unbuffer bunx pnpx then rtk busybox
run uv poetry verbs:run task
run pipenv rye pdm hatch dotenv verbs:run
run bundle direnv verbs:exec
run pnpm yarn verbs:exec,dlx task before:--prefix,--filter,-C,--cwd,-w
run mise verbs:exec,x
runs npm task before:--prefix,--filter,-C,--cwd,-w
runs make task before:-C
runs go bun cargo docker podman kubectl gh glab pip pip3 dotnet mvn gradle gradlew just task: rake mix deno \
  terraform tofu swift nx turbo helm brew apt apt-get aws gcloud az ng rails bazel cmake composer flutter dart zig task
runs node python python3 ruby tsx ts-node php Rscript lua file
runs pytest tox nox jest vitest mocha ava tsc playwright cypress golangci-lint staticcheck mypy flake8 pyright rspec \
  phpunit ctest ninja shellcheck pre-commit clippy gotestsum swiftlint lefthook knip gofmt gofumpt prettier eslint \
  biome ruff black ktlint rubocop check
idle ps kill pkill pgrep lsof chmod df curl wget source . stat file:
quiet echo printf true false : test [ sleep set unset pwd exit return wait which type date clear read shift trap umask \
  hash alias popd whoami
quiet uname hostname printenv break continue seq basename dirname realpath mkdir tr rev yes shopt ulimit export
`

// specs returns the table by name of the command.
var specs = sync.OnceValue(func() map[string]spec {
	all := map[string]spec{}
	for line := range strings.Lines(strings.ReplaceAll(table, "\\\n", "")) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		s, names := spec{does: words[0]}, []string(nil)
		for _, w := range words[1:] {
			key, value, _ := strings.Cut(w, ":")
			switch {
			case value != "" && key == "prog":
				s.prog = strings.Split(value, ",")
			case value != "" && key == "edit":
				s.edit = strings.Split(value, ",")
			case value != "" && key == "verbs":
				s.verbs = strings.Split(value, ",")
			case value != "" && key == "skip":
				s.skip, _ = strconv.Atoi(value)
			case value != "" && key == "before":
				s.before = strings.Split(value, ",")
			case w == "walks":
				s.walks = true
			case w == "task":
				s.task = true
			case w == "file":
				s.file = true
			case w == "check":
				s.check = true
			case strings.HasPrefix(w, "--"):
				s.long = append(s.long, w[2:])
			case strings.HasPrefix(w, "-"):
				s.short = w[1:]
			default:
				names = append(names, w[:1]+strings.TrimSuffix(w[1:], ":"))
			}
		}
		for _, name := range names {
			all[name] = s
		}
	}
	return all
})
