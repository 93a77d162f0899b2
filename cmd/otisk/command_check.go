package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/pause"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/work"
)

type checkOptions struct {
	server     string
	tokenFile  string
	collection string
	label      string
	among      bool
	target     target
	review     reviewOptions
}

func newCheckCommand(g *globalOptions) *cobra.Command {
	o := checkOptions{review: newReviewOptions()}
	cmd := &cobra.Command{
		Use:     "check [flags] --server URL --token-file FILE PATH...",
		Example: "  otisk check --server https://otisk.example.org --token-file token.txt --collection Theses thesis.pdf",
		Args:    atLeastOne(placeholder("PATH")),
		RunE:    func(cmd *cobra.Command, args []string) error { return runCheck(cmd, o, args, g.quiet) },
	}
	f := cmd.Flags()
	f.StringVar(&o.server, "server", "", "`address` of the server, such as https://otisk.example.org")
	f.StringVar(&o.tokenFile, "token-file", "", "`file` with the token")
	f.StringVar(&o.collection, "collection", "", "`collection` to check against, by name or id (default: the only one)")
	f.StringVar(&o.label, "label", "", "`text` by which the server groups checks, such as a course")
	f.BoolVar(&o.among, "among", false, "also check the texts against each other: each is a source for the others")
	o.target.flags(f, "html into a folder on a terminal; else text")
	o.review.failFlags(f, "exit with status 3 if a score is over this `percent`")
	o.review.resultFlags(f)
	return cmd
}

func runCheck(cmd *cobra.Command, o checkOptions, paths []string, quiet bool) error {
	u, err := url.Parse(o.server)
	switch {
	case o.server == "" || o.tokenFile == "":
		return misuse("usage.check-server")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return misuse("usage.check-address", "typed", o.server)
	}
	if err := cmp.Or(o.target.resolve(cmd.OutOrStdout(), "text"), o.review.check(cmd, o.target)); err != nil {
		return err
	}
	token, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return about("--token-file "+o.tokenFile, err)
	}
	for _, file := range paths {
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			return about(file, cmp.Or[error](err, lang.NewMessage("usage.check-folder")))
		}
	}
	if err := spareAll(&o.target, &o.review, append(slices.Clone(paths), o.tokenFile)); err != nil {
		return err
	}
	out, err := newOutput(cmd, o.target, o.reports(len(paths)), &o.review)
	if err != nil {
		return err
	}
	r := newRemote(cmd.Context(), strings.TrimSuffix(o.server, "/"), strings.TrimSpace(string(token)), time.Minute)
	collection, err := r.collection(o.collection)
	if err != nil {
		return err
	}
	fields := map[string]string{"collection": collection, "label": o.label, "among": fmt.Sprint(o.among)}
	var made api.ID
	if err := r.upload("/submissions", fields, paths, &made); err != nil {
		return err
	}
	checks, err := r.wait(made.ID)
	if err != nil {
		return err
	}
	if err := o.target.accepts(o.reports(len(checks))); err != nil { // files may be archives
		return err
	}
	return r.write(cmd, out, checks, quiet)
}

// reports returns the number of reports for the target: texts can follow each other on the standard output.
func (o *checkOptions) reports(count int) int {
	if o.target.out == "" && slices.Equal(o.target.formats, []string{"text"}) {
		return 1
	}
	return count
}

type remote struct {
	ctx     context.Context
	address string
	token   string
	client  http.Client
}

// newRemote returns a server at an address, which has to begin each answer within patience.
func newRemote(ctx context.Context, address, token string, patience time.Duration) *remote {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = patience
	return &remote{ctx, address, token, http.Client{Transport: t}}
}

type remoteError struct{ error }

// Is makes it an error of a server for the exit status.
func (e remoteError) Is(target error) bool { return target == wire.ErrServer }

func (e remoteError) Unwrap() error { return e.error }

