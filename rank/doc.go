// Package rank answers a query with files, each with a calibrated probability and the exact reasons for it.
//
// A query and the state of the hot store come in; files in order go out. It never writes, never reads a clock
// (Query.At is the time), and keeps nothing between two questions. It costs two reads of the hot store, three with a session, and
// bounded work for any number of known files: partners of at most 5 current files (16 of a change), 4 named
// and 3 that fit the prompt, 8 words, 3 tags, the newest stamps, the last 12 results and 8 commands of the session, files that
// fit the texts, folders near by; of those the 192 best by the evidence so far are scored.
//
// # Score
//
// Every signal is a number in [0,1]. With the weights w of the task (apart for files that nothing in the session has named),
//
//	logit = Σ w·x          (the bias is the signal that is always 1)
//	score = 1/(1+e^-logit)
//
// The score orders files; package prefetch makes it a probability. The products w·x are the reasons, and their sum is the logit.
// weights.json has the weights, their results and the command that fitted them. A prompt outside of sessions has weights of its
// own, for short and for long texts, because only its text and the history are known.
//
// # Texts
//
// A text (a prompt, an issue, a commit subject; the words of the newest commands) is compared with what files say, see
// index.Contents.Match: by BM25 of its words and of its title against the path, the base name, the names that a file defines, its doc
// strings and comments, and its body; and by identifiers that look like code. Each of these 14 aspects is a share of the best file of
// the same kind (source, test, document, data) and 1/√rank among them. With them count:
//
//	cover_…        the share, by rarity, of the words of the path or of the base name that the text or its title says
//	frame          .8^d, the file is in the d-th stack frame of the text; named, named_title: the text names it; dotted: a dotted name
//	init, depth, size, aside   it represents its folder; folders; words; it is in docs, examples, benchmarks, tools or scripts
//	test, prose, data, asks_test, asks_prose   its kind, and whether the text speaks of such files
//
// Their weighted sum t (weights by the kind of text, see "texts" in weights.json) gives three signals, of the prompt:
//
//	text           1 + (t − best t)/8, at least 0
//	text_share     of the softmax over all files that fit
//	text_place     1/√r of the r-th best
//	text_sure      text_share of the best file, the same for all
//	pattern, pattern_place   text and text_place of the newest 4 commands and patterns since the prompt
//
// # Signals
//
// q runs over the current files (the last 5 of the session, or the change), f is the candidate, Δ the time since, e the
// events of the session since. All counts are decayed to the time of the query by the hot store.
//
// Files by themselves:
//
//	recency_hour   2^-(Δ/1 h) since f was last opened
//	recency_day    2^-(Δ/24 h)
//	recency_rank   1/log₂(2+r), r the number of files, not open in the session, that were opened later; of the newest 64
//	frequency      min(1, ln(1+accesses)/ln 101)
//	committed      2^-(Δ/30 d), Δ from the last commit of f to the newest of the repository, so that months
//	               without commits change nothing
//	churn          min(1, ln(1+commits)/ln 101)
//	never, uncommitted   1 if f was never opened here; never committed
//	depth          min(1, folders/8)
//	document, test 1 if the extension is of prose; if it is a test by its name or its folder
//	sessions       min(1, ln(1+sessions that opened it)/ln 31)
//	size           min(1, ln(1+words of its text)/ln 10,001)
//	fresh_committed  1/log₂(2+k) before the session has opened anything, k the number of commits since its own; of the
//	               newest 64 files committed
//	tags           Σ_t w/(w+1) over the query's tags (3 at most) that f was used under, 5 at most, / tags asked
//
// Partners, of the current files; named_… of the (4) files that the prompt names; seed_… of the (3) files whose names
// and contents fit the prompt best:
//
//	comod          1 − Π_q (1 − .98·C[q,f]/(N[q]+.1)), C the weight of common changes, N that of all changes of q
//	session        1 − Π_q (1 − .98·S[q,f]/(n[q]+.5)), S the weight of common sessions, n the sessions of q
//	alike          i/(3+i), i = Σ 1/(files with it − 1) over identifiers that q shares with at most 11 files: what calls
//	               q, or is called by it; the best of the newest 3 q
//	comod_mean     Σ_q .98·C[q,f]/(N[q]+.1) / number of q: a noisy-or of many files saturates, the mean does not
//	support        S/(S+1), S = Σ_q C[q,f]: one common change is no habit
//	session_last   the share of the newest q alone
//	comod_back, session_back   .98·max_q C[q,f]/(N[f]+.1), .98·max_q S[q,f]/(n[f]+.5): in the other direction: how often q
//	               changed with f
//	calls          i/(1+i), i = Σ 1/(files that define it) over identifiers that q has and f defines, of those that at most 6
//	               files define; the best of the newest 3 q, each .8 of the one after it
//	kin            Σ idf of the words of f's name that are also in the name of q / (1 + Σ over all words of its name); the best
//	               of the newest 3 q
//	successor      .98·M[q,f]/(m[q]+.5) for the newest q: how often f was opened right after q
//	pair           1 if a current file has the stem of f ("x.go", "x_test.go"), in the same folder where the stem is a common one
//	               ("index", "doc", "readme", "utils"); named_pair: one that the prompt names
//
// Words of the current prompt; between calls half of them of the newest commands:
//
//	terms          1 − Π_t (1 − .98·W[t,f]/(n[t]+1)) over 8 words, the rarest in paths first, W the opens and commits of f
//	               under t, n the uses of t; terms_mean: the mean of the same shares
//
// What the session has named:
//
//	named          1 if the current prompt names f
//	named_before   1 if an earlier prompt of the session did
//	in_command     1 if a command or search pattern of the session did
//	mentioned      min(1, Σ 1/√m over texts that named f among m files, half-life 8 events)
//	seen_before    1 if any result of the session has named f
//	listed_…       of lists (results of searches, at most the last 12 results) that name f, k lists ago, among m files, at
//	               place i (from 0):
//	  recent       2^-(e/8) · ago: .7^k · few: .85^k/√m · place: .8^k/√(1+i), the best each
//	  last, turn   1 if the newest list does; if one since the prompt does
//	  often        min(1, ln(1+lists)/3)
//	  left         .85^k/√(files of the list that are not open) · fresh: 1/(1+files opened since), the best each
//	  skipped      1 if a file behind it in one of the last 3 lists was opened last: it was skipped
//	  turns        min(1, ln(1+lists since the prompt)/2)
//	content_…      recent, and alone (1/√m): the same of contents
//	unseen         1 if nothing of all this has named f
//
// Places:
//
//	directory      leading folders that f shares with the newest q / depth of the deeper of both
//	folder_share   share of f's folder among the last 10 files opened, each .8 of the one after it
//	kind_share     the same of the files of its kind: the extension, tests apart
//	late_test      1 if f is a test and a file was edited since the prompt
//	early_document 1/(1+files opened since the prompt) if f is prose
//	folder_recent  2^-(Δ/24 h) since a file of the folder was opened, of the newest 64
//	folder_small   1/√(files in the folder)
//
// The rank among the candidates, 1/√r: terms_rank, comod_rank, session_rank, alike_rank.
//
// Equal for all files of a question, for the probability and not for the order:
//
//	opened         min(1, ln(1+files open in the session)/4): with more open files each one is less likely
//	in_hand        min(1, ln(1+number of q)/4), of a change
//
// A signal of weight 0 is not computed. Why adds its file to the candidates of Rank and returns the same digits as Rank.
package rank
