package esclient

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A snapshot contains the aliases of an index. If it is restored under another name beside the
// index, the aliases lead to both: the server then rejects writes, which readers do not notice,
// since they use the names of indices. The next writer, or Adopt, removes such aliases.

// Adopt makes the aliases of the index of cfg lead to its own indices alone, in one request,
// and removes those of other names from them. It returns the names of the indices. An index that
// was restored under another name, or without its aliases, can be opened afterwards.
func Adopt(ctx context.Context, cfg Config) ([]string, error) {
	c, err := connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	indices, err := c.neighbours(ctx)
	if err != nil {
		return nil, err
	}
	n := names{base: c.cfg.Index}
	if n.build, err = c.onlyBuild(n, indices); err != nil {
		return nil, err
	}
	list := n.present(indices)
	actions := n.disown(indices)
	for _, name := range list {
		info := indices[name]
		part := info.Mappings.Meta.Otisk.Part
		if err := info.is(n, part); err != nil {
			return nil, err
		}
		for _, alias := range slices.Sorted(maps.Keys(info.Aliases)) {
			if copiedPattern.MatchString(alias) && alias != n.part(part) && alias != n.writes(part) {
				actions = append(actions, removal(name, alias))
			}
		}
		actions = append(actions, info.missing(name, n.part(part), n.writes(part))...)
	}
	if len(actions) > 0 {
		err = c.alias(ctx, actions)
	}
	return list, err
}

var copiedPattern = regexp.MustCompile("-" + anyPart + "(?:-[0-9]+-writes)?$")

// onlyBuild returns the build that the alias of the catalogue leads to, or else the only one that
// has a catalogue.
func (c *conn) onlyBuild(n names, indices map[string]indexInfo) (int, error) {
	var all, aliased []string
	for _, name := range builds(indices, n.base) {
		if !strings.HasPrefix(name, n.part(documentsPart)) {
			continue
		}
		all = append(all, name)
		if _, ok := indices[name].Aliases[n.part(documentsPart)]; ok {
			aliased = append(aliased, name)
		}
	}
	if len(aliased) == 1 {
		all = aliased
	}
	switch len(all) {
	case 0:
		return 0, c.absent(n, indices)
	case 1:
		build, _ := buildOf(n.base, all[0])
		return build, nil
	}
	return 0, n.ambiguous(all)
}

func (n names) ambiguous(list []string) error {
	return phrase.Error("cluster.alias-many", "open index {name}: the alias {alias} must lead to one of {indices}: {cause}", "name", n.base, "alias", n.part(documentsPart), "indices", strings.Join(list, ", "), "cause", store.ErrFormat)
}

// aliased adds missing aliases for writing to the parts of a build, and removes the aliases of
// the index from restored copies.
func (c *conn) aliased(ctx context.Context, n names, indices map[string]indexInfo) error {
	actions := n.disown(indices)
	for _, name := range n.present(indices) {
		actions = append(actions, indices[name].missing(name, n.writes(indices[name].Mappings.Meta.Otisk.Part))...)
	}
	if len(actions) == 0 {
		return nil
	}
	return c.alias(ctx, actions)
}

func (n names) disown(indices map[string]indexInfo) (actions []object) {
	for _, name := range slices.Sorted(maps.Keys(indices)) {
		info := indices[name]
		if _, own := buildOf(n.base, name); own || info.Mappings.Meta.Otisk == nil {
			continue
		}
		for _, alias := range slices.Sorted(maps.Keys(info.Aliases)) {
			if rest, ok := strings.CutPrefix(alias, n.base); ok && ownPattern.MatchString(rest) {
				actions = append(actions, removal(name, alias))
			}
		}
	}
	return actions
}

func (i indexInfo) missing(name string, aliases ...string) (actions []object) {
	for _, alias := range aliases {
		if _, ok := i.Aliases[alias]; !ok {
			actions = append(actions, object{"add": object{"index": name, "alias": alias}})
		}
	}
	return actions
}

func removal(index, alias string) object {
	return object{"remove": object{"index": index, "alias": alias}}
}
