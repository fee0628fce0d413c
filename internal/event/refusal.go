package event

import "fmt"

// Refusal is the error that a client gets instead of an answer: a code for programs, what is wrong,
// and what to do next.
type Refusal struct {
	Code    string `json:"code"`
	Message string `json:"error"`
	Hint    string `json:"hint,omitempty"`
}

func (r *Refusal) Error() string { return r.Message }

// The codes of Refusal. Package api has the HTTP status of each.
const (
	CodeBad      = "bad_request"
	CodeMissing  = "not_found"           // what the request names does not exist
	CodeTooLarge = "too_large"           // the request, or what it would store
	CodeFull     = "storage_unavailable" // the disk is full or read-only, a file is damaged, or its key is lost
	CodeBusy     = "busy"
	CodeQuota    = "quota"  // what a session stores would exceed its quota
	CodeExists   = "exists" // it exists, and overwriting was not requested
	CodeBuild    = "other_build"
	CodeInternal = "internal"
	// Never sent: the client itself uses it if no file has the typed name, see api.NamedFiles.
	CodeNoFile = "no_file"
	// Never sent: the client itself uses it if the daemon does not answer.
	CodeSilent = "silent"
)

// Refuse returns a Refusal.
func Refuse(code, hint, format string, args ...any) error {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// BadRequest returns a Refusal with the code bad_request.
func BadRequest(hint, format string, args ...any) error {
	return Refuse(CodeBad, hint, format, args...)
}
