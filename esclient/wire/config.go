package wire

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/lang/phrase"
)

// A Config names a cluster and describes how to talk to it. The zero value means an
// Elasticsearch on this machine, without a password.
type Config struct {
	Hosts       []string // addresses, host:port or URLs; DefaultHost if there are none
	CloudID     string   // instead of Hosts, for Elastic Cloud
	Username    string   // with Password
	Password    string   //
	APIKey      string   // base64; takes precedence over Username
	CAFile      string   // PEM file of the authority that signed the server's certificate
	Fingerprint string   // hexadecimal SHA-256 of a certificate in the server's chain, instead of an authority

	Timeout  time.Duration // of one request; DefaultTimeout if 0
	Retries  int           // attempts after the first one; DefaultRetries if 0, none if negative
	Pause    time.Duration // before the second attempt, doubled for each further one up to 10 s; DefaultPause if 0
	Compress bool          // requests and answers, for a slow network; without it, answers of other machines

	// Waiting is called with the error of the last attempt when the server has done
	// nothing for some seconds, once until it answers again. It may be called by any
	// goroutine. nil is allowed.
	Waiting func(error)

	// Transport replaces the network, in tests or to share the connections of [Network]. It
	// ignores CAFile and Fingerprint.
	Transport http.RoundTripper
}

// Defaults of a [Config].
const (
	DefaultHost    = "http://localhost:9200"
	DefaultTimeout = time.Minute
	DefaultRetries = 10
	DefaultPause   = 200 * time.Millisecond
)

// WithEnvironment returns c with its empty fields set from the variables that
// Elastic's own tools read: ELASTICSEARCH_URL (addresses separated by commas),
// ELASTICSEARCH_USERNAME, ELASTICSEARCH_PASSWORD, ELASTICSEARCH_API_KEY,
// ELASTICSEARCH_CLOUD_ID, ELASTICSEARCH_CA_FILE and ELASTICSEARCH_FINGERPRINT.
// getenv is usually os.Getenv. Line breaks around a value do not count.
func (c Config) WithEnvironment(getenv func(string) string) Config {
	value := func(name string) string { return strings.Trim(getenv("ELASTICSEARCH_"+name), "\r\n") }
	if list := value("URL"); list != "" && len(c.Hosts) == 0 && c.CloudID == "" {
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
			*v.field = value(v.name)
		}
	}
	if len(c.Hosts) == 0 && c.CloudID == "" {
		c.CloudID = value("CLOUD_ID")
	}
	return c
}

// A ConfigError reports a configuration that no server could satisfy.
type ConfigError struct {
	Err error // describes the wrong setting
}

// Error implements error.
func (e ConfigError) Error() string { return e.Err.Error() }

// Unwrap returns e.Err.
func (e ConfigError) Unwrap() error { return e.Err }

// Resolved returns c with defaults for the fields that are not set, or a [ConfigError].
// A user name and a password in an address move to Username and Password, so that no
// message shows them. Resolving c again changes nothing.
func (c Config) Resolved() (Config, error) {
	if len(c.Hosts) > 0 && c.CloudID != "" {
		return c, ConfigError{phrase.Error("cluster.hosts-and-id", "use cluster: hosts and a cloud id were both given")}
	}
	if len(c.Hosts) == 0 && c.CloudID == "" {
		c.Hosts = []string{DefaultHost}
	}
	hosts := make([]string, len(c.Hosts))
	for i, host := range c.Hosts {
		u, err := parseHost(host)
		if err != nil {
			return c, ConfigError{err}
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
	c.Retries = cmp.Or(c.Retries, DefaultRetries)
	if c.Pause <= 0 {
		c.Pause = DefaultPause
	}
	return c, nil
}

func parseHost(host string) (*url.URL, error) {
	host = strings.TrimSpace(host)
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil {
		// The error of url.Parse quotes the address, which may contain a password.
		return nil, notHost(host[strings.LastIndex(host, "@")+1:])
	}
	port := u.Port()
	if _, err := strconv.ParseUint(port, 10, 16); port != "" && err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, notHost(u.Redacted())
	}
	return u, nil
}

func notHost(address string) error {
	return phrase.Error("cluster.host", "use host {host}: want host:port or https://host:port", "host", strconv.Quote(address))
}

// addresses returns the URLs that requests are sent to.
func (c Config) addresses() ([]*url.URL, error) {
	hosts := c.Hosts
	if c.CloudID != "" {
		host, err := cloudHost(c.CloudID)
		if err != nil {
			return nil, phrase.Error("cluster.cloud", "use cluster: cloud id {id}: {cause}", "id", strconv.Quote(c.CloudID), "cause", err)
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

// cloudHost returns the address of Elasticsearch in a cloud id: a name, a colon, and in
// base64 the domain and the first label of each service, separated by dollar signs.
func cloudHost(id string) (string, error) {
	_, encoded, _ := strings.Cut(id, ":")
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "", err
	}
	part := strings.Split(string(raw), "$")
	if len(part) < 2 || part[0] == "" || part[1] == "" {
		return "", phrase.Error("cluster.cloud-nothing", "it names no Elasticsearch")
	}
	return "https://" + part[1] + "." + part[0], nil
}
