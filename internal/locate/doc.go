// Package locate finds the git repository that contains a folder, and the repository's store and
// socket.
//
// It takes a folder and the environment, and returns paths, or an error that says why a folder is
// not trusted. The daemon and its clients use the same functions, so they use the same socket. A
// store is trusted only if the user's state folder has a record of its ID, so nothing in a
// repository can pretend to be a store. The package knows the names of all files in a store;
// nothing else is ever deleted there. It starts nothing, connects to nothing, never runs git, and
// makes folders only in Create. The hook client imports it, so it imports only small packages. To
// find out whether a store is known, a hook reads one small file and looks for another.
package locate
