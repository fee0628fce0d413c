// Package hot keeps the current scores in memory: decayed scores and partner sets.
//
// Increments with their own times go in, and views that collect questions. Scores decayed to the
// time of the question come out, and the snapshot. The package never reads a clock to learn, never
// blocks on a disk or a network, and knows nothing of events or rankings. A file with eight
// partners takes some 600 bytes.
//
// # Decay
//
// A family with half-life h cuts time into epochs of 32 half-lives: k = ⌊t/32h⌋, landmark L_k =
// 32h·k. An increment w at time t adds w·2^((t-L_k)/h) to the member's score in the set of epoch k.
// At time now a score s of epoch k is worth s·2^(-(now-L_k)/h). A reader adds the epochs k(now) and
// k(now)-1. It leaves the older one out when now-L_k exceeds 20 half-lives, because the older one
// is then worth less than 1e-6 of what it was. So nothing is ever rewritten to decay, late and
// repeated writers agree, and the factor never exceeds 2^33. A tick drops epochs older than the
// newest two.
//
// A family ByChange (co-change) decays by the changes of the file: its scores are read as they were
// worth at the file's last change (Changed), so those of an unchanged file keep their weight, and a
// repository without commits for years forgets nothing. What is worth less than 1e-6 reads as 0, of
// partners what is worth less than 0.01.
package hot
