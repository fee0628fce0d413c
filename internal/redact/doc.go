// Package redact removes secrets from texts before anything of them is stored, sent or logged.
//
// A text goes in: a prompt, a command line, a pattern, a commit subject. The same text comes out
// with Mark in place of each secret (Text), or the words of it that may be stored unsealed (Terms,
// CommandTerms). The package keeps no state, reads no file and never fails. It finds three kinds of
// secrets:
//
//	shapes        tokens of known services, keys, headers, passwords in addresses    rules.yaml, gitleaks.json
//	assignments   values of names that announce a secret, and of such options        assign.go, name.go, value.go
//	commands      arguments of known commands: mysql -pX, sshpass -p X               rules.yaml, command.go
//
// Rules are tried only on lines that contain one of their marks (trigger.go), so ordinary text
// meets no regular expression: about 10 µs for a kilobyte. Redaction does not find everything; the
// list of misses in the test says what it lets pass.
package redact
