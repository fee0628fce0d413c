package prefetch

// Controller is the threshold of one kind without a store: what the evaluation turns as the daemon would.
type Controller struct{ base, drift float64 }

// NewController starts at base, clamped to [Floor, Ceiling].
func NewController(base float64) *Controller { return &Controller{base: clamp(base)} }

// Theta is the threshold now, in [Floor, Ceiling].
func (d *Controller) Theta() float64 { return theta(d.base, d.drift, 0, 0) }

// Settle moves it by one shown file that was used or not.
func (d *Controller) Settle(used bool) { d.drift = drift(d.drift, step(used, targetPrecision), d.base) }

// Reach returns how many of the predictions, from the first, reach the threshold; at most MaxFiles, for no more are
// shown.
func Reach(predictions []Prediction, theta float64) int {
	n := 0
	for n < len(predictions) && n < MaxFiles && predictions[n].P >= theta {
		n++
	}
	return n
}
