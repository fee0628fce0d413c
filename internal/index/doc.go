// Package index knows the names and the contents of the files of a worktree, and how similar two
// texts are.
//
// Paths and texts go in. Terms come out, and the files that match a name, a term or an identifier,
// best first. The package has the module's only tokenizer, stemmer, stop words and comparison of
// words:
//
//   - Terms, Identifiers: the words and names of a text that are indexed;
//   - Tree: the files by name, folder, stem and word of the path;
//   - Locator: the one resolver of names. The command line, agents' tools, failed accesses, texts
//     and stack frames all use it. It tries a ladder of rules (Rung), from the surest down, and
//     each caller says which of them it accepts. Mentions finds the files that a text names;
//   - Contents: the files by the words of their fields (BM25), by identifiers and by definitions.
//     Reader reads the files from disk, and keeps what it read in a File;
//   - Extract: the words, definitions, comments and identifiers of one file, with rules for each
//     language. KindOf tells what a file is for;
//   - ParseText: the words, identifiers, stack frames, and names of files in a prompt, an issue or a
//     commit message. Locator.Files finds the files that these names mean, Text.Phrases the files in
//     which its words stand together;
//   - World.BrokenBy: the places that still use what a change removes. removal.go tells which names
//     that are, usage.go what a file imports, and judge.go, whose rules are tried from top to bottom,
//     what one occurrence of a name means. gonemodule.go finds imports of deleted files, gonepath.go
//     mentions of their paths in any text;
//   - Stem: the common form of cache, cached and caching;
//   - Relevance, Request and Requests: how similar two texts are.
//
// Only Reader opens files. It reads some 20 MB of source a second. It keeps the size, the time and
// the blob id of each file together with the words. So after a restart a file of unchanged size and
// time is not even read, and one with an unchanged blob id is not extracted again. A Tree is not
// kept; building it at a start takes about 1 µs per file.
//
// Contents consists of packed segments, which never change. A segment lists, by the hash of each
// word, the files that have the word; the words themselves are not kept. The largest segment is the
// base. The overlay on top of it has what changed since: saving or removing a file deletes it from
// the base, and a saved file becomes a small segment of the overlay. Eight overlay segments of one
// size are merged at once, up to 512 files. When a third of all files has been saved again,
// Reader.Run packs everything into a new base; before it writes the index to disk, a twentieth is
// enough. The overlay is not one single segment, because that would have to be packed again at
// every save. A question never waits for a merge, and its answer does not depend on which segment a
// file is in.
//
// Memory is bounded. Files longer than 1 MB, images and binaries are not indexed. Every other file
// is indexed completely: its words by field, with counts up to 255, and its identifiers, which
// takes about 1 KB for a file of Go libraries. Contents keeps at most 131,072 files of a worktree,
// those nearest to the root, and 256 MB. Once a limit is reached, new files are left out and known
// ones are still updated. A Tree has every file that it is given, with at most 24 words of its path
// and 256 files for each word, about 0.4 KB per file. Extract caches 65,536 tokens, about 10 MB,
// until the memory is needed elsewhere. ParseText reads the first 128 KB of a text.
package index