func (r *remote) do(req *http.Request, out any) (again bool, err error) {
	req.Header.Set("Authorization", "Bearer "+r.token)
	resp, err := r.client.Do(req)
	if err != nil {
		return true, remoteError{err}
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		var p api.Problem
		_ = json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&p) // a proxy may answer anything
		return resp.StatusCode >= 500, remoteError{lang.NewMessage("error.check-refused", "status", resp.Status, "cause", cmp.Or(p.Detail, p.Title))}
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return true, remoteError{lang.NewMessage("error.no-json", "url", req.URL, "cause", err)}
	}
	return false, nil
}

// attempts is how often a request is sent whose answer is lost.
const attempts = 4

// retry calls send until it succeeds, or until another attempt is useless.
func (r *remote) retry(send func() (again bool, err error)) error {
	for n := 1; ; n++ {
		again, err := send()
		if err == nil || !again || n == attempts {
			return err
		}
		if err := pause.For(r.ctx, time.Duration(n)*time.Second); err != nil {
			return err
		}
	}
}

func (r *remote) get(path string, out any) error {
	return r.retry(func() (bool, error) {
		req, err := http.NewRequestWithContext(r.ctx, "GET", r.address+api.Prefix+path, nil)
		if err != nil {
			return false, err
		}
		return r.do(req, out)
	})
}

func (r *remote) collection(typed string) (string, error) {
	var all []desk.Collection
	if err := r.get("/collections", &all); err != nil {
		return "", err
	}
	if typed == "" && len(all) == 1 {
		return all[0].ID, nil
	}
	var names []string
	for _, c := range all {
		if typed == c.ID || typed == c.Name {
			return c.ID, nil
		}
		names = append(names, c.Name)
	}
	return "", misuse("usage.check-collection", "names", strings.Join(names, ", "))
}

// upload sends files as a stream. A repeated request has the same idempotency key, so the files are
// checked once.
func (r *remote) upload(path string, fields map[string]string, files []string, out any) error {
	key := rand.Text()
	return r.retry(func() (bool, error) {
		in, body := io.Pipe()
		form := multipart.NewWriter(body)
		req, err := http.NewRequestWithContext(r.ctx, "POST", r.address+api.Prefix+path, in)
		if err != nil {
			return false, err
		}
		req.Header.Set("Content-Type", form.FormDataContentType())
		req.Header.Set("Idempotency-Key", key)
		go func() { _ = body.CloseWithError(writeForm(form, fields, files)) }()
		again, err := r.do(req, out)
		return again, errors.Join(err, in.Close())
	})
}

func writeForm(form *multipart.Writer, fields map[string]string, files []string) error {
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			return err
		}
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		part, err := form.CreateFormFile("file", filepath.Base(path))
		if err == nil {
			_, err = io.Copy(part, f)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return form.Close()
}

func (r *remote) wait(id string) ([]desk.Check, error) {
	for {
		var sub api.Submission
		if err := r.get("/submissions/"+id, &sub); err != nil {
			return nil, err
		}
		if sub.Finished {
			return sub.Checks, nil
		}
		if err := pause.For(r.ctx, 500*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func (r *remote) write(cmd *cobra.Command, out *output, checks []desk.Check, quiet bool) error {
	if err := out.expect(len(checks)); err != nil {
		return err
	}
	var unread []search.Unread
	for _, c := range checks {
		if c.State != work.Done {
			unread = append(unread, search.Unread{Path: c.Path, Reason: cmp.Or(c.Reason, c.State)})
			continue
		}
		var data json.RawMessage
		if err := r.get("/checks/"+c.ID+"/report", &data); err != nil {
			return err
		}
		result, err := report.ReadJSON(bytes.NewReader(data))
		if err != nil {
			return err
		}
		result.Index.Name = c.CollectionName // the report has the name of its folder on the server
		if err := out.write(path.Base(c.Path), result); err != nil {
			return err
		}
	}
	warnUnread(cmd.ErrOrStderr(), unread)
	if err := out.finish(unread, nil, quiet); err != nil {
		return err
	}
	if len(unread) > 0 {
		return skippedError{len(unread), len(checks), "error.skipped"}
	}
	return nil
}
