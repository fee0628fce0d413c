package watcher

import (
	"bytes"
	"path/filepath"
	"strings"

	format "github.com/go-git/go-git/v5/plumbing/format/config"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// gitConfig has the settings of a repository that decide how it is read.
type gitConfig struct {
	bare       bool
	worktree   string // core.worktree
	origin     string // remote.origin.url
	ignoreCase bool
	sha1       bool   // object ids are SHA-1; go-git cannot read others
	files      bool   // refs are stored as files
	treeless   string // name of a promisor remote that left trees out, "" if none did
}

// readConfig reads the common settings and those of the worktree. It does not follow includes,
// because git does not read the format of a repository from included files either. If go-git cannot
// parse a file, sha1 and files are false, so that the git program is used.
func readConfig(common, git string) gitConfig {
	c := gitConfig{sha1: true, files: true}
	perWorktree := false
	c.read(filepath.Join(common, "config"), &perWorktree)
	if perWorktree {
		c.read(filepath.Join(git, "config.worktree"), &perWorktree)
	}
	return c
}

// maxGitConfig is the largest settings file of git that is read, in bytes.
const maxGitConfig = 4 << 20

func (c *gitConfig) read(name string, perWorktree *bool) {
	b, err := regularfile.Read(name, regularfile.FollowLinks, maxGitConfig)
	if err != nil {
		return
	}
	cfg := format.New()
	if format.NewDecoder(bytes.NewReader(b)).Decode(cfg) != nil {
		c.sha1, c.files = false, false
		return
	}
	core := cfg.Section("core")
	if core.HasOption("bare") {
		c.bare = parseBool(core.Option("bare"))
	}
	if core.HasOption("worktree") {
		c.worktree = core.Option("worktree")
	}
	if core.HasOption("ignorecase") {
		c.ignoreCase = parseBool(core.Option("ignorecase"))
	}
	ext := cfg.Section("extensions")
	if f := ext.Option("objectformat"); f != "" {
		c.sha1 = strings.EqualFold(f, "sha1")
	}
	if f := ext.Option("refstorage"); f != "" {
		c.files = strings.EqualFold(f, "files")
	}
	if ext.HasOption("worktreeconfig") {
		*perWorktree = parseBool(ext.Option("worktreeconfig"))
	}
	for _, sub := range cfg.Section("remote").Subsections {
		if sub.Name == "origin" && sub.Option("url") != "" {
			c.origin = sub.Option("url")
		}
		if filter := sub.Option("partialclonefilter"); strings.Contains(filter, "tree:") {
			c.treeless = sub.Name
		}
	}
}

func parseBool(s string) bool {
	switch strings.ToLower(s) {
	case "", "true", "yes", "on", "1": // a key without a value is true
		return true
	}
	return false
}
