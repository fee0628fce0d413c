package daemon

import (
	"path/filepath"

	"github.com/aoa-dev/aoa/internal/cold"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/locate"
)

// openSeal opens the seal under which prompts, tool inputs and full records lie: the store has the wrapped keys, the
// user's state folder the identity that opens them. Where that folder cannot be had, the identity lies beside the
// keys: texts are then as safe as the store's folder is.
func (d *Daemon) openSeal() (*cold.Seal, error) {
	keys := filepath.Join(d.settings.Store, "keys")
	beside := cold.SealOptions{Identity: filepath.Join(keys, "identity"), Keys: keys, Log: d.alert}
	env := config.Lookup(d.o.Env)
	identity := locate.Identity(env)
	if identity == "" {
		return cold.OpenSeal(beside)
	}
	s, err := cold.OpenSeal(cold.SealOptions{Identity: identity, Keys: keys, Log: d.alert})
	if err == nil {
		return s, nil
	}
	d.alert.Warn("the user's state folder cannot hold the identity: it lies in the store", "err", err)
	return cold.OpenSeal(beside)
}
