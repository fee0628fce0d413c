// Package locate finds the git repository around a folder, and the store and the socket that serve
// it.
//
// A folder and the environment go in. Paths come out, and errors that say why a folder is not
// trusted. The daemon and its clients use the same functions, so they meet at the same socket. A
// store counts only if the user's state folder has a record of its id: nothing that lies in a
// repository can pass for a store. The package knows the name of every file in a store, so that
// nothing else is ever deleted there. It starts nothing, connects to nothing and never runs git. It
// makes folders only in Create. The hook client imports it, so it imports only small packages; to
// find out whether a store is known, a hook reads one small file and looks for another.
package locate
