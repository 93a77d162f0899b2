package lang

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"strings"
	"sync"
)

// The help of the commands is in help/TAG.txt, with a section for each command. The usages of
// flags are in the source files, and only their translations are here:
//
//	== corpus near
//	The line for lists of commands.
//
//	The help, in one or more paragraphs.
//	-- by
//	The usage of the flag --by, on one line, with its value in `backquotes`.
//
// The section "flags" has the flags that several commands share; the section of a command
// overrides it.
//
//go:embed help/*.txt
var helpFiles embed.FS

// sharedHelp is the name of the section with the flags that several commands share.
const sharedHelp = "flags"

// CommandHelp is the help of one command in one language.
type CommandHelp struct {
	Short string            // one line
	Long  string            // paragraphs
	Flags map[string]string // usage by flag
}

// helps are the texts of each language by command. A language is parsed when it is needed.
var helps = func() map[string]func() map[string]CommandHelp {
	all := map[string]func() map[string]CommandHelp{}
	for _, tag := range Tags() {
		all[tag] = sync.OnceValue(func() map[string]CommandHelp {
			text, err := helpFiles.ReadFile("help/" + tag + ".txt")
			if err != nil {
				panic(err) // cannot occur: the files are embedded
			}
			sections, err := parseHelp(string(text))
			if err != nil {
				panic(err) // cannot occur: a test parses the files
			}
			return sections
		})
	}
	return all
}()

// parseHelp parses a file of help and returns its sections by command.
func parseHelp(text string) (map[string]CommandHelp, error) {
	all := map[string]CommandHelp{}
	for _, section := range strings.Split("\n"+text, "\n== ")[1:] {
		name, rest, _ := strings.Cut(section, "\n")
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("command %q appears twice", name)
		}
		parts := strings.Split("\n"+rest, "\n-- ")
		h := CommandHelp{Flags: map[string]string{}}
		h.Short, h.Long, _ = strings.Cut(strings.TrimSpace(parts[0]), "\n")
		h.Long = strings.TrimSpace(h.Long)
		for _, part := range parts[1:] {
			flag, usage, _ := strings.Cut(part, "\n")
			if _, twice := h.Flags[flag]; twice {
				return nil, fmt.Errorf("command %q: flag %q appears twice", name, flag)
			}
			h.Flags[flag] = strings.TrimSpace(usage)
		}
		all[name] = h
	}
	return all, nil
}

// Help returns the help of the command with this path below the program, such as "corpus near";
// "" is the program. Flags includes the flags that several commands share; it is empty in English.
// ok is false for a command without a section.
func (p *Printer) Help(command string) (help CommandHelp, ok bool) {
	all := helps[p.tag]()
	h, ok := all[cmp.Or(command, "otisk")]
	if !ok {
		return CommandHelp{}, false
	}
	flags := map[string]string{}
	for _, section := range []CommandHelp{all[sharedHelp], h} {
		maps.Copy(flags, section.Flags)
	}
	h.Flags = flags
	return h, true
}
