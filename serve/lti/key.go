package lti

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// A Key signs responses to platforms, and seals texts that a browser carries.
type Key struct {
	id      string
	private *rsa.PrivateKey
	mac     []byte
	others  []*Key // earlier and later keys
}

// NewKey returns a new key in the form that [ReadKey] reads.
func NewKey() ([]byte, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKCS8PrivateKey(key)
}

// ReadKey reads a key. id is its name in the key set.
func ReadKey(id string, data []byte) (*Key, error) {
	parsed, err := x509.ParsePKCS8PrivateKey(data)
	if err != nil {
		return nil, err
	}
	private, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("not an RSA key")
	}
	mac, err := hkdf.Key(sha256.New, data, nil, "otisk lti seal", sha256.Size)
	return &Key{id: id, private: private, mac: mac}, err
}

// Beside returns the key beside earlier and later ones: they are published with it, and texts that one
// of them sealed are read.
func (k *Key) Beside(others ...*Key) *Key {
	return &Key{id: k.id, private: k.private, mac: k.mac, others: others}
}

// Public returns the key set for platforms.
func (k *Key) Public() (set jose.JSONWebKeySet) {
	for _, key := range append([]*Key{k}, k.others...) {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: key.private.Public(), KeyID: key.id, Algorithm: string(jose.RS256), Use: "sig"})
	}
	return set
}

// Seal returns v as a text that [Key.Open] with the same kind reads, and that nobody else can make.
func (k *Key) Seal(kind string, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // only types of this package
	}
	text := base64.RawURLEncoding.EncodeToString(data)
	return text + "." + base64.RawURLEncoding.EncodeToString(k.sum(kind, text))
}

func (k *Key) sum(kind, text string) []byte {
	h := hmac.New(sha256.New, k.mac)
	h.Write([]byte(kind + "\x00" + text))
	return h.Sum(nil)
}

// Open reads a sealed text into v.
func (k *Key) Open(kind, closed string, v any) error {
	text, sum, _ := strings.Cut(closed, ".")
	got, err := base64.RawURLEncoding.DecodeString(sum)
	sealed := func(by *Key) bool { return hmac.Equal(got, by.sum(kind, text)) }
	if err != nil || !sealed(k) && !slices.ContainsFunc(k.others, sealed) {
		return ErrFlow
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return ErrFlow
	}
	return json.Unmarshal(data, v)
}

// An Item is a link that a platform gets or, with a course, an asset processor: submissions to the
// assignment become texts of the course.
type Item struct {
	Title, Address string
	Course         string // id
	Language       string // of reports to the platform
}

func (i *Item) content() map[string]any {
	if i.Course == "" {
		return map[string]any{"type": linkType, "title": i.Title, "url": i.Address}
	}
	return map[string]any{"type": processorType, "title": i.Title, "url": i.Address, "report": map[string]any{"url": i.Address}, "custom": custom{i.Course, i.Language}}
}

// Respond returns the signed response to a deep linking request.
func (k *Key) Respond(p *Platform, s *Select, items []Item) (string, error) {
	const claim, deep = "https://purl.imsglobal.org/spec/lti/claim/", "https://purl.imsglobal.org/spec/lti-dl/claim/"
	content := []map[string]any{}
	for _, i := range items {
		content = append(content, i.content())
	}
	t := time.Now()
	payload := map[string]any{
		"iss": p.Client, "aud": []string{p.Issuer}, "iat": t.Unix(), "exp": t.Add(5 * time.Minute).Unix(), "nonce": rand.Text(),
		claim + "deployment_id": s.Deployment, claim + "message_type": "LtiDeepLinkingResponse", claim + "version": "1.3.0", deep + "content_items": content,
	}
	if len(s.Data) > 0 {
		payload[deep+"data"] = s.Data
	}
	return k.sign(payload)
}

func (k *Key) sign(claims map[string]any) (string, error) {
	data, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	options := (&jose.SignerOptions{}).WithType("JWT")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: k.private, KeyID: k.id}}, options)
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(data)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}
