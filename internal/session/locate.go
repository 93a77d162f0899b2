package session

import (
	"net/url"
	"os"
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

// surrounded returns the session with the cluster of the environment, unless the settings name a
// cluster or the index is the path of a folder.
func (s *Session) surrounded(typed string) (*Session, error) {
	env := wire.Config{}.WithEnvironment(os.Getenv)
	index := s.Settings.Index
	if !s.Settings.Embedded() || len(env.Hosts) == 0 && env.CloudID == "" || IsPath(index) {
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

func (s *Session) with(index string, hosts []string, cloud string) *Session {
	settings := *s.Settings
	settings.Index = index
	settings.Cluster.Hosts, settings.Cluster.CloudID = hosts, cloud
	other := *s
	other.Settings = &settings
	return &other
}

// InFolder returns the session with the index in a folder.
func (s *Session) InFolder(path string) *Session { return s.with(path, nil, "") }

// InCluster returns the session with an index in the cluster of the settings, which reports call name.
func (s *Session) InCluster(index, name string) *Session {
	other := s.with(index, s.Settings.Cluster.Hosts, s.Settings.Cluster.CloudID)
	other.name = name
	return other
}

// at returns the session with the given index: the address of an index in a cluster, a folder,
// or a name in the cluster of the settings.
func (s *Session) at(index string) (*Session, error) {
	switch {
	case isAddress(index):
		return s.atAddress(index)
	case lacksScheme(index):
		return nil, misuse("usage.no-scheme", "index", index)
	case IsPath(index), s.Settings.Embedded():
		return s.InFolder(index), nil
	case segment.Exists(index):
		return nil, misuse("usage.such-a-folder", "index", index)
	}
	return s.InCluster(index, s.name), nil
}

// FolderOr is like at, but rejects a name in the cluster of the settings.
func (s *Session) FolderOr(index string) (*Session, error) {
	switch {
	case isAddress(index):
		return s.atAddress(index)
	case lacksScheme(index):
		return nil, misuse("usage.no-scheme", "index", index)
	case s.Settings.Embedded(), IsPath(index), segment.Exists(index):
		return s.InFolder(index), nil
	}
	return nil, misuse("usage.folder-or", "index", index)
}

func (s *Session) atAddress(index string) (*Session, error) {
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

// IsPath reports whether index is a path, which cannot be a name in a cluster.
func IsPath(index string) bool {
	return strings.HasPrefix(index, ".") || strings.ContainsAny(index, `/\`) || filepath.IsAbs(index)
}
