// Package transcript reads the sessions that Claude Code has recorded.
//
// A folder of transcripts comes in. Events of the past go out, with the same ids that the hooks
// gave them. It never changes a transcript and keeps nothing of it; every text has passed package
// redact. Files are streamed, a line of more than 8 MB is skipped.
package transcript
