// Package atomicfile replaces files atomically. Every reader, also after a crash or a power cut,
// finds either the old content or the new content, never a part. All code that replaces files uses
// it.
//
// The content is written to a second file in the same folder, synced, and renamed. An existing file
// can keep its mode, and keeps its owner if the process is allowed to set it. No library does this
// on all platforms: google/renameio (v2.0.2) does not compile on Windows, natefinch/atomic (v1.0.1,
// of 2021) neither keeps the owner nor syncs the folder, and neither works below an os.Root. The
// package never makes folders. If the name is a symbolic link, the link itself is replaced.
package atomicfile
