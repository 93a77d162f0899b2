package esclient

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// unpacked decodes an answer as wire does.
func unpacked(raw string) (f found[block], err error) {
	err = json.Unmarshal(f.Unpack([]byte(raw)), &f)
	return f, err
}

// TestUnpackIsJSON: blocks are decoded as package json decodes them, also from answers that are cut off or
// damaged anywhere.
func TestUnpackIsJSON(t *testing.T) {
	const b1, b2 = `{"_source":{"gen":4294967297,"no":0,"h":"!!!!!!# |d8li7ec"}}`, `{"_source":{"gen":4294967297,"no":12,"h":"!!!!!!#"}}`
	rng := rand.New(rand.NewPCG(5, 1))
	fast := 0
	for _, answer := range []string{
		`{"pit_id":"p","took":3,"hits":{"hits":[` + b1 + `,` + b2 + `]}}`,
		`{"took":3,"hits":{"hits":[` + b1 + `]},"pit_id":"p"}`,
		`{"took":3,"hits":{"hits":[` + b1 + `],"total":{"value":7}}}`,
		`{"took":3,"hits":{"hits":[]}}`,
		`{"took":3,"error":{"type":"x"},"status":500}`,
		`{"took":3,"hits":{"hits":[` + b1 + `,{"_id":"x","_source":{"gen":1,"no":2,"h":""}}]}}`,
		`{"took":3,"hits":{"hits":[{"_source":{"gen":1,"no":2,"h":"\u0021"}}]}}`,
		`{"took":3,"hits":{"hits":[{"_source":{"gen":-1,"no":2,"h":"a"}},{"_source":{"gen":01,"no":2,"h":"a"}}]}}`,
		`{"took":3,"hits":{"hits":[{"_source":{"gen":99999999999999999999,"no":2,"h":"a"}}]}}`,
		`{"took":3, "hits": {"hits": [` + b1 + `]}}`,
	} {
		list := []string{answer}
		for end := range answer {
			list = append(list, answer[:end])
		}
		for range 300 {
			damaged := []byte(answer)
			damaged[rng.IntN(len(damaged))] = `{}[],:"09a \`[rng.IntN(12)]
			list = append(list, string(damaged))
		}
		for _, raw := range list {
			var want found[block]
			failed := json.Unmarshal([]byte(raw), &want)
			got, err := unpacked(raw)
			if (err == nil) != (failed == nil) || failed == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, %v; want %+v, %v", raw, got, err, want, failed)
			}
			if f := new(found[block]); len(f.Unpack([]byte(raw))) < len(raw) {
				fast++
			}
		}
	}
	if fast < 200 {
		t.Errorf("%d answers were unpacked without package json, want 200 or more", fast)
	}
}

func BenchmarkUnpack(b *testing.B) {
	hits := make([]string, 1000)
	for i := range hits {
		hits[i] = fmt.Sprintf(`{"_source":{"gen":4294967297,"no":%d,"h":"%s"}}`, i, strings.Repeat("!!!!!!# ", 255)+"!!!!!!#")
	}
	raw := `{"pit_id":"p","took":3,"hits":{"hits":[` + strings.Join(hits, ",") + `]}}`
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if f, err := unpacked(raw); err != nil || len(f.Hits.Hits) != len(hits) {
			b.Fatal(len(f.Hits.Hits), err)
		}
	}
}
