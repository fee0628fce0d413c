#!/bin/sh
# Makes the sample repository of docs/quickstart.md in the current folder, which must be empty. It has
# 240 commits; most of those that change api/wire.go change docs/protocol.md, too.
git init -q -b main
awk 'function put(name, text) { printf "M 100644 inline %s\ndata %d\n%s\n", name, length(text), text }
BEGIN {
  split("coupon basket refund invoice address voucher parcel stock price tax customer order", noun); split("Money Count Address", kind)
  wire = "package api\n\n// Order goes over the wire.\ntype Order struct {\n"; page = "# The protocol\n"; log_ = "# Changelog\n"
  lib = "package lib\n\nfunc ParseConfig() string { return \"shop.toml\" }\n"
  run = "package main\n\nimport \"shop/lib\"\n\nvar settings = lib.ParseConfig()\n"; client = "export const timeout = 30\n"
  for (n = 1; n <= 240; n++) {
    w = noun[n % 12 + 1] int(n / 12)
    what = n == 1 ? "begin the shop" : n % 3 == 0 ? "api: send the " w : n % 3 == 1 ? "client: show the " w : "config: a setting for the " w
    printf "commit refs/heads/main\ncommitter Ann <ann@example.com> %d +0000\ndata %d\n%s\n", 1767225600 + n * 86400, length(what), what
    if (n == 1) { put("README.md", "# Shop\n"); put("api/wire.go", wire "}\n"); put("api/wire_test.go", "package api\n"); put("docs/protocol.md", page) }
    if (n == 1 || n % 3 == 1) { client = client "export function " w "() {}\n"; put("web/client.ts", client) }
    if (n == 1 || n % 3 == 2) { lib = lib "\nfunc Set" w "() {}\n"; put("lib/config.go", lib); if (n % 2) { run = run "\nfunc " w "() { lib.Set" w "() }\n" }; put("tool/run.go", run) }
    if (n % 3 == 0) {
      type = kind[int(n / 3) % 3 + 1]; wire = wire "\t" w " " type " // optional\n"; put("api/wire.go", wire "}\n")
      if (n != 60) { page = page "\n## " w "\n\nOptional, of type " type ".\n"; put("docs/protocol.md", page) }
      if (n % 9 == 0) { log_ = log_ "- " w "\n"; put("CHANGELOG.md", log_) }
    }
  }
}' | git fast-import --quiet
git reset -q --hard
