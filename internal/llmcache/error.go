package llmcache

import (
	"errors"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/event"
)

// storage turns an error of the database file into a refusal. It returns other errors unchanged.
func storage(err error) error {
	switch {
	case errors.Is(err, cold.ErrRow):
		return event.Refuse(event.CodeFull, "delete the item and store it again", "the item cannot be read any more: %v", err)
	case errors.Is(err, cold.ErrFull), errors.Is(err, cold.ErrReadOnly), errors.Is(err, cold.ErrLostKey):
		return event.Refuse(event.CodeFull, "aoa doctor says what is wrong; nothing was half-written", "%v", err)
	case errors.Is(err, cold.ErrDamaged):
		return event.Refuse(event.CodeFull,
			"store the results again: the damaged file was moved aside and a new one begun", "%v", err)
	}
	return err
}
