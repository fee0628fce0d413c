// Package rank answers a query with files, each with a calibrated probability and the exact reasons
// for it.
//
// It takes a query and the state of the hot store, and returns files in order. It never writes,
// never reads a clock (Query.At is the time), and keeps nothing between two questions. A question
// reads the hot store twice, or three times if it has a session. Its work is bounded, however many
// files are known: candidates are the partners of at most 5 current files, those of 4 named
// files, 8 words and 3 tags, the newest files of each kind, files in the
// last 12 results and 8 commands of the session, files that fit the texts, and files in folders
// near by. The 192 best of these by the evidence so far are scored.
//
// # Score
//
// Every signal is a number in [0,1]. Each task has its own weights w; files that nothing in the
// session has named have separate ones.
//
//	logit = Σ w·x          (the bias is the signal that is always 1)
//	score = 1/(1+e^-logit)
//
// The score orders files; package prefetch makes a probability of it. The products w·x are the
// reasons, and their sum is the logit. weights.json has the weights and the command that fitted
// them, measured.json their results. Three kinds of questions have other weights:
//
//   - After a search that failed, two weights are added to those between calls, because the
//     wanted file is one at which the session has not looked.
//   - For a prompt outside of sessions only its text and the history are known. There are weights
//     for short and for long texts.
//   - A question without a text, asked on a branch, takes the words of the branch's name as its
//     text, and the newest files that the branch changed as its current files. These files may
//     themselves be answers.
//
// # Texts
//
// A text is a prompt, an issue, a commit subject, or the words of the newest commands. To a prompt
// of at most three words, the words that the agent said before it are added. A text is compared
// with the files in two ways (see index.Contents.Match): by BM25 of its words, or of those of its
// title, against the path, the base name, the names that a file defines, its doc strings and
// comments, and its body; and by identifiers that look like code. Each value is divided by that of
// the best file of the same kind (source, test, document, data). For some the place among these
// files is a signal, too, 1/√rank:
//
//	text_base, text_prose, text_body, text_body_place
//	title_path, title_definitions, title_definitions_place, title_body
//	uses, uses_place, title_defines   identifiers
//
// Further signals:
//
//	cover_…        the share, by rarity, of the words of the path or of the base name that the
//	               text or its title contains
//	scope          the share, by rarity, of the words before the title ("parser: …",
//	               "fix(parser): …", "[parser] …") that the path contains
//	phrase_place   1/√rank among files of the same kind by Σ ln(1+N/n)/√n. The sum is over pairs of
//	               neighboring words of the text that the file has next to each other in a line
//	               (parse config: parseConfig, "parses the config"); n is the number of files
//	               with the pair, of the N that are read. The 30 best files of the kinds that the
//	               text can mean are read from the disk, up to 2 MB in all
//	frame          .8^d if the file is in stack frame d of the text
//	named, named_title   the text (the title) names the file
//	depth, size, aside   number of the file's folders; number of its words; it is in docs, examples,
//	               benchmarks, tools or scripts
//	test, prose, data, upkeep   the kind of the file
//	asks_test, asks_prose, asks_upkeep   the text asks for files of that kind
//
// The weighted sum of these signals is t. The weights depend on the kind of text; see "texts" in
// weights.json. Two kinds of files get 3 less:
//
//   - a copy: a file that fits the text nearly as well as a better one with the same name,
//   - a changelog, a manifest, a lock file or a setting of a tool, if the text is about the
//     program and does not ask for such a file.
//
// A text is about the program if one of its words is in the path of a source or in a name that a
// source defines. A word that means a kind of file but is also common in programs ("release",
// "version", "action") asks for files of that kind only if the text is not about the program.
//
// The sum t makes the first three of these signals of the prompt. Where there is a session, text,
// text_share and text_body add nothing to the others, and have no weight:
//
//	text           1 + (t − best t)/8, at least 0
//	text_share     the share of the file in a softmax over all files that fit
//	text_place     1/√r of the r-th best
//	text_cover, text_body, text_docs, text_uses   the values cover_path, text_body, text_prose and
//	               uses_place of the prompt once more, because prompts of sessions need other
//	               weights for them than commit messages do
//	asked_kind     1 if f is a test, a document or a manifest, and the prompt asks for such a file
//	pattern        like text, for the newest 4 commands and patterns since the prompt
//	pattern_place  like text_place, for the newest one of these
//
// # Signals
//
// q stands for a current file (one of the last 5 of the session), f for the candidate, Δ for the
// time since an event. The hot store decays all counts to the time of the query. Each signal has
// improved results on repositories that were left out of the fit; what each is worth is in
// docs/dev/measurements/ranking.md.
//
// Signals of the file alone:
//
//	recency_hour   2^-(Δ/1 h) since f was last opened
//	committed      2^-(Δ/30 d), where Δ is the time from the last commit of f to the newest commit
//	               of the repository, so that months without commits change nothing
//	churn          min(1, ln(1+commits)/ln 101), for questions about a branch alone
//	never, uncommitted   1 if f was never opened here; never committed
//	fresh_committed  1/log₂(2+k) for the 64 files committed last, before the session has opened
//	               anything; k is the number of commits since the file's own. It is 0 for
//	               manifests, changelogs, settings of tools and documents, which are committed
//	               along with everything, unless the question asks for such files or has words of
//	               the file's name
//	size           min(1, ln(1+words of its text)/ln 10,001)
//	test           1 if f is a test by its name or its folder
//	upkeep         1 if f is a manifest, a lock file or a setting of a tool, and the prompt does
//	               not ask for such a file
//	tags           Σ_t w/(w+1) over at most 3 tags of the query and 5 tags under which f was used,
//	               divided by the number of tags in the query
//
// Signals of pairs of f and the current files:
//
//	comod          1 − Π_q (1 − .98·C[q,f]/(N[q]+.1)), where C is the weight of the common changes
//	               and N that of all changes of q
//	session_last   .98·S[q,f]/(n[q]+.5) for the newest q, where S is the weight of the common
//	               sessions and n the number of sessions of q
//	session_back   .98·max_q S[q,f]/(n[f]+.5)
//	pair           1 if a current file, one that the prompt names, or one edited since the prompt
//	               has the stem of f ("x.go", "x_test.go"); for common stems ("index", "doc",
//	               "readme", "utils") only in the same folder
//
// Signals of the rank r among the candidates, 1/√r, where nothing else is said:
//
//	alike_rank     rank by Σ 1/(files with it − 1) over identifiers that f shares with one of the
//	               newest 3 current files and with at most 11 files in all; so files that call each
//	               other stand high
//	calls_rank     rank by Σ 1/(files that define it) over the identifiers that q has, f defines and
//	               at most 6 files define; the best of the newest 3 q, each with .8 of the weight of
//	               the next newer one; files that nothing has named are ranked separately
//	terms_rank     rank by 1 − Π_t (1 − .98·W[t,f]/(n[t]+1)) over 8 words of the prompt, the rarest
//	               in paths first (between calls half of them come from the newest commands); W is
//	               the number of opens and commits of f under the word t, n the number of its uses
//	terms_folder   no rank, but 1 − Π_t (1 − .98·ΣW/(n[t]+1)), where the sum is over the files in
//	               the folder of f that are among the 64 best of the word
//
// Signals of what the session has named:
//
//	named          1 if the current prompt names f
//	mentioned      min(1, Σ 1/√m over texts that named f among m files, half-life 8 events)
//	listed_fresh   1/(1+files opened since) for the newest list that names f; a list is the result
//	               of a search, among the last 12 results
//	topic          the signal text of the newest earlier prompt of 6 words or more
//	unseen         1 if no prompt, command or result of the session has named f
//	branch         1/√r of the r-th file that the branch changed, those of its newest commit first.
//	               Recorded sessions do not contain the branch, so its weights for prompts are
//	               fitted on commit messages, next to the logit of all other signals
//
// Signals of the place in the tree:
//
//	directory      leading folders that f shares with the newest q, divided by the depth of the
//	               deeper one
//	folder_recent  2^-(Δ/24 h) since a file of the folder was opened, of the newest 64
//	folder_small   1/√(files in the folder)
//
// A signal of weight 0 is not computed. Why adds its file to the candidates of Score and returns
// the same digits as Score.
package rank
