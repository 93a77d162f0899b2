package main

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/store/segment"
)

// The command line, the settings and the environment can each name the index. A plain name may
// be a folder or an index in a cluster. If both are possible, that is an error: otherwise, a user
// could index into one, search the other, and find nothing without a warning.

// locate returns the session with the index typed, or with that of the settings if typed is
// empty.
func (s *session) locate(typed string, getenv func(string) string) (*session, error) {
	s, err := s.surrounded(typed, getenv)
	if err != nil || typed == "" {
		return s, err
	}
	return s.at(typed)
}

// surrounded returns the session with the cluster of the environment, unless the settings name a
// cluster or the index is the path of a folder.
func (s *session) surrounded(typed string, getenv func(string) string) (*session, error) {
	env := wire.Config{}.WithEnvironment(getenv)
	index := s.settings.Index
	if !s.settings.Embedded() || len(env.Hosts) == 0 && env.CloudID == "" || isFolder(index) {
		return s, nil
	}
	if typed == "" && segment.Exists(index) {
		return nil, misuse("usage.folder-and-cluster", "index", index)
	}
	if index == config.DefaultIndex {
		index = config.DefaultName
	}
	return s.with(index, env.Hosts, env.CloudID), nil
}

func (s *session) with(index string, hosts []string, cloud string) *session {
	settings := *s.settings
	settings.Index = index
	settings.Cluster.Hosts, settings.Cluster.CloudID = hosts, cloud
	other := *s
	other.settings = &settings
	return &other
}

// at returns the session with the given index: the address of an index in a cluster, a folder,
// or a name in the cluster of the settings.
func (s *session) at(index string) (*session, error) {
	c := s.settings.Cluster
	switch {
	case isAddress(index):
		return s.atAddress(index)
	case lacksScheme(index):
		return nil, misuse("usage.no-scheme", "index", index)
	case isFolder(index), s.settings.Embedded():
		return s.with(index, nil, ""), nil
	case segment.Exists(index):
		return nil, misuse("usage.such-a-folder", "index", index)
	}
	return s.with(index, c.Hosts, c.CloudID), nil
}

// folderOr is like at, but rejects a name in the cluster of the settings.
func (s *session) folderOr(index string) (*session, error) {
	switch {
	case isAddress(index):
		return s.atAddress(index)
	case lacksScheme(index):
		return nil, misuse("usage.no-scheme", "index", index)
	case s.settings.Embedded(), isFolder(index), segment.Exists(index):
		return s.with(index, nil, ""), nil
	}
	return nil, misuse("usage.folder-or", "index", index)
}

func (s *session) atAddress(index string) (*session, error) {
	u, err := url.Parse(index)
	if err != nil || u.Host == "" || strings.Trim(u.Path, "/") == "" {
		return nil, misuse("usage.index-name", "index", strconv.Quote(index))
	}
	if u.User != nil {
		return nil, misuse("usage.cluster-password", "flag", "--index")
	}
	name := strings.Trim(u.Path, "/")
	u.Path = ""
	return s.with(name, []string{u.String()}, ""), nil
}

func isAddress(index string) bool {
	scheme, _, ok := strings.Cut(index, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// hostAndPort matches the address of an index without its scheme.
var hostAndPort = regexp.MustCompile(`^([\w.-]+|\[[\da-fA-F:.]+\]):\d+(/|$)`)

// lacksScheme reports whether index may be intended as the address of an index, and is not a folder
// with an index: a command would create the folder.
func lacksScheme(index string) bool {
	return (hostAndPort.MatchString(index) || strings.Contains(index, "://")) && !segment.Exists(index)
}

// isFolder reports whether index is a path, which cannot be a name in a cluster.
func isFolder(index string) bool {
	return strings.HasPrefix(index, ".") || strings.ContainsAny(index, `/\`) || filepath.IsAbs(index)
}
