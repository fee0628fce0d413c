// Package rank answers a query with files, each with a calibrated probability and the exact reasons for it.
//
// A query and the state of the hot store come in; files in order go out. It never writes, never reads a clock
// (Query.At is the time), and keeps nothing between two questions. It costs two round trips to the hot store, three when the files in hand must
// first be read from the session, and work that is bounded whatever the number of known files: partners of at most 5 files in hand (16 of
// a change), 8 words, 3 tags, the newest stamps, what the session mentioned, names and folders near by; of
// those the 96 best by the evidence so far are scored.
//
// # Score
//
// Every signal is a number in [0,1]. With the weights w of the moment,
//
//	logit = Σ w·x          (the bias is the signal that is always 1)
//	score = 1/(1+e^-(a·logit+b))
//
// a and b are the moment's calibration, apart for files that nothing in the session has named: they are opened far
// less often. score is the probability that the file is opened within the session's next 10 file events; for
// the moment "change" that it belongs to the change. The products w·x are the reasons, and their sum is the logit.
//
// # Signals
//
// q runs over the files in hand (the last 5 of the session, or the change), f is the candidate, Δ the time since.
// All counts are decayed to the time of the query by the hot store.
//
//	recency_hour   2^-(Δ/1 h) since f was last opened
//	recency_day    2^-(Δ/24 h)
//	frequency      min(1, ln(1+accesses)/ln 101)
//	tags           Σ_t w/(w+1) over the query's tags (3 at most) that f was used under, 5 at most, / tags asked
//	comod          1 − Π_q (1 − .98·C[q,f]/(N[q]+.1)), C the weight of common changes, N that of all changes of q
//	comod_mean     Σ_q .98·C[q,f]/(N[q]+.1) / number of q: a noisy-or of many files saturates, the mean does not
//	support        S/(S+1), S = Σ_q C[q,f]: one common change is no habit
//	session        1 − Π_q (1 − .98·S[q,f]/(n[q]+.5)), S the weight of common sessions, n the sessions of q
//	successor      .98·M[q,f]/(m[q]+.5) for the newest q: how often f was opened right after q
//	terms          1 − Π_t (1 − .98·W[t,f]/(n[t]+1)) over the words of the prompt (or the session's newest), W the
//	               opens and commits of f under t, n the uses of t, at least Σ_f W: a word used often leads
//	               nowhere in particular
//	words          I/(4+I), I = Σ ln(1 + files/(1+files with t)) over words t that are also in f's path
//	named          1 if the current prompt names f
//	named_before   1 if an earlier prompt of the session did
//	in_command     1 if a command or search pattern of the session did
//	mentioned      min(1, Σ 1/√m over results that named f among m files, half-life 8 events)
//	seen_before    1 if any result of the session has named f
//	directory      leading folders that f shares with the newest q / depth of the deeper of both
//	pair           1 if a file in hand has the stem of f ("x.go", "x_test.go")
//	committed      2^-(Δ/30 d), Δ from the last commit of f to the newest of the repository: one that rested for
//	               months has not forgotten what it worked on
//	churn          min(1, ln(1+commits)/ln 101)
//	never          1 if f was never opened here
//	opened         min(1, ln(1+files open in the session)/4): the more are open, the less likely is any one
//	in_hand        min(1, ln(1+number of q)/4): the same for the files of a change
//
// A signal of weight 0 is not read. Scores do not depend on the other candidates, so Why gives Rank's digits.
package rank
