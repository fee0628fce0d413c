package config

// Key is one setting, for aoa config and the documentation.
type Key struct {
	Name    string // dotted: retention.events
	Type    string // duration, bytes, probability, …
	Default string
	Env     string // AOA_RETENTION_EVENTS
	Allowed string // what a value may be, in words
	Help    string
}

func Load(env []string, storeDir string) (Config, []Warning, error) { panic("soon") }
func Keys() []Key                                                   { panic("soon") }
func (c Config) Get(key string) (string, error)                     { panic("soon") }
func Set(file, key, value string) error                             { panic("soon") }
func Unset(file, key string) error                                  { panic("soon") }
func UserFile(env []string) string                                  { panic("soon") }
func StoreFile(storeDir string) string                              { panic("soon") }
