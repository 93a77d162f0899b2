package esclient

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/lang/phrase"
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
		return phrase.Error("cluster.alias-gone", "open index {name} at {host}: there is {builds}, and the alias {alias} is {cause}", "name", n.base, "host", c.Where(), "builds", strings.Join(builds(indices, n.base), ", "), "alias", n.part(documentsPart), "cause", ErrGone)
	}
	return phrase.Error("cluster.absent", "open index {name} at {host}: {cause}", "name", n.base, "host", c.Where(), "cause", c.unseen())
}

// unseen returns store.ErrNoIndex, with a second explanation for a user: the server hides indices
// that the user may not see.
func (c *conn) unseen() error {
	switch {
	case c.cfg.APIKey != "":
		return phrase.Error("cluster.key-unseen", "{cause}, or none that this API key may see", "cause", store.ErrNoIndex)
	case c.cfg.Username != "":
		return phrase.Error("cluster.user-unseen", "{cause}, or none that user {name} may see", "cause", store.ErrNoIndex, "name", strconv.Quote(c.cfg.Username))
	}
	return store.ErrNoIndex
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
				return phrase.Error("cluster.make-foreign", "make index {name}: {index} exists, and {cause}", "name", n.base, "index", name, "cause", ErrForeign)
			}
		}
	}
	return nil
}

// ownPattern matches the names of indices and aliases of the index, after its name.
var ownPattern = regexp.MustCompile("^-" + anyPart + "(?:-[0-9]+(?:-writes)?)?$")

const anyPart = "(?:documents|texts|pairs|translated|[0-9]+gram)"

func (n names) present(indices map[string]indexInfo) []string {
	return slices.DeleteFunc(builds(indices, n.base), func(name string) bool {
		build, _ := buildOf(n.base, name)
		return build != n.build
	})
}

// presentParts returns those of the indices of the build that exist, without the catalogue.
func presentParts(indices map[string]indexInfo, n names) []string {
	return slices.DeleteFunc(n.present(indices), func(name string) bool { return name == n.documents() })
}

func complete(indices map[string]indexInfo, n names, sizes []int) error {
	for _, part := range partsOf(sizes) {
		name := n.concrete(part)
		info, ok := indices[name]
		if !ok {
			return gone(name)
		}
		if err := info.is(n, part); err != nil {
			return phrase.Error("cluster.displaced", "{cause}; the index that belongs there is gone: {damaged}", "cause", err, "damaged", store.ErrDamaged)
		}
	}
	return nil
}

// ErrGone means that a part of the index, or an alias of it, no longer exists.
var ErrGone error = phrase.Error("cluster.gone", "gone from the cluster: {cause}", "cause", store.ErrDamaged)

func gone(index string) error {
	return phrase.Error("cluster.part-gone", "{name}, a part of the index, is {cause}", "name", strings.TrimSuffix(index, "-writes"), "cause", ErrGone)
}

// orGone returns err, wrapped in ErrGone if the server does not find the index or alias.
func orGone(err error, index string) error {
	if wire.HasCause(err, wire.NoIndex) {
		return fmt.Errorf("%w: %w", gone(index), err)
	}
	return err
}
