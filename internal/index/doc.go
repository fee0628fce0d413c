// Package index knows what the files of a worktree are called and what they say, and which texts are alike.
//
// Paths and texts go in. Terms come out, and the files that a name, a term or an identifier finds, best first. The
// package holds the only tokenizer, stemmer, stop words and comparison of words of the module:
//
//   - Terms, Identifiers: what of a text is indexed;
//   - Tree: the files by name, folder, stem and word of the path;
//   - Locator: the one resolver of names, for typed names, tools, failed accesses, texts and frames of stacks. It climbs
//     a ladder of rungs (Rung), and a caller says which of them it accepts; Mentions finds the files that a text names;
//   - Contents: the files by words of their fields (BM25), identifiers and definitions; Reader reads them from disk,
//     and keeps what it read in a File;
//   - Extract: what one file says, by field (words, definitions, comments, identifiers), with rules for each language; KindOf: what
//     a file is for;
//   - ParseText: what a prompt, an issue or a commit message says: words, identifiers, stack frames, names of files and modules;
//     Locator.Files and Tree.Modules find the files that these names mean; Text.Phrases: which files have its words together;
//   - World.BrokenBy: the places that still use what a change removes: names, files that are imported, paths in documents;
//   - Stem: the form that cache, cached and caching share;
//   - Relevance, Request and Requests: how alike two texts are.
//
// Only Reader opens files. It extracts some 20 MB of source a second. What it extracted is kept with the size, the time
// and the blob id of each file: after a start it neither reads nor hashes a file of the same size and time, and one
// with the same blob id is not extracted again. A Tree is made again at each start, at about 1 µs per file.
//
// Contents is made of segments, as in Lucene: packed lists of the files that have a word, by the hash of the word,
// which never change. The words themselves are not kept. A file that is saved becomes a segment of its own, and its
// entries in the old one no longer count. Eight segments of a size are merged: at once if they have at most 512 files,
// else by Reader.Run. A question waits for no merge. Answers do not depend on how files are divided into segments.
//
// Memory is bounded. A file longer than 1 MB, an image and a binary say nothing. Within that nothing of a file is left
// out: its words by field, with counts of at most 255, and its identifiers, about 1 KB for a file of Go libraries. Of
// one worktree Contents keeps at most 131,072 files, those nearest to the root, and 256 MB. Beyond these bounds new
// files are left out, and known ones are followed. A Tree has every file that it is given, with at most 24 words of its
// path and 256 files of a word, about 0.4 KB for each file. Extract keeps what it knows of 65,536 tokens, about 10 MB,
// until memory is needed. ParseText reads 128 KB.
package index
