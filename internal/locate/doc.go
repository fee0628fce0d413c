// Package locate finds the git repository around a folder, and the store and the socket that serve it.
//
// A folder and the environment go in. Paths come out, and errors that say why a folder is not trusted. The daemon and
// its clients use the same functions, so they meet at the same socket. The package starts nothing, connects to
// nothing and never runs git. It makes folders only in Create. The hook client imports it, so it imports only small
// packages of the standard library.
package locate
