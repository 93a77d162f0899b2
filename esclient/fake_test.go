package esclient

import (
	"testing"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/esclient/wire/wiretest"
)

// fake is a connection to a server that a function answers for.
type fake struct {
	*conn
	*wiretest.Server
}

func newFake(t *testing.T, cfg Config, answer wiretest.Answer) *fake {
	t.Helper()
	f := &fake{Server: wiretest.New(answer)}
	cfg.Index, cfg.Transport = "x", f.Server
	cfg, err := cfg.resolved()
	if err != nil {
		t.Fatal(err)
	}
	c, err := wire.Dial(cfg.Config)
	if err != nil {
		t.Fatal(err)
	}
	f.conn = &conn{c, cfg}
	return f
}
