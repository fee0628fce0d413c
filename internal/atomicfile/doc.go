// Package atomicfile is the one place that replaces files: a new content comes in, and each reader
// of the file, also after a crash or a power cut, finds the old content or the new one, never a
// part.
//
// The content is written to a second file in the same folder, synced, and renamed. The mode of a
// file that is there can stay, and its owner does as far as we may. No library does that on all
// platforms: google/renameio (v2.0.2) compiles on no Windows, natefinch/atomic (v1.0.1, of 2021)
// keeps no owner and does not sync the folder, and neither works below an os.Root. The package
// never makes folders and never follows a link in the last part of a name: the link is replaced.
package atomicfile
