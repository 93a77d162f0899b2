package phrase

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestStored: a phrase that was stored as JSON has the arguments that it had, phrases among them.
func TestStored(t *testing.T) {
	p := Counted("a.files", "{n} file of {whole}: {list}", "{n} files of {whole}: {list}", 3, "whole", Error("a.whole", "all"), "list", List{Error("a.x", "x {k}", "k", "v"), Error("a.y", "y")})
	if got, want := p.Error(), "3 files of all: x v, y"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	data, err := json.Marshal(p.Stored())
	if err != nil {
		t.Fatal(err)
	}
	var got Stored
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, p.Stored()) {
		t.Errorf("read %+v, %v, want %+v", got, err, p.Stored())
	}
	if err := json.Unmarshal([]byte(`{"name": "a", "args": {"share": 1.5}}`), &got); err != nil || got.Args["share"] != 1.5 {
		t.Errorf("a share is read as %v, %v, want 1.5", got.Args["share"], err)
	}
	if err := json.Unmarshal([]byte(`{"name": "a", "args": {"n": true}}`), &got); err == nil {
		t.Error("an argument of another type is read")
	}
	if got := Counted("a.files", "{n} file", "{n} files", 1).Error(); got != "1 file" {
		t.Errorf("one: %q", got)
	}
}
