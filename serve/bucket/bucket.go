// Package bucket keeps files in a bucket of an object store that speaks the S3 protocol, such as
// MinIO, Ceph, SeaweedFS or AWS.
//
// Buckets are addressed by path. A file is stored by one request, so it is there completely or not
// at all. Each request is repeated a few times if the store does not answer, and every transfer is
// compared with a checksum. All errors but those of a missing file wrap [ErrAway].
package bucket

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/otisk/otisk/internal/pause"
)

// A Config names a bucket and the key to it.
type Config struct {
	Address string // https://HOST/BUCKET, or https://HOST/BUCKET/PREFIX
	Region  string
	Key     string // id of the access key
	Secret  string // of the access key
	Token   string // of a temporary key, "" for others
}

// Environment returns the settings of the bucket at address, with the variables that other programs
// for S3 read.
func Environment(address string, getenv func(string) string) Config {
	return Config{
		Address: address,
		Region:  cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"), "us-east-1"),
		Key:     getenv("AWS_ACCESS_KEY_ID"), Secret: getenv("AWS_SECRET_ACCESS_KEY"), Token: getenv("AWS_SESSION_TOKEN"),
	}
}

// Errors of a configuration.
var (
	ErrAddress = errors.New("the address of a bucket is https://HOST/BUCKET or https://HOST/BUCKET/PREFIX, without a password")
	ErrKey     = errors.New("AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set")
)

// path matches bucket and prefix. Other characters would be encoded in several ways by servers.
var path = regexp.MustCompile(`^/([A-Za-z0-9][A-Za-z0-9.-]+)((?:/[A-Za-z0-9][A-Za-z0-9._-]*)*)/?$`)

// A Bucket is a bucket, or the files in it whose names begin with a prefix.
type Bucket struct {
	Config
	server *url.URL // scheme and host
	name   string
	prefix string // "" or ending with a slash
	client *http.Client

	now  func() time.Time
	wait func(ctx context.Context, d time.Duration) error
}

// New returns the bucket of a configuration. It sends no request.
func New(c Config) (*Bucket, error) {
	u, err := url.Parse(c.Address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, ErrAddress
	}
	parts := path.FindStringSubmatch(u.Path)
	if parts == nil {
		return nil, ErrAddress
	}
	if c.Key == "" || c.Secret == "" {
		return nil, ErrKey
	}
	b := &Bucket{Config: c, server: &url.URL{Scheme: u.Scheme, Host: u.Host}, name: parts[1], now: time.Now, wait: pause.For}
	if parts[2] != "" {
		b.prefix = strings.TrimPrefix(parts[2], "/") + "/"
	}
	b.client = &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, TLSHandshakeTimeout: 10 * time.Second,
			ResponseHeaderTimeout: time.Minute, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 16, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the signature is for one host
	}
	return b, nil
}

// sumHeader has the checksum of a file, which the store keeps with it.
const sumHeader = "X-Amz-Meta-Sha256"

// Put stores the file at path under key. When it returns, the store has the whole file.
func (b *Bucket) Put(ctx context.Context, key, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return err
	}
	r := &request{method: http.MethodPut, key: key, file: file, size: size, sum: hex.EncodeToString(sum.Sum(nil)), header: http.Header{}}
	r.header.Set(sumHeader, r.sum)
	return b.do(ctx, r, func(*http.Response) error { return nil })
}

var errDamaged = errors.New("the checksum of the file is wrong")

// Get writes the file under key to path. If there is none, the error wraps fs.ErrNotExist.
func (b *Bucket) Get(ctx context.Context, key, path string) error {
	return b.do(ctx, &request{method: http.MethodGet, key: key, sum: emptySum}, func(answer *http.Response) error {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return localError{err}
		}
		sum := sha256.New()
		_, err = io.Copy(io.MultiWriter(local{file}, sum), answer.Body)
		if e := file.Close(); e != nil && err == nil {
			err = localError{e}
		}
		if want := answer.Header.Get(sumHeader); err == nil && want != "" && want != hex.EncodeToString(sum.Sum(nil)) {
			err = errDamaged
		}
		return err
	})
}

// A localError is an error of the file that an answer is written to: the store is not its cause.
type localError struct{ error }

// Unwrap returns the error.
func (e localError) Unwrap() error { return e.error }

type local struct{ io.Writer }

func (l local) Write(b []byte) (int, error) {
	n, err := l.Writer.Write(b)
	if err != nil {
		err = localError{err}
	}
	return n, err
}

// Delete deletes the file under key, if there is one.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	err := b.do(ctx, &request{method: http.MethodDelete, key: key, sum: emptySum}, func(*http.Response) error { return nil })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// A page is a part of the list of files.
type page struct {
	Contents []struct {
		Key          string
		LastModified time.Time
	}
	IsTruncated           bool
	NextContinuationToken string
}

// Each calls fn with the key of each file whose key begins with prefix, and the time when it was
// stored. An error from fn ends the list and is returned.
func (b *Bucket) Each(ctx context.Context, prefix string, fn func(key string, stored time.Time) error) error {
	query := url.Values{"list-type": {"2"}, "prefix": {b.prefix + prefix}}
	for {
		var p page
		err := b.do(ctx, &request{method: http.MethodGet, query: query, sum: emptySum}, func(answer *http.Response) error {
			p = page{}
			return xml.NewDecoder(answer.Body).Decode(&p)
		})
		if err != nil {
			return err
		}
		for _, c := range p.Contents {
			if err := fn(strings.TrimPrefix(c.Key, b.prefix), c.LastModified); err != nil {
				return err
			}
		}
		if !p.IsTruncated {
			return nil
		}
		if p.NextContinuationToken == "" || p.NextContinuationToken == query.Get("continuation-token") {
			return b.away(fmt.Errorf("list the bucket: no next page")) // a part of the list would look like the whole
		}
		query.Set("continuation-token", p.NextContinuationToken)
	}
}

// Versioned reports whether the bucket keeps deleted files and earlier versions of files. It
// is false if the key may not ask.
func (b *Bucket) Versioned(ctx context.Context) (bool, error) {
	var answer struct{ Status string }
	err := b.do(ctx, &request{method: http.MethodGet, query: url.Values{"versioning": {""}}, sum: emptySum}, func(r *http.Response) error {
		return xml.NewDecoder(r.Body).Decode(&answer)
	})
	if failed, ok := errors.AsType[*failure](err); ok && failed.status < 500 {
		return false, nil
	}
	return answer.Status == "Enabled", err
}
