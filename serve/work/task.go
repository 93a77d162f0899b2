// Package work runs the jobs of otisk serve. Each job is a process of its own, the same program
// with a hidden command, with limits of time and memory: a document that crashes or stalls its
// reader ends that process only.
//
// Jobs are rows of the database. A job that was running when the server stopped runs again. A job
// whose process crashed or ran out of time runs once more, and is then set aside with the reason.
package work

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/tca"
)

// Command is the name of the hidden command that executes a [Task].
const Command = "serve-worker"

// Kinds of jobs.
const (
	Check  = "check"  // search for texts in a collection
	Add    = "add"    // add texts to a collection
	Remove = "remove" // remove documents from a collection
	// Gather adds texts from a [Source]. It writes in short batches, so that additions run between.
	Gather = "gather"
	// Read reads a text without a search, for clients that ask for the report later.
	Read = "read"
	// List lists the texts of a file without a search, for a course that checks them later.
	List = "list"
)

// A Task is the input of a worker process, on its standard input.
type Task struct {
	Kind string `json:"kind"`
	// Collections are those to check against, or the one to change. Folders are in the working directory.
	Collections []indexes.Place `json:"collections"`
	Files       []File          `json:"files"`
	Out         string          `json:"out,omitempty"`     // folder for the reports of a check
	Private     []Private       `json:"private,omitempty"` // collections whose documents the report must not show
	Source      *Source         `json:"source,omitempty"`  // to gather from
	Table       bool            `json:"table,omitempty"`   // the file is a table with metadata of documents
	Whole       bool            `json:"whole,omitempty"`   // the table has all metadata of its documents: empty cells clear what was set
	Among       bool            `json:"among,omitempty"`
	Skip        []string        `json:"skip,omitempty"` // paths of texts that are not checked
	Preset      Preset          `json:"preset"`
	Given       []File          `json:"given,omitempty"`   // texts of [Preset.Given]
	Names       []string        `json:"names,omitempty"`   // documents to remove
	Without     []string        `json:"without,omitempty"` // documents of the collections that are not sources
	Gone        []string        `json:"gone,omitempty"`    // marks of documents that a source must not add
	Memory      int64           `json:"memory,omitempty"`  // limit in bytes, 0 for none
}

// Kinds of sources.
const (
	FolderSource = "folder" // a folder on the server
	OAISource    = "oai"    // a repository with an OAI-PMH interface
	FeedSource   = "feed"   // a feed or sitemap
)

// A Source is what documents are gathered from.
type Source struct {
	Kind    string        `json:"kind"`
	Address string        `json:"address"`         // path or URL
	Part    string        `json:"part,omitempty"`  // set of a repository
	State   string        `json:"state,omitempty"` // folder for the state of a harvest or crawl
	Roots   []string      `json:"roots,omitempty"` // folders below which a folder may be
	Allow   []string      `json:"allow,omitempty"` // hosts that may be in the network of the server
	Most    time.Duration `json:"most"`            // time after which a run stops; the next one continues
}

// A Private is a collection of another group whose documents a report must not show.
type Private struct {
	Index  int    `json:"index"`            // of [Task.Collections]
	Owner  string `json:"owner"`            // group, and whom to ask
	Secret string `json:"secret"`           // on which the limits of reported passages depend
	Closed bool   `json:"closed,omitempty"` // not searched, since the group has checked too many texts that it has passages of
}

// A File is an uploaded file.
type File struct {
	Path string `json:"path"` // on the disk
	Name string `json:"name"` // as uploaded
}

// A Preset is the settings of a check, those of otisk search. The zero value has its defaults.
type Preset struct {
	Exact            bool     `json:"exact,omitempty" doc:"find only passages of unchanged words"`
	Exclude          []string `json:"exclude,omitempty" doc:"kinds of stretches excluded from the score: quotation, bibliography, template, declaration, abstract, contents"`
	MinPassage       int      `json:"min_passage,omitempty" doc:"exclude passages of fewer words from the score"`
	MinSource        int      `json:"min_source,omitempty" doc:"exclude sources that cover fewer words from the score"`
	MinSourcePercent float64  `json:"min_source_percent,omitempty" doc:"exclude sources that cover a smaller percent of the text from the score"`
	Given            []string `json:"given,omitempty" doc:"ids of given texts, such as an assignment, that are excluded from the score"`
}

// A Line is a line of the standard output of a worker process: its progress, or at last its outcome.
type Line struct {
	Progress *check.Progress `json:"progress,omitempty"`
	Outcome  *Outcome        `json:"outcome,omitempty"`
}

// An Outcome is the result of a task.
type Outcome struct {
	Texts     []Text          `json:"texts,omitempty"`     // that were checked, in the order of the files
	Unread    []search.Unread `json:"unread,omitempty"`    // files and members that could not be used
	Added     int             `json:"added,omitempty"`     // documents
	Unchanged int             `json:"unchanged,omitempty"` // documents that the collection already had
	Documents int64           `json:"documents,omitempty"` // of the collection, after an addition or removal
	Words     int64           `json:"words,omitempty"`

	Read *Reading `json:"read,omitempty"` // of a text that was read without a search

	More bool `json:"more,omitempty"` // the time of a run was over: there may be more to gather

	// Error is why the whole job failed. With Later, the cause is on the server and not in the
	// files, and the job runs again later without using up a try.
	Error   string         `json:"error,omitempty"`   // in English
	Message *phrase.Stored `json:"message,omitempty"` // of the error, by which pages translate it
	Later   Cause          `json:"later,omitempty"`
}

// A Reading is the size of a text, or why it cannot be checked.
type Reading struct {
	Words      int      `json:"words"`
	Characters int      `json:"characters"`
	Fault      tca.Code `json:"fault,omitempty"`
}

// A Cause is why a job has to wait.
type Cause string

// Causes on the server.
const (
	OfServer  Cause = "server"  // such as a full disk
	OfCluster Cause = "cluster" // [indexes.ErrAway]
	OfIndex   Cause = "index"   // [indexes.ErrMissing]
)

type laterError struct {
	text string
	c    Cause
}

func (e laterError) Error() string { return e.text }

func (e laterError) Unwrap() error {
	return map[Cause]error{OfCluster: indexes.ErrAway, OfIndex: indexes.ErrMissing}[e.c]
}

// A Text is a text that was checked.
type Text struct {
	File   int        `json:"file"`   // index of its file
	Path   string     `json:"path"`   // name of the file, with the member of an archive
	Report string     `json:"report"` // file name of the report in JSON in [Task.Out]
	Row    report.Row `json:"row"`
	Flags  int        `json:"flags"` // of stretches that may hide copying

	Private []int `json:"private,omitempty"` // indexes of private collections that have passages of the text
}

// ReadTask reads a task.
func ReadTask(r io.Reader) (*Task, error) {
	t := new(Task)
	if err := json.NewDecoder(r).Decode(t); err != nil {
		return nil, fmt.Errorf("read the task: %w", err)
	}
	needs := len(t.Files)
	switch {
	case t.Kind == Remove:
		needs = len(t.Names)
	case t.Kind == Gather && t.Source != nil:
		needs = 1
	}
	if !slices.Contains([]string{Check, Add, Remove, Gather, Read, List}, t.Kind) || needs == 0 || len(t.Collections) == 0 {
		return nil, errors.New("read the task: not a task of otisk serve")
	}
	return t, nil
}
