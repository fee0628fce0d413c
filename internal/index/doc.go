// Package index knows what the files of a worktree are called and what they say, and which texts are alike.
//
// Paths and texts go in. Terms come out, and the files that a name, a term or an identifier finds, best first. The package holds the
// only tokenizer, stemmer, stop words and comparison of words of the module:
//
//   - Terms, Identifiers: what of a text is indexed;
//   - Tree: the files by name, folder, stem and word of the path; the files that a text names;
//   - Contents: the files by words (BM25), identifiers and definitions of their text; Reader reads them from disk;
//   - Extract: what one file says, by field (words, definitions, comments, identifiers), with rules for each language; KindOf: what
//     a file is for;
//   - ParseText: what a prompt, an issue or a commit message says: words, identifiers, stack frames, names of files and modules;
//     Tree.Files and Tree.Modules find the files that these names mean;
//   - Stem: the form that cache, cached and caching share;
//   - Relevance, Request and Requests, Cosine: how alike two texts are.
//
// Nothing is stored on disk, and only Reader opens files. Indexes are made again at each start: a Reader reads some 20 MB of source
// a second, a Tree takes about 1 µs per file.
//
// Memory is bounded. A file longer than 256 KB says nothing. Of another file Contents keeps at most 256 words, 64 identifiers and 96
// definitions, about 3 KB for a file of the Go library. Of one worktree it keeps at most 32,768 files and 1,048,576 words,
// identifiers and definitions each. Beyond these bounds new files and new words are left out, and known ones are followed. A Reader
// reads the 20,000 files nearest to the root. A Tree has every file that it is given, with at most 24 words of its path and 256 files
// of a word, about 0.4 KB for each file. Extract leaves nothing out of a file of at most 1 MB and keeps what it knows of 65,536 tokens,
// about 10 MB, until memory is needed. ParseText reads 128 KB.
package index
