// Package recorded reads what programs of the developers measure on: sessions of agents that projects published, clones
// of their repositories, and texts whose files are known.
//
// Files in the form of docs/evaluation.md, clones, and issues go in. Sources for package eval, questions about texts
// and branches, and intervals of what was measured come out. It writes nothing, and only programs in scripts import it.
package recorded
