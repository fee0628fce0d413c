// Package index knows what the files of a worktree are called and what they say, and which texts
// are alike.
//
// Paths and texts go in. Terms come out, and the files that a name, a term or an identifier finds,
// best first. The package holds the only tokenizer, stemmer, stop words and comparison of words of
// the module:
//
//   - Terms, Identifiers: what of a text is indexed;
//   - Tree: the files by name, folder, stem and word of the path;
//   - Locator: the one resolver of names, for typed names, tools, failed accesses, texts and frames of
//     stacks. It climbs a ladder (Rung), and a caller says which rungs it accepts; Mentions finds the
//     files that a text names;
//   - Contents: the files by words of their fields (BM25), identifiers and definitions; Reader reads them from disk,
//     and keeps what it read in a File;
//   - Extract: what one file says, by field (words, definitions, comments, identifiers), with rules for
//     each language; KindOf: what a file is for;
//   - ParseText: what a prompt, an issue or a commit message says: words, identifiers, stack frames, names
//     of files and modules; Locator.Files and Tree.Modules find the files that these names mean;
//     Text.Phrases: which files have its words together;
//   - World.BrokenBy: the places that still use what a change removes: names, files that are imported,
//     paths in documents;
//   - Stem: the form that cache, cached and caching share;
//   - Relevance, Request and Requests: how alike two texts are.
//
// Only Reader opens files. It extracts some 20 MB of source a second. What it extracted is kept
// with the size, the time and the blob id of each file: after a start it neither reads nor hashes a
// file of the same size and time, and one with the same blob id is not extracted again. A Tree is
// made again at each start, at about 1 µs per file.
//
// Contents is made of packed segments: lists of the files that have a word, by the hash of the
// word, which never change. The words themselves are not kept. One segment is the base. What
// changed since lies over it: a file that is saved or removed is gone from the base, and a saved
// one becomes a small segment of the overlay. Eight of these of a size are merged at once, up to
// 512 files. When a third of all files has been saved again, Reader.Run folds all into a new base,
// and when a twentieth has, before it keeps them on disk. The overlay is several segments, because
// one would be packed again at every save. A question waits for no merge, and no answer depends on
// where the files are.
//
// Memory is bounded. A file longer than 1 MB, an image and a binary say nothing. Within that
// nothing of a file is left out: its words by field, with counts of at most 255, and its
// identifiers, about 1 KB for a file of Go libraries. Of one worktree Contents keeps at most
// 131,072 files, those nearest to the root, and 256 MB. Beyond these bounds new files are left out,
// and known ones are followed. A Tree has every file that it is given, with at most 24 words of its
// path and 256 files of a word, about 0.4 KB for each file. Extract keeps what it knows of 65,536
// tokens, about 10 MB, until memory is needed. ParseText reads 128 KB.
package index
