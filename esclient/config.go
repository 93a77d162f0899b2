package esclient

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A Config says which cluster to talk to, how, and which index there is meant.
// Only Index is needed; the zero values of the rest are sensible.
type Config struct {
	Hosts       []string // addresses, host:port or URLs; http://localhost:9200 if there are none
	CloudID     string   // in place of Hosts, for Elastic Cloud
	Index       string   // name that all indices of this store begin with
	Username    string   // with Password
	Password    string   //
	APIKey      string   // base64, wins over Username
	CAFile      string   // PEM file of the authority that signed the server's certificate
	Fingerprint string   // SHA-256 of a certificate that the server shows, hexadecimal, in place of an authority

	Timeout  time.Duration // for one request, 60 s if 0
	Retries  int           // attempts after the first one, none if negative; if 0, 10, or 30 for a writer: about 40 s and 3 minutes
	Compress bool          // request and answer bodies, for a slow network
	Memory   int64         // bytes that buffers and look-ups may take, 128 MB if 0

	BulkLoad bool  // while the index is empty: no replicas and no refreshes until Close
	Shards   int   // of an index that is created, 0 for as many as Expect says
	Expect   int64 // bytes of text that an index that is created is for; with neither, it has 1 shard
	Replicas int   // of an index that is created: 0 means one where there are nodes for it, negative none

	// Waiting is told once, by any goroutine, why a server is waited for that has done
	// nothing for some seconds, until it does again; nil for nobody.
	Waiting func(error)

	// Transport replaces the network, for tests. CAFile and Fingerprint have
	// no effect on it.
	Transport http.RoundTripper
}

// Defaults of a Config.
const (
	DefaultHost    = "http://localhost:9200"
	DefaultTimeout = time.Minute
	DefaultRetries = 10
	writeRetries   = 30
	DefaultMemory  = 128 << 20
)

// WithEnvironment returns c with what it leaves open taken from the variables
// that the tools of that ecosystem read: ELASTICSEARCH_URL (addresses, separated
// by commas), ELASTICSEARCH_USERNAME, ELASTICSEARCH_PASSWORD,
// ELASTICSEARCH_API_KEY, ELASTICSEARCH_CLOUD_ID, ELASTICSEARCH_CA_FILE and
// ELASTICSEARCH_FINGERPRINT. getenv is os.Getenv.
func (c Config) WithEnvironment(getenv func(string) string) Config {
	if list := getenv("ELASTICSEARCH_URL"); list != "" && len(c.Hosts) == 0 && c.CloudID == "" {
		c.Hosts = strings.Split(list, ",")
	}
	for _, v := range []struct {
		field *string
		name  string
	}{
		{&c.Username, "USERNAME"}, {&c.Password, "PASSWORD"}, {&c.APIKey, "API_KEY"},
		{&c.CAFile, "CA_FILE"}, {&c.Fingerprint, "FINGERPRINT"},
	} {
		if *v.field == "" {
			*v.field = getenv("ELASTICSEARCH_" + v.name)
		}
	}
	if len(c.Hosts) == 0 && c.CloudID == "" {
		c.CloudID = getenv("ELASTICSEARCH_CLOUD_ID")
	}
	return c
}

// writing returns c with the patience of a writer: hours of work should not be
// lost to a node that is started again.
func (c Config) writing() Config {
	if c.Retries == 0 {
		c.Retries = writeRetries
	}
	return c
}

// A ConfigError says that a Config cannot be used, whoever answers.
type ConfigError struct{ error }

// Unwrap returns what is wrong with it.
func (e ConfigError) Unwrap() error { return e.error }

// resolved checks c and fills in the defaults. Credentials in an address move
// to their fields, so that no message shows them.
func (c Config) resolved() (Config, error) {
	if err := checkName(c.Index); err != nil {
		return c, err
	}
	if len(c.Hosts) > 0 && c.CloudID != "" {
		return c, fmt.Errorf("use cluster: hosts and a cloud id were both given")
	}
	if len(c.Hosts) == 0 && c.CloudID == "" {
		c.Hosts = []string{DefaultHost}
	}
	hosts := make([]string, len(c.Hosts))
	for i, host := range c.Hosts {
		u, err := parseHost(host)
		if err != nil {
			return c, err
		}
		if u.User != nil && c.Username == "" {
			c.Username = u.User.Username()
			if password, ok := u.User.Password(); ok {
				c.Password = password
			}
		}
		u.User = nil
		hosts[i] = strings.TrimSuffix(u.String(), "/")
	}
	c.Hosts = hosts
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Retries == 0 {
		c.Retries = DefaultRetries
	}
	c.Retries = max(c.Retries, 0)
	if c.Memory <= 0 {
		c.Memory = DefaultMemory
	}
	c.Memory = max(c.Memory, 16<<20)
	return c, nil
}

func parseHost(host string) (*url.URL, error) {
	host = strings.TrimSpace(host)
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil {
		// The error of url.Parse repeats the address, which may hold a password.
		return nil, notHost(host[strings.LastIndex(host, "@")+1:])
	}
	port := u.Port()
	if _, err := strconv.ParseUint(port, 10, 16); port != "" && err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, notHost(u.Redacted())
	}
	return u, nil
}

func notHost(address string) error {
	return fmt.Errorf("use host %q: want host:port or https://host:port", address)
}

// addresses returns what requests are sent to.
func (c Config) addresses() ([]*url.URL, error) {
	hosts := c.Hosts
	if c.CloudID != "" {
		host, err := cloudHost(c.CloudID)
		if err != nil {
			return nil, fmt.Errorf("use cluster: cloud id %q: %w", c.CloudID, err)
		}
		hosts = []string{host}
	}
	list := make([]*url.URL, len(hosts))
	for i, host := range hosts {
		u, err := parseHost(host)
		if err != nil {
			return nil, err
		}
		list[i] = u
	}
	return list, nil
}

// cloudHost returns the address of Elasticsearch in a cloud id: a name, a
// colon, and in base64 the domain and the first label of each service, separated
// by dollar signs.
func cloudHost(id string) (string, error) {
	_, encoded, _ := strings.Cut(id, ":")
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "", err
	}
	part := strings.Split(string(raw), "$")
	if len(part) < 2 || part[0] == "" || part[1] == "" {
		return "", errors.New("it names no Elasticsearch")
	}
	return "https://" + part[1] + "." + part[0], nil
}

// checkName refuses what Elasticsearch would refuse as the name of an index,
// before anything is sent.
func checkName(name string) error {
	why := ""
	switch {
	case name == "":
		why = "is empty"
	case len(name) > 200:
		why = "is longer than 200 bytes"
	case !utf8.ValidString(name):
		why = "is not UTF-8"
	case name != strings.ToLower(name):
		why = "has an upper-case letter"
	case strings.ContainsAny(name, "\\/*?\"<>| ,#:%\n\t"):
		why = `has one of \ / * ? " < > | , # : % or a blank`
	case strings.ContainsAny(name[:1], "-_+."):
		why = "begins with - _ + or ."
	default:
		return nil
	}
	return fmt.Errorf("use index name %q: it %s", name, why)
}
