package redact

import "github.com/aoa-dev/aoa/internal/event"

// random reports whether a word, or several with signs between them, looks randomly drawn: at least
// eight hexadecimal digits; or many changes between lower case, upper case and digits, and pairs of
// letters that are rare in words. In names of programs a part has four letters on average.
func random(w string) bool {
	n, changes, odd, hex := 0, 0, 0, true
	for i := 0; i < len(w); i++ {
		c := w[i]
		if !alnum(c) {
			continue
		}
		n++
		hex = hex && (digit(c) || event.LowerByte(c) >= 'a' && event.LowerByte(c) <= 'f')
		before := byte(' ')
		if i > 0 {
			before = w[i-1]
		}
		switch {
		case !alnum(before):
		case digit(c) != digit(before), upper(c) && !upper(before):
			changes++
		case digit(c):
		case !upper(c) && upper(before) && i > 1 && upper(w[i-2]): // like the S of HTTPServer
			changes++
		case known().usual[event.LowerByte(before)-'a']&(1<<(event.LowerByte(c)-'a')) == 0:
			odd++
		}
	}
	if n < 8 {
		return false
	}
	score := float64(odd) + 0.8*max(0, float64(changes)-float64(n)/4)
	return hex && n == len(w) || (odd >= 3 || changes > 1 && score >= 2) && score >= 0.12*float64(n)
}
