package plan

// One builder is shared by the steps of making a plan. Its own methods collect
// components; three roles, which see the builder, do the rest.
type (
	// finder finds the components that names mean.
	finder struct{ *builder }
	// connector draws the edges between components.
	connector struct{ *builder }
	// checker finds what is wrong with the plan as a whole.
	checker struct{ *builder }
)

func finding(b *builder) finder       { return finder{b} }
func connecting(b *builder) connector { return connector{b} }
func checking(b *builder) checker     { return checker{b} }
