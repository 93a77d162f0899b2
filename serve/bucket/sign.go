package bucket

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

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
