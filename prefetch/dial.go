package prefetch

// Dial is the threshold of one kind without a store: what the evaluation turns as the daemon would.
type Dial struct{ base, drift float64 }

// NewDial starts at base, clamped to [Floor, Ceiling].
func NewDial(base float64) *Dial { return &Dial{base: clamp(base)} }

// Theta is the threshold of the moment, in [Floor, Ceiling].
func (d *Dial) Theta() float64 { return theta(d.base, d.drift, 0, 0) }

// Settle moves it by one shown file that was used or not.
func (d *Dial) Settle(used bool) { d.drift = drift(d.drift, step(used, targetPrecision), d.base) }

// Reach returns how many of the promises, from the first, reach the threshold; at most MaxFiles, for no more are shown.
func Reach(promises []Promise, theta float64) int {
	n := 0
	for n < len(promises) && n < MaxFiles && promises[n].P >= theta {
		n++
	}
	return n
}
