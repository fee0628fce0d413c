package event

import (
	"path"
	"strings"
)

// Limits that make a commit a sweep.
const (
	sweepFiles   = 5 // least files of a commit that is a sweep because its subject is only about tools
	sweepMany    = 8 // least files of one whose subject may be about tools …
	sweepFolders = 3 // … and the files are in at least this many folders
)

// Sweep reports whether a commit tells nothing about which files belong together, because it
// changes files all over the repository for a formatter, a linter or a license. If only manifests,
// lock files and settings of tools change, they do belong together (go.mod and go.sum).
func (c Commit) Sweep() bool {
	files, folders, work := 0, map[string]bool{}, false
	for _, list := range [][]Path{c.Paths, c.Gone} {
		for _, p := range list {
			files++
			folders[p.Dir()] = true
			work = work || !p.Upkeep()
		}
	}
	if !work {
		return false
	}
	only, maybe := upkeepWords(c.Text)
	return only && files >= sweepFiles || (only || maybe) && files >= sweepMany && len(folders) >= sweepFolders
}

// manifests are files that list dependencies.
var manifests = WordSet("go.mod package.json cargo.toml pyproject.toml pipfile setup.cfg gemfile composer.json " +
	"pom.xml build.gradle build.gradle.kts libs.versions.toml gradle-wrapper.properties mix.exs pubspec.yaml podfile " +
	"package.swift go.work")

// locks are files that tools rewrite with every change of a dependency.
var locks = WordSet("go.sum go.work.sum package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock " +
	"bun.lockb deno.lock cargo.lock gemfile.lock composer.lock poetry.lock pipfile.lock uv.lock pdm.lock pixi.lock " +
	"mix.lock rebar.lock flake.lock podfile.lock package.resolved cartfile.resolved pubspec.lock packages.lock.json " +
	"gradle.lockfile buildscript-gradle.lockfile .terraform.lock.hcl module.bazel.lock chart.lock conan.lock")

// Lock reports whether the file is a lock file, which a tool rewrites with every change of a
// dependency.
func (p Path) Lock() bool { return locks[strings.ToLower(p.Base())] }

// settings are names of files that configure tools or describe the project. They are not part of
// its program.
var settings = WordSet("license license.txt license.md copying notice authors codeowners .gitignore .gitattributes " +
	".editorconfig .travis.yml .golangci.yml .golangci.yaml .golangci.toml .eslintrc .eslintrc.js .eslintrc.json " +
	".eslintignore .prettierrc .prettierrc.json .prettierignore .pre-commit-config.yaml appveyor.yml .circleci " +
	"renovate.json dependabot.yml .gitlab-ci.yml version version.txt .nvmrc .tool-versions .python-version")

// chronicles are documents that list changes.
var chronicles = WordSet("changelog changes history news")

// bumpTerms are terms in a subject that announce new versions of dependencies.
var bumpTerms = WordSet("bump dep dependency dependabot renovate")

// Topics returns the terms of a commit that are about its files. If a commit only changes versions
// of dependencies, these are the terms that say so, because its other terms name packages.
func (c Commit) Topics() []string {
	for _, list := range [][]Path{c.Paths, c.Gone} {
		for _, p := range list {
			if !p.manifest() {
				return c.Terms
			}
		}
	}
	if only, _ := upkeepWords(c.Text); !only {
		return c.Terms
	}
	var topics []string
	for _, t := range c.Terms {
		if bumpTerms[t] {
			topics = append(topics, t)
		}
	}
	return topics
}

// Upkeep reports whether the file is a manifest, a lock file, a changelog, or a setting of a tool.
func (p Path) Upkeep() bool {
	base := strings.ToLower(p.Base())
	return p.manifest() || settings[base] || strings.HasPrefix(string(p), ".github/") ||
		strings.HasPrefix(string(p), ".circleci/") ||
		p.chronicle()
}

func (p Path) manifest() bool {
	base := strings.ToLower(p.Base())
	switch path.Ext(base) {
	case ".lock":
		return true
	case ".txt":
		return strings.HasPrefix(base, "requirements") || path.Base(p.Dir()) == "requirements"
	}
	return manifests[base] || locks[base]
}

func (p Path) chronicle() bool {
	switch ext := p.Ext(); ext {
	case "", ".md", ".markdown", ".rst", ".txt", ".adoc":
		return chronicles[strings.TrimSuffix(strings.ToLower(p.Base()), ext)]
	}
	return false
}

// Words of commit subjects: onlyUpkeep always means upkeep, maybeUpkeep may also describe the
// program itself.
var (
	onlyUpkeep = WordSet("bump bumps bumped deps dependencies dependabot renovate lint lints linting linter linters " +
		"golint golangci eslint autofix autofixes gofmt gofumpt goimports govet prettier rustfmt rubocop clippy flake8 " +
		"isort pyupgrade copyright")
	maybeUpkeep = WordSet("format formats formatting reformat formatter license licence licenses headers ci " +
		"whitespace typo typos spelling modernize")
)

// upkeepWords reports whether the subject has words from either list.
func upkeepWords(subject string) (only, maybe bool) {
	subject, _, _ = strings.Cut(strings.ToLower(subject), "\n")
	for _, w := range strings.FieldsFunc(subject, func(r rune) bool {
		return (r < 'a' || r > 'z') &&
			(r < '0' || r > '9')
	}) {
		only, maybe = only || onlyUpkeep[w], maybe || maybeUpkeep[w]
	}
	return only, maybe
}

// WordSet returns the words of a text as a set.
func WordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
