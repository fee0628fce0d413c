// Package prefetch decides what is worth saying: scores come in, an answer or silence goes out.
//
// A question of some Kind is ranked; what reaches Floor becomes a prediction, and every prediction is logged
// with its Arm: shown, withheld (a seeded 10 %, the control group) or shadow. A prediction is settled by the
// session's next Horizon file events, its end, or two idle hours; the outcomes move the threshold of the kind so that in the
// long run three of four shown files are used. State changes only in Fold, which reads nothing but events and
// its own earlier state, so replaying the log gives the same thresholds. It never writes a score, never speaks
// twice of one file in a session, and never goes on a clock of its own: time rides on queries and events.
// A decision costs one round trip beside its ranking; Fold and Observe cost one per batch.
package prefetch
