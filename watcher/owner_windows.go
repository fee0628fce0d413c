package watcher

// ownedByCaller leaves the question to git: its own commands refuse a foreign repository.
func ownedByCaller(string) bool { return true }
