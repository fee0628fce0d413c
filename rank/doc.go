// Package rank answers a query with files, each with a calibrated probability and the exact reasons
// for it.
//
// A query and the state of the hot store come in; files in order go out. It never writes, never
// reads a clock (Query.At is the time), and keeps nothing between two questions. It costs two reads
// of the hot store, three with a session, and bounded work for any number of known files: partners
// of at most 5 current files and of 3 that fit the prompt, 4 named ones, 8 words, 3 tags, the
// newest stamps, the last 12 results and 8 commands of the session, files that fit the texts,
// folders near by; of those the 192 best by the evidence so far are scored.
//
// # Score
//
// Every signal is a number in [0,1]. With the weights w of the task (apart for files that nothing
// in the session has named),
//
//	logit = Σ w·x          (the bias is the signal that is always 1)
//	score = 1/(1+e^-logit)
//
// The score orders files; package prefetch makes it a probability. The products w·x are the
// reasons, and their sum is the logit. After a search that failed, two weights are added to those
// between calls: what is meant is not where the session has looked. weights.json has the weights
// and the command that fitted them, measured.json their results. A prompt outside of sessions has
// weights of its own, for short and for long texts, because only its text and the history are
// known. So has a question that says nothing, on a branch: the words of the branch's name are its
// text, and the newest files that the branch changed are its current files, but may be answers.
//
// # Texts
//
// A text (a prompt, an issue, a commit subject; the words of the newest commands; at a prompt of at
// most three words together with those that the agent said before it) is compared with what files
// say, see index.Contents.Match: by BM25 of its words and of its title against the path, the base
// name, the names that a file defines, its doc strings and comments, and its body; and by
// identifiers that look like code. Each of these 14 aspects is a share of the best file of the same
// kind (source, test, document, data) and 1/√rank among them. With them count:
//
//	cover_…        the share, by rarity, of the words of the path or of the base name that the text or its title says
//	scope          the share, by rarity, of the words in front of the title ("parser: …", "fix(parser): …", "[parser] …")
//	               that the path has
//	phrase_place   1/√rank among files of the same kind by Σ ln(1+N/n)/√n over pairs of neighboring words of the text
//	               that the file has next to each other in a line (parse config: parseConfig, "parses the config"), n the
//	               files that have the pair, of the N read. The 30 best fits of the kinds that the text can mean are
//	               read, up to 2 MB in all, as they are on disk now
//	frame          .8^d, the file is in the d-th stack frame of the text; named, named_title: the text names it; dotted:
//	               a dotted name
//	init, depth, size, aside   it represents its folder; folders; words; it is in docs, examples, benchmarks, tools or
//	                           scripts
//	test, prose, data, upkeep, asks_test, asks_prose, asks_upkeep   its kind, and whether the text speaks of such files
//
// A file that says nearly the same to the text as a better one of its name is its copy: its t is 3
// less. So is that of a changelog, a manifest, a lock file or a setting of a tool for a text about
// the program that does not ask for such a file. A text is about the program if one of its words is
// in the path of a source or in a name that a source defines. A word that names a kind of file and
// that programs have, too ("release", "version", "action"), asks for files of that kind only in
// texts that are not about the program.
//
// Their weighted sum t (weights by the kind of text, see "texts" in weights.json) gives the first
// three of these signals, of the prompt:
//
//	text           1 + (t − best t)/8, at least 0
//	text_share     of the softmax over all files that fit
//	text_place     1/√r of the r-th best
//	text_cover, text_body, text_docs, text_uses   the values cover_path, text_body, text_prose and uses_place of the
//	               prompt by themselves: prompts of sessions weigh them differently than commit messages do
//	asked_kind     1 if f is a test, a document or a manifest, and the prompt speaks of such
//	pattern        text of the newest 4 commands and patterns since the prompt
//	pattern_place  text_place of the newest one
//
// # Signals
//
// q runs over the current files (the last 5 of the session), f is the candidate, Δ the time since.
// All counts are decayed to the time of the query by the hot store. Each signal has earned its
// place on repositories left out of the fit (docs/dev/ranking.md).
//
// Files by themselves:
//
//	recency_hour   2^-(Δ/1 h) since f was last opened
//	committed      2^-(Δ/30 d), Δ from the last commit of f to the newest of the repository, so that months without
//	               commits change nothing
//	churn          min(1, ln(1+commits)/ln 101)
//	never, uncommitted   1 if f was never opened here; never committed
//	fresh_committed  1/log₂(2+k) before the session has opened anything, k the number of commits since its own; of the
//	               newest 64 files committed; 0 for manifests, changelogs, settings of tools and documents, unless the
//	               words of the question speak of such, or of the file's name: they are committed along with everything
//	size           min(1, ln(1+words of its text)/ln 10,001)
//	test           1 if it is a test by its name or its folder
//	upkeep         1 if f is a manifest, a lock file or a setting of a tool, and the prompt does not speak of such
//	tags           Σ_t w/(w+1) over the query's tags (3 at most) that f was used under, 5 at most, / tags asked
//
// Partners of the current files; seed_alike is of the (3) files whose names and contents fit the
// prompt best:
//
//	comod          1 − Π_q (1 − .98·C[q,f]/(N[q]+.1)), C the weight of common changes, N that of all changes of q
//	support        S/(S+1), S = Σ_q C[q,f]: one common change is no habit
//	session_last   .98·S[q,f]/(n[q]+.5) for the newest q, S the weight of common sessions, n the sessions of q
//	session_back   .98·max_q S[q,f]/(n[f]+.5)
//	seed_alike     i/(3+i), i = Σ 1/(files with it − 1) over identifiers that q shares with at most 11 files: what calls
//	               q, or is called by it
//	kin            Σ idf of the words of f's name that are also in the name of q / (1 + Σ over all words of its name);
//	               the best of the newest 3 q
//	pair           1 if a current file has the stem of f ("x.go", "x_test.go"), in the same folder where the stem is a
//	               common one ("index", "doc", "readme", "utils"); named_pair: one that the prompt names; pair_edited:
//	               one edited since the prompt
//
// The rank among the candidates, 1/√r:
//
//	comod_rank     by comod
//	alike_rank     by the i of seed_alike, of the newest 3 current files
//	calls_rank     by Σ 1/(files that define it) over identifiers that q has and f defines, of those that at most 6 files
//	               define; the best of the newest 3 q, each .8 of the one after it; files that nothing has named apart
//	               from the others
//	terms_rank     by 1 − Π_t (1 − .98·W[t,f]/(n[t]+1)) over 8 words of the prompt (between calls half of them of the
//	               newest commands), the rarest in paths first, W the opens and commits of f under t, n the uses of t
//	terms_mean     not the rank, but the mean of the same shares
//	terms_folder   not the rank, but 1 − Π_t (1 − .98·ΣW/(n[t]+1)), the sum over the files of the folder of f, of the 64
//	               best of each word
//
// What the session has named:
//
//	named          1 if the current prompt names f
//	mentioned      min(1, Σ 1/√m over texts that named f among m files, half-life 8 events)
//	listed_fresh   1/(1+files opened since) of the newest list (result of a search, of the last 12 results) that names f
//	topic          the signal text of the newest earlier prompt of 6 words or more
//	unseen         1 if no prompt, command or result of the session has named f
//	branch         1/√r of the r-th file that the branch changed, those of its newest commit first. Recordings do not
//	               tell the branch: the weights of prompts are fitted on commit messages, beside the logit of all others
//
// Places:
//
//	directory      leading folders that f shares with the newest q / depth of the deeper of both
//	folder_recent  2^-(Δ/24 h) since a file of the folder was opened, of the newest 64
//	folder_small   1/√(files in the folder)
//
// A signal of weight 0 is not computed. Why adds its file to the candidates of Score and returns
// the same digits as Score.
package rank
