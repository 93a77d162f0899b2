package esclient

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/store"
)

// An index that has lost a part would still answer, and find less. So opening an index
// compares the parts that the head lists with those that exist, and the server rejects
// writes to a part that is gone: see [names.writes].

// absent returns the error of an index without a catalogue: there is no index, or its
// catalogue was lost. In the second case no new catalogue is made, because it would not
// know the old blocks.
func (c *conn) absent(n names, indices map[string]indexInfo) error {
	list := builds(indices, n.base)
	// Parts of the first build may be left by an attempt to make the index, which is repeated.
	list = slices.DeleteFunc(list, func(name string) bool { return slices.Contains(names{base: n.base, build: 1}.all(nil), name) })
	if len(list) > 0 {
		return fmt.Errorf("open index %s at %s: there is %s, and the alias %s is %w",
			n.base, c.Where(), strings.Join(builds(indices, n.base), ", "), n.part(documentsPart), ErrGone)
	}
	return fmt.Errorf("open index %s at %s: %w%s", n.base, c.Where(), store.ErrNoIndex, c.unseen())
}

// unseen returns a second explanation for an index that was not found: the server hides
// indices that the user may not see.
func (c *conn) unseen() string {
	switch {
	case c.cfg.APIKey != "":
		return ", or none that this API key may see"
	case c.cfg.Username != "":
		return fmt.Sprintf(", or none that user %q may see", c.cfg.Username)
	}
	return ""
}

// vacant returns an error if an index or alias of another program has the name of a part,
// before anything is made.
func (c *conn) vacant(ctx context.Context, n names) error {
	indices, err := c.neighbours(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(indices)) {
		info := indices[name]
		if info.Mappings.Meta.Otisk != nil {
			continue
		}
		for _, name := range append(slices.Sorted(maps.Keys(info.Aliases)), name) {
			if rest, ok := strings.CutPrefix(name, n.base); ok && ownPattern.MatchString(rest) {
				return fmt.Errorf("make index %s: %s exists, and %w", n.base, name, ErrForeign)
			}
		}
	}
	return nil
}

// ownPattern matches the names of indices and aliases of the index, after its name.
var ownPattern = regexp.MustCompile(`^-(?:documents|texts|pairs|translated|[0-9]+gram)(?:-[0-9]+(?:-writes)?)?$`)

// presentParts returns those of the indices of the build that exist, without the catalogue.
func presentParts(indices map[string]indexInfo, n names) []string {
	return slices.DeleteFunc(builds(indices, n.base), func(name string) bool {
		build, _ := buildOf(n.base, name)
		return build != n.build || name == n.documents()
	})
}

// complete returns an error if a part is missing among indices, or otisk did not make it.
func complete(indices map[string]indexInfo, n names, sizes []int) error {
	for _, part := range partsOf(sizes) {
		name := n.concrete(part)
		info, ok := indices[name]
		if !ok {
			return gone(name)
		}
		if err := info.is(n, part); err != nil {
			return fmt.Errorf("%w; the index that belongs there is gone: %w", err, store.ErrDamaged)
		}
	}
	return nil
}

// ErrGone means that a part of the index, or an alias of it, does not exist any more.
var ErrGone = fmt.Errorf("gone from the cluster: %w", store.ErrDamaged)

func gone(index string) error {
	return fmt.Errorf("%s, a part of the index, is %w", strings.TrimSuffix(index, "-writes"), ErrGone)
}

// orGone returns err, wrapped in ErrGone if the server does not find the index or alias.
func orGone(err error, index string) error {
	if wire.HasCause(err, wire.NoIndex) {
		return fmt.Errorf("%w: %w", gone(index), err)
	}
	return err
}

// aliased adds missing aliases for writing to the parts of a build.
func (c *conn) aliased(ctx context.Context, n names, indices map[string]indexInfo) error {
	var actions []object
	for _, name := range slices.Sorted(maps.Keys(indices)) {
		info := indices[name]
		if build, _ := buildOf(n.base, name); build != n.build || info.Mappings.Meta.Otisk == nil {
			continue
		}
		alias := n.writes(info.Mappings.Meta.Otisk.Part)
		if _, ok := info.Aliases[alias]; !ok {
			actions = append(actions, object{"add": object{"index": name, "alias": alias}})
		}
	}
	if len(actions) == 0 {
		return nil
	}
	return c.alias(ctx, actions)
}
