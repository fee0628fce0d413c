package event

// parts are what several bodies have.
type parts struct {
	paths, from, gone, change, named, seen []Path
	terms, idents, tags                    []string
	text                                   string
}

// partsOf returns the parts of a body; what it lacks is empty.
func partsOf(b Body) (p parts) {
	switch b := b.(type) {
	case Prompt:
		return parts{named: b.Named, seen: b.Seen, terms: b.Terms, idents: b.Idents, tags: b.Tags, text: b.Text}
	case Call:
		return parts{paths: b.Paths, named: b.Named, seen: b.Seen, terms: b.Terms, idents: b.Idents, tags: b.Tags,
			text: b.Text}
	case Save:
		p.paths = b.Paths
	case Commit:
		return parts{paths: b.Paths, gone: b.Gone, terms: b.Terms, text: b.Text}
	case Uncommit:
		return partsOf(Commit(b))
	case Rename:
		p.paths, p.from = b.To, b.From
	case Delete:
		p.paths = b.Paths
	case Stop:
		p.terms, p.idents = b.Terms, b.Idents
	case Hint:
		return parts{paths: b.Paths, change: b.Change, named: b.Named, text: b.Text}
	case Feedback:
		p.paths = b.Paths
	}
	return p
}

// into returns a body with these parts, as far as it has them.
func (p parts) into(b Body) Body {
	switch b := b.(type) {
	case Prompt:
		b.Named, b.Seen, b.Terms, b.Idents, b.Tags, b.Text = p.named, p.seen, p.terms, p.idents, p.tags, p.text
		return b
	case Call:
		b.Paths, b.Named, b.Seen = p.paths, p.named, p.seen
		b.Terms, b.Idents, b.Tags, b.Text = p.terms, p.idents, p.tags, p.text
		return b
	case Save:
		b.Paths = p.paths
		return b
	case Commit:
		b.Paths, b.Gone, b.Terms, b.Text = p.paths, p.gone, p.terms, p.text
		return b
	case Uncommit:
		return Uncommit(p.into(Commit(b)).(Commit))
	case Rename:
		b.To, b.From = p.paths, p.from
		return b
	case Delete:
		b.Paths = p.paths
		return b
	case Stop:
		b.Terms, b.Idents = p.terms, p.idents
		return b
	case Hint:
		b.Paths, b.Change, b.Named, b.Text = p.paths, p.change, p.named, p.text
		return b
	case Feedback:
		b.Paths = p.paths
		return b
	}
	return b
}
