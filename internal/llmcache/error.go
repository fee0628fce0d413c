package llmcache

import (
	"errors"
	"fmt"

	"github.com/aoa-dev/aoa/internal/cold"
)

// The codes of Error: what a caller branches on.
const (
	CodeBad      = "bad_request"
	CodeQuota    = "quota"               // the session's items would exceed its quota
	CodeTooLarge = "too_large"           // the item, its label or its notes
	CodeExists   = "exists"              // an item has that key, and overwriting it was not asked for
	CodeMissing  = "not_found"           // no such item, or no such part of it
	CodeFull     = "storage_unavailable" // the disk is full or read-only, the file damaged, or the key to it lost
)

// Error is a refusal: a code to branch on, what is wrong, and what to do next.
type Error struct{ Code, Message, Hint string }

func (e *Error) Error() string { return e.Message }

func refuse(code, hint, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func bad(hint, format string, args ...any) error { return refuse(CodeBad, hint, format, args...) }

// storage turns a failure of the file into an Error; others stay what they are.
func storage(err error) error {
	switch {
	case errors.Is(err, cold.ErrRow):
		return refuse(CodeFull, "delete the item and set it aside again", "the item cannot be read any more: %v", err)
	case errors.Is(err, cold.ErrFull), errors.Is(err, cold.ErrReadOnly), errors.Is(err, cold.ErrLostKey):
		return refuse(CodeFull, "aoa doctor says what is wrong; nothing was half-written", "%v", err)
	case errors.Is(err, cold.ErrDamaged):
		return refuse(CodeFull, "try again: the damaged file is moved aside and a fresh one begun; set the results aside again", "%v", err)
	}
	return err
}
