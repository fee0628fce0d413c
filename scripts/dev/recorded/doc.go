// Package recorded reads the data on which the developers' programs measure: sessions of agents
// that projects published, clones of their repositories, and texts whose files are known.
//
// Sessions replays sessions in time order in a World with the daemon's learner, hot store and
// ranker: it predicts each step before it learns it, and returns Decisions (the question, the
// ranking, what the session did then). Other functions ask about texts and branches, and compute
// intervals of the measures. Commits are replayed by package eval. The package writes nothing, and
// only programs in scripts import it.
//
// The form of the files: NAME.jsonl[.gz] holds the sessions of the repository NAME ("+" is "/"),
// NAME.commits.jsonl[.gz] its history, one row per commit and file. A row is a JSON object:
// session, ts (Unix seconds), seq (order in the session), agent (suffix -sub: a subagent), kind
// (prompt read edit write search bash failed commit), path, text (prompt, command or pattern), said
// (of a prompt: the end of what the agent wrote before it), ok, call (shared by a command and the
// files found in it), batch (calls requested together), results (tracked paths in the output) with
// results_kind (listing or content), mentions (tracked paths in the text). Rows of commits have the
// session git:<id>. A line that is not a row is left out and counted (unusable); what a resumed
// session repeats is counted once (repeated).
package recorded
