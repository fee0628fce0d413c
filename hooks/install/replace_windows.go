package install

// keepOwner: access control lists are inherited from the folder here.
func keepOwner(string, string) {}
