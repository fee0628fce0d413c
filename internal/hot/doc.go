// Package hot keeps the current scores in memory: decayed scores and partner sets.
//
// Writers add increments with their own times. Questions (Of, Top, All, Sums) return scores decayed
// to the time of the question; Snapshot returns everything. The package never reads a clock to learn,
// never waits for a disk or a network, and knows nothing about events or rankings. A file with
// eight partners takes some 600 bytes.
//
// # Decay
//
// A family with half-life h divides time into epochs of 32 half-lives: k = ⌊t/32h⌋, landmark L_k =
// 32h·k. An increment w at time t adds w·2^((t-L_k)/h) to the member's score in the set of epoch k.
// At time now a score s of epoch k is worth s·2^(-(now-L_k)/h). A reader adds the epochs k(now) and
// k(now)-1. If now-L_k exceeds 20 half-lives it leaves the older one out, because that is then
// worth less than 1e-6 of what it was. So decay never rewrites anything, late and repeated writers
// get the same result, and the factor never exceeds 2^33. A sweep drops epochs older than the
// newest two.
//
// A family ByChange (co-change) decays with the changes of the file: its scores are read with the
// value that they had at the file's last change (Changed). So the scores of an unchanged file keep
// their weight, and a repository without commits for years forgets nothing. Values below 1e-6 read
// as 0, and so do partners below 0.01.
package hot
