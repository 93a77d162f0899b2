package wire

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"

	"github.com/otisk/otisk/lang/phrase"
)

// productHeader is the header by which Elasticsearch identifies itself. OpenSearch does
// not send it.
const productHeader = "X-Elastic-Product"

// transport returns a client that sends requests to the hosts of c in turn, with its
// credentials. It skips a host that does not answer for a while.
func transport(c Config) (*elastictransport.Client, error) {
	rt, err := Network(c)
	if err != nil {
		return nil, err
	}
	addresses, err := c.addresses()
	if err != nil {
		return nil, err
	}
	options := []elastictransport.Option{
		elastictransport.WithUserAgent("otisk"),
		elastictransport.WithURLs(addresses...),
		elastictransport.WithTransport(rt),
		elastictransport.WithDisableRetry(), // Conn.Do retries, with back-off and in more cases
		credentials(c),
	}
	if c.Compress {
		options = append(options, elastictransport.WithCompression())
	}
	client, err := elastictransport.NewClient(options...)
	if err != nil {
		return nil, phrase.Error("cluster.use", "use cluster: {cause}", "cause", err)
	}
	return client, nil
}

func credentials(c Config) elastictransport.Option {
	if c.APIKey != "" {
		return elastictransport.WithAPIKey(c.APIKey)
	}
	return elastictransport.WithBasicAuth(c.Username, c.Password)
}

// Network returns the transport that c describes, which several connections can share.
func Network(c Config) (http.RoundTripper, error) {
	if c.Transport != nil {
		return c.Transport, nil
	}
	security, err := tlsConfig(c)
	if err != nil {
		return nil, err
	}
	addresses, err := c.addresses()
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: min(10*time.Second, c.Timeout), KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSClientConfig:     security,
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  !c.Compress && !slices.ContainsFunc(addresses, remote), // it takes a sixth of the CPU time of a check
	}, nil
}

// remote reports whether the host of u may be another machine.
func remote(u *url.URL) bool {
	if u.Hostname() == "localhost" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err != nil || !ip.IsLoopback()
}

var errFingerprint error = phrase.Error("cluster.fingerprint", "no certificate of the server has the configured fingerprint")

func tlsConfig(c Config) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, phrase.Error("cluster.authority", "read certificate authority: {cause}", "cause", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, phrase.Error("cluster.no-pem", "read certificate authority: {name} has no certificate in PEM form", "name", c.CAFile)
		}
	}
	if c.Fingerprint != "" {
		want, err := hex.DecodeString(strings.ReplaceAll(c.Fingerprint, ":", ""))
		if err != nil || len(want) != sha256.Size {
			return nil, phrase.Error("cluster.no-fingerprint", "use fingerprint: want the 64 hexadecimal digits of a SHA-256")
		}
		// The fingerprint replaces the checks of the authority and of the name.
		config.InsecureSkipVerify = true
		config.VerifyConnection = func(state tls.ConnectionState) error { return checkFingerprint(state, want) }
	}
	if c.CAFile == "" && c.Fingerprint == "" {
		return config, nil
	}
	for _, host := range c.Hosts { // without TLS nothing would be verified, and the password would be sent in the clear
		if strings.HasPrefix(host, "http://") {
			return nil, phrase.Error("cluster.needs-https", "use host {host}: a certificate authority or fingerprint is given, so the address needs https://", "host", strconv.Quote(host))
		}
	}
	return config, nil
}

func checkFingerprint(state tls.ConnectionState, want []byte) error {
	for _, cert := range state.PeerCertificates {
		if sum := sha256.Sum256(cert.Raw); bytes.Equal(sum[:], want) {
			return nil
		}
	}
	return errFingerprint
}
