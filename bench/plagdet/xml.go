package plagdet

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A feature is one passage in a PAN file. Offsets are in code points.
type feature struct {
	Name         string `xml:"name,attr"`
	Offset       int    `xml:"this_offset,attr"`
	Length       int    `xml:"this_length,attr"`
	Source       string `xml:"source_reference,attr"`
	SourceOffset int    `xml:"source_offset,attr"`
	SourceLength int    `xml:"source_length,attr"`
}

// Names of the features that are passages; others describe the origin of a text.
const (
	trueName     = "plagiarism"
	detectedName = "detected-plagiarism"
)

// Read returns the passages of a PAN file, true or detected ones. It skips passages that are
// empty on either side.
func Read(r io.Reader) ([]Case, error) {
	var doc struct {
		Features []feature `xml:"feature"`
	}
	if err := xml.NewDecoder(r).Decode(&doc); err != nil {
		return nil, err
	}
	var cases []Case
	for _, f := range doc.Features {
		if f.Name != trueName && f.Name != detectedName || f.Source == "" {
			continue
		}
		c := Case{Span{f.Offset, f.Offset + f.Length}, Span{f.SourceOffset, f.SourceOffset + f.SourceLength}}
		if c.Suspect.length() > 0 && c.Source.length() > 0 {
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// ReadFile returns the passages of a PAN file. If the file does not exist, it returns none,
// since some programs write no file for a pair without passages.
func ReadFile(name string) ([]Case, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	cases, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return cases, nil
}

// Write writes the detections of one pair of documents as a PAN file.
func Write(w io.Writer, suspect, source string, detected []Case) error {
	var b strings.Builder
	fmt.Fprintf(&b, "<document reference=\"%s\">\n", escape(suspect))
	for _, c := range detected {
		fmt.Fprintf(&b, "<feature name=\"%s\" this_offset=\"%d\" this_length=\"%d\" source_reference=\"%s\" source_offset=\"%d\" source_length=\"%d\"/>\n",
			detectedName, c.Suspect.Start, c.Suspect.length(), escape(source), c.Source.Start, c.Source.length())
	}
	b.WriteString("</document>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func escape(s string) string {
	var b strings.Builder
	// A strings.Builder never fails.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// FileName returns the name of the PAN file of a pair of documents.
func FileName(suspect, source string) string {
	return stem(suspect) + "-" + stem(source) + ".xml"
}

func stem(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// A Pair names two documents that are to be compared.
type Pair struct{ Suspect, Source string }

// ReadPairs returns the pairs in a file with a suspect and a source on each line.
func ReadPairs(name string) ([]Pair, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var pairs []Pair
	for i, line := range strings.Split(string(data), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("read %s: line %d: %d names, want a suspect and a source", name, i+1, len(fields))
		}
		pairs = append(pairs, Pair{fields[0], fields[1]})
	}
	return pairs, nil
}

// Folder scores the detections in one folder against the true passages in another, for the
// pairs listed in the file "pairs" of the latter.
func Folder(truth, detections string) (Tally, error) {
	var t Tally
	pairs, err := ReadPairs(filepath.Join(truth, "pairs"))
	if err != nil {
		return t, err
	}
	for _, p := range pairs {
		name := FileName(p.Suspect, p.Source)
		want, err := ReadFile(filepath.Join(truth, name))
		if err != nil {
			return t, err
		}
		got, err := ReadFile(filepath.Join(detections, name))
		if err != nil {
			return t, err
		}
		t.Add(want, got)
	}
	return t, nil
}
