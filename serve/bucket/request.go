package bucket

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// ErrAway means that the store does not answer or refuses a request.
var ErrAway error = phrase.Error("serve.bucket-away", "the store with the files is not available")

type request struct {
	method string
	key    string // "" for the bucket
	query  url.Values
	header http.Header
	file   *os.File // body, nil for none
	size   int64
	sum    string // SHA-256 of the body
}

const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// Tries of a request. The pause doubles after each.
const (
	tries      = 5
	firstPause = 200 * time.Millisecond
)

// slowest is the rate below which a transfer is ended, in bytes a second.
const slowest = 64 << 10

// do sends a request and calls use with its answer, which has a status of success. It repeats both
// after an error that may pass.
func (b *Bucket) do(ctx context.Context, r *request, use func(*http.Response) error) error {
	var err error
	for n := range tries {
		if n > 0 {
			if e := b.wait(ctx, firstPause<<(n-1)); e != nil {
				return e
			}
		}
		if err = b.send(ctx, r, use); !passes(err) {
			break
		}
	}
	if err == nil || final(err) {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return b.away(err)
}

func passes(err error) bool {
	if failed, ok := errors.AsType[*failure](err); ok {
		return failed.status >= 500 || failed.status == http.StatusTooManyRequests || failed.code == "RequestTimeout"
	}
	return err != nil && !final(err) && !errors.Is(err, context.Canceled)
}

// final reports whether an error is not one of the store: the file is missing, or cannot be written
// here.
func final(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.As(err, new(localError)) }

func (b *Bucket) send(ctx context.Context, r *request, use func(*http.Response) error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute+time.Duration(r.size/slowest)*time.Second)
	defer cancel()
	req, err := b.request(ctx, r)
	if err != nil {
		return err
	}
	answer, err := b.client.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return failureOf(answer, r.key)
	}
	if err := use(answer); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body) // so that the connection can be used again
	return err
}

func (b *Bucket) request(ctx context.Context, r *request) (*http.Request, error) {
	u := *b.server
	u.Path, u.RawQuery = "/"+b.name, r.query.Encode()
	if r.key != "" {
		u.Path += "/" + b.prefix + r.key
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	if r.file != nil && r.size > 0 {
		req.Body, req.ContentLength = io.NopCloser(io.NewSectionReader(r.file, 0, r.size)), r.size
	}
	maps.Copy(req.Header, r.header)
	b.sign(req, r.sum)
	return req, nil
}

type failure struct {
	status int
	code   string // of S3, such as NoSuchBucket
	text   string
	date   string // of the server
}

func (f *failure) Error() string { return fmt.Sprintf("%d %s: %s", f.status, f.code, f.text) }

// failureOf returns the error of an answer: fs.ErrNotExist for a file that is not there.
func failureOf(answer *http.Response, key string) error {
	var body struct{ Code, Message string }
	_ = xml.NewDecoder(io.LimitReader(answer.Body, 64<<10)).Decode(&body)     // a proxy answers with something else
	if answer.StatusCode == http.StatusNotFound && body.Code == "NoSuchKey" { // other things can be missing, too
		return fmt.Errorf("%s: %w", key, fs.ErrNotExist)
	}
	return &failure{answer.StatusCode, body.Code, body.Message, answer.Header.Get("Date")}
}

func (b *Bucket) away(err error) error {
	where := b.server.String()
	var failed *failure
	if !errors.As(err, &failed) {
		return fmt.Errorf("%w: %w", ErrAway, phrase.Error("serve.bucket-no-answer", "{where} does not answer: {cause}", "where", where, "cause", oserror.Cause(err)))
	}
	return fmt.Errorf("%w: %w", ErrAway, refusal{b.meaning(failed, where), failed})
}

type refusal struct {
	error
	failed *failure
}

// Unwrap returns the meaning and the failure.
func (r refusal) Unwrap() []error { return []error{r.error, r.failed} }

// meaning returns what a failure of a server means.
func (b *Bucket) meaning(f *failure, where string) error {
	switch f.code {
	case "NoSuchBucket":
		return phrase.Error("serve.bucket-missing", "{where} has no bucket {name}", "where", where, "name", b.name)
	case "RequestTimeTooSkewed":
		return phrase.Error("serve.bucket-clock", "{where} refuses the time of this machine: its clock shows {theirs}, and the one here {ours}", "where", where, "theirs", f.date, "ours", b.now().UTC().Format(http.TimeFormat))
	}
	if f.status == http.StatusForbidden || f.status == http.StatusUnauthorized {
		return phrase.Error("serve.bucket-refused", "{where} refuses the key for bucket {name}: {cause}", "where", where, "name", b.name, "cause", f.Error())
	}
	return phrase.Error("serve.bucket-failed", "{where}: {cause}", "where", where, "cause", f.Error())
}

const (
	dayFormat  = "20060102"
	timeFormat = "20060102T150405Z"
)

// sign adds the headers of AWS Signature Version 4 to a request whose body has the SHA-256 sum. The
// signature covers the method, the address, the host and all headers that begin with X-Amz-.
func (b *Bucket) sign(r *http.Request, sum string) {
	at := b.now().UTC()
	r.Header.Set("X-Amz-Date", at.Format(timeFormat))
	r.Header.Set("X-Amz-Content-Sha256", sum)
	if b.Token != "" {
		r.Header.Set("X-Amz-Security-Token", b.Token)
	}
	names := []string{"host"}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Amz-") {
			names = append(names, strings.ToLower(name))
		}
	}
	slices.Sort(names)
	var headers strings.Builder
	for _, name := range names {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.URL.Host
		}
		headers.WriteString(name + ":" + value + "\n")
	}
	signed := strings.Join(names, ";")
	// The query has no spaces, so that its encoding by net/url is the one of the signature.
	canonical := strings.Join([]string{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, headers.String(), signed, sum}, "\n")
	scope := strings.Join([]string{at.Format(dayFormat), b.Region, "s3", "aws4_request"}, "/")
	hashed := sha256.Sum256([]byte(canonical))
	text := strings.Join([]string{"AWS4-HMAC-SHA256", at.Format(timeFormat), scope, hex.EncodeToString(hashed[:])}, "\n")
	key := []byte("AWS4" + b.Secret)
	for _, part := range append(strings.Split(scope, "/"), text) {
		key = keyed(key, part)
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+b.Key+"/"+scope+", SignedHeaders="+signed+", Signature="+hex.EncodeToString(key))
}

// keyed returns the HMAC-SHA-256 of text.
func keyed(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
