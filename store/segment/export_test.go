package segment

// WithStep returns options by which step is called before each step that changes files,
// which fails with the error that step returns.
func (o Options) WithStep(step func(op, path string) error) Options {
	o.disk = disk{step: step}
	return o
}
