// Package transcript reads the sessions that Claude Code has recorded.
//
// Read takes a folder of transcripts and yields the events of past sessions, with the same ids that
// the hooks gave them. It never changes a transcript and keeps nothing of it. Every text passes
// package redact. Files are streamed; a line of more than 8 MB is skipped.
package transcript
