package main

// textHistories are repositories whose texts were not used to fit the weights of texts, the small
// ones first.
var textHistories = []string{
	"AutoMapper/AutoMapper", "BurntSushi/ripgrep", "JamesNK/Newtonsoft.Json", "composer/composer", "date-fns/date-fns",
	"expressjs/express", "facebook/zstd", "fastapi/fastapi", "fmtlib/fmt", "guzzle/guzzle", "libuv/libuv", "nlohmann/json",
	"pallets/click", "pallets/flask", "psf/requests", "reduxjs/redux", "restic/restic", "serilog/serilog", "sharkdp/bat",
	"spf13/cobra",
}

// changeHistories are repositories whose owners' repositories were not used to fit or choose the
// weights of changes: those that `train changes -final` asks about, and one more.
var changeHistories = []string{
	"BBXtreme/Waterfront", "caddyserver/caddy", "celery/celery", "cli/cli", "etcd-io/bbolt", "etcd-io/etcd",
	"facebook/zstd", "gofiber/fiber", "helix-editor/helix", "prettier/prettier", "reduxjs/redux", "sinatra/sinatra",
	"sphinx-doc/sphinx", "stretchr/testify", "tmux/tmux", "tornadoweb/tornado", "traefik/traefik", "trpc/trpc",
	"vitejs/vite", "vuejs/core",
}
