// Package redact removes secrets from texts before any part of them is stored, sent or logged.
//
// Text takes a prompt, a command line, a pattern or a commit subject, and returns it with Mark in
// place of each secret. Terms and CommandTerms return the words of a text that may be stored
// unsealed. The package keeps no state, reads no file and never fails. It finds three kinds of
// secrets:
//
//	shapes        tokens of known services, keys, headers, passwords in addresses
//	              (rules.yaml, gitleaks.json)
//	assignments   values of names and options that announce a secret
//	              (assign.go, name.go, value.go)
//	commands      arguments of known commands: mysql -pX, sshpass -p X
//	              (rules.yaml, command.go)
//
// A rule is tried only on lines that contain one of its keywords (trigger.go), so ordinary text
// meets no regular expression and takes about 10 µs per kilobyte. Redaction does not find
// everything; the list of misses in the test shows what it lets pass.
package redact
