package main

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/store/segment"
)

// Where an index is can be said in three places: on the command line, in the
// settings and in the environment. A plain name may be that of a folder or that
// of an index in a cluster. Where both could be meant, that is an error: to
// index into the one and to search the other would find nothing, in silence.

// locate returns the session with the index that is meant: typed, if it is not
// empty, else as the settings say.
func (s *session) locate(typed string, getenv func(string) string) (*session, error) {
	s, err := s.surrounded(typed, getenv)
	if err != nil || typed == "" {
		return s, err
	}
	return s.at(typed)
}

// surrounded returns the session with the cluster that the environment names,
// where neither the settings name one nor a folder is meant.
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

// with returns the session with another index.
func (s *session) with(index string, hosts []string, cloud string) *session {
	settings := *s.settings
	settings.Index = index
	settings.Cluster.Hosts, settings.Cluster.CloudID = hosts, cloud
	other := *s
	other.settings = &settings
	return &other
}

// at returns the session with the index that was typed: the address of one in a
// cluster, a folder, or a name in the cluster that the settings name.
func (s *session) at(index string) (*session, error) {
	c := s.settings.Cluster
	switch {
	case isAddress(index):
		return s.atAddress(index)
	case isFolder(index), s.settings.Embedded():
		return s.with(index, nil, ""), nil
	case segment.Exists(index):
		return nil, misuse("usage.such-a-folder", "index", index)
	}
	return s.with(index, c.Hosts, c.CloudID), nil
}

// folderOr returns the session with a folder or the address of an index in a
// cluster. A name in the cluster of the settings is neither.
func (s *session) folderOr(index string) (*session, error) {
	switch {
	case isAddress(index):
		return s.atAddress(index)
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
	name := strings.Trim(u.Path, "/")
	u.Path = ""
	return s.with(name, []string{u.String()}, ""), nil
}

func isAddress(index string) bool {
	return strings.HasPrefix(index, "http://") || strings.HasPrefix(index, "https://")
}

// isFolder says whether index cannot be a name in a cluster: it is a path.
func isFolder(index string) bool {
	return strings.HasPrefix(index, ".") || strings.ContainsAny(index, `/\`) || filepath.IsAbs(index)
}
