package store

import "context"

// A Resumer is a [Store] that keeps with a commit how far the work was of which it is a
// part, for who goes on with it later.
type Resumer interface {
	// SetProgress gives what the next commit keeps. Other commits keep nothing: what
	// was said of an index holds only while it is as it was.
	SetProgress(progress string)

	// Progress returns what the last commit has kept, "" for nothing.
	Progress(ctx context.Context) (string, error)
}
