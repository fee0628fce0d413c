package redact

import "strings"

// followers are for each letter those that often follow it in a word: 98 % of the pairs of letters in the identifiers
// and comments of Go's standard library are among them.
const followers = "aabcdefgijklmnopqrstuvwxyz babcdefgijlmnopqrstuvwy cabcdefghiklmnopqrstuvwxy dabcdefghijlmnopqrstuvwxy " +
	"eabcdefghiklmnopqrstuvwxyz fabcdefgilmnoprstuwy gabcdefghilmnoprstu habcdehiklmoprstuwy " +
	"iabcdefghijklmnopqrstvwxz jaekosu kacdegilmnopstu labcdefghiklmnoprstuvwy mabcdefgiklmnoprstuvwxy " +
	"nabcdefghiklmnopqrstuvwy oabcdefgiklmnoprstuvwx pabcdefghiklmnopqrstuwy qcdeqrsuy rabcdefghiklmnoprstuvwxy " +
	"sabcdefghiklmnopqrstuvwxy tabcdefghilmnoprstuvwxyz uabcdefghilmnoprstvwxz vabcdefghilmnopqrstuvwx " +
	"wabcdefghilmnorstux xabcdefilmoprstvxy yabcdeimnpstvz zaeioz"

// usual has bit y of usual[x] set where the letter y often follows x.
var usual = func() (sets [26]uint32) {
	for f := range strings.FieldsSeq(followers) {
		for i := 1; i < len(f); i++ {
			sets[f[0]-'a'] |= 1 << (f[i] - 'a')
		}
	}
	return sets
}()

// random reports whether a word, or several with signs between them, looks drawn at random: hexadecimal of eight digits
// and more; or many changes between small letters, capitals and digits, and pairs of letters that words seldom have.
// In names of programs a part is four letters long on average.
func random(w string) bool {
	n, changes, odd, hex := 0, 0, 0, true
	for i := 0; i < len(w); i++ {
		c := w[i]
		if !alnum(c) {
			continue
		}
		n++
		hex = hex && (digit(c) || low(c) >= 'a' && low(c) <= 'f')
		before := byte(' ')
		if i > 0 {
			before = w[i-1]
		}
		switch {
		case !alnum(before):
		case digit(c) != digit(before), upper(c) && !upper(before):
			changes++
		case digit(c):
		case !upper(c) && upper(before) && i > 1 && upper(w[i-2]): // the S of HTTPServer
			changes++
		case usual[low(before)-'a']&(1<<(low(c)-'a')) == 0:
			odd++
		}
	}
	if n < 8 {
		return false
	}
	score := float64(odd) + 0.8*max(0, float64(changes)-float64(n)/4)
	return hex && n == len(w) || (odd >= 3 || changes > 1 && score >= 2) && score >= 0.12*float64(n)
}
