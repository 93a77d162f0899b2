package novels

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/otisk/otisk/bench/plant"
	"github.com/otisk/otisk/document"
)

// Read reads the novels of a folder in order of names: its .txt files or, if there are
// none, its .xml files in the form of ELTeC.
func Read(dir string) ([]*plant.Text, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err == nil && len(names) == 0 {
		names, err = filepath.Glob(filepath.Join(dir, "*.xml"))
	}
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("read novels: no .txt or .xml file in %s", dir)
	}
	var novels []*plant.Text
	for _, name := range names {
		body, err := read(name)
		if err != nil {
			return nil, fmt.Errorf("read novel: %w", err)
		}
		novels = append(novels, plant.Parse(filepath.Base(name), body))
	}
	return novels, nil
}

// read returns the text of one novel.
func read(name string) (string, error) {
	if filepath.Ext(name) == ".xml" {
		doc, err := document.Open(context.Background(), name, document.Options{})
		if err != nil {
			return "", err
		}
		return doc.Text, nil
	}
	body, err := os.ReadFile(name)
	// A checkout on Windows may have other line ends than the corpus.
	return strings.ReplaceAll(string(body), "\r\n", "\n"), err
}

// files returns the corpus by slash-separated path.
func (c *corpus) files() map[string]string {
	files := make(map[string]string)
	for _, s := range c.Sources {
		files["src/"+s.Name] = s.Body
	}
	var all strings.Builder
	for _, f := range c.folders {
		var pairs strings.Builder
		for _, s := range f.suspects {
			files["susp/"+s.name] = s.text
			for _, source := range s.sources {
				fmt.Fprintf(&pairs, "%s %s\n", s.name, source.Name)
				files[f.name+"/"+pairName(s.name, source.Name)] = s.truth(source)
			}
		}
		files[f.name+"/pairs"] = pairs.String()
		all.WriteString(pairs.String())
	}
	files["pairs"] = all.String()
	return files
}

func pairName(suspect, source string) string {
	return strings.TrimSuffix(suspect, ".txt") + "-" + strings.TrimSuffix(source, ".txt") + ".xml"
}

// truth returns the XML of one pair. The names in it need no escaping.
func (s *suspect) truth(source *plant.Text) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<document reference=%q>\n", s.name)
	for _, p := range s.places {
		if p.Origin.Source != source {
			continue
		}
		this, length := plant.CodePoints(s.text, p.Start, p.End)
		from, size := plant.CodePoints(source.Body, p.Origin.Start, p.Origin.End)
		fmt.Fprintf(&b, "<feature name=\"plagiarism\" source_length=\"%d\" source_offset=\"%d\" source_reference=%q this_length=\"%d\" this_offset=\"%d\" type=\"artificial\" />\n",
			size, from, source.Name, length, this)
	}
	b.WriteString("</document>\n")
	return b.String()
}

// write writes files into a folder that is new or empty.
func write(dir string, files map[string]string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("write corpus: %s is not empty", dir)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("write corpus: %w", err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
			return fmt.Errorf("write corpus: %w", err)
		}
	}
	return nil
}
