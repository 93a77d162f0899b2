package pages

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/otisk/otisk/internal/host"
	"github.com/otisk/otisk/lang/phrase"
)

// convertible are the formats that LibreOffice converts as their authors see them.
var convertible = []string{"docx", "odt", "doc", "rtf", "pptx", "odp", "ppt"}

// convertTime is how long a conversion may take.
const convertTime = 3 * time.Minute

// profile is the settings that LibreOffice starts with: no macro runs, nothing that a
// document links to is loaded, and requests to the web end at this machine.
const profile = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetProxyType" oor:op="fuse"><value>1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyName" oor:op="fuse"><value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyPort" oor:op="fuse"><value>9</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyName" oor:op="fuse"><value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyPort" oor:op="fuse"><value>9</value></prop></item>
</oor:items>
`

// Converter returns the path of LibreOffice, or an error that wraps [ErrNoPages] if it is not installed.
func Converter() (string, error) {
	for _, name := range []string{"soffice", "libreoffice"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", phrase.Error("sheets.no-office", "{cause} without LibreOffice, which is not installed", "cause", ErrNoPages)
}

// convert returns a document as a PDF.
func convert(ctx context.Context, data []byte, format string) ([]byte, error) {
	if !slices.Contains(convertible, format) {
		return nil, phrase.Error("sheets.format", "{cause}: format {format}", "cause", ErrNoPages, "format", format)
	}
	program, err := Converter()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "otisk-pages-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	user := filepath.Join(dir, "profile", "user")
	// The program relies on the extension, which may be wrong.
	source := filepath.Join(dir, "document."+format)
	if err := errors.Join(os.MkdirAll(user, 0o700), os.WriteFile(filepath.Join(user, "registrymodifications.xcu"), []byte(profile), 0o600), os.WriteFile(source, data, 0o600)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, convertTime, phrase.Error("sheets.slow", "LibreOffice has not converted it in {time}", "time", convertTime))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-env:UserInstallation=file://"+filepath.ToSlash(filepath.Join(dir, "profile")),
		"--headless", "--norestore", "--convert-to", "pdf", "--outdir", dir, source)
	host.OwnGroup(cmd)
	line, err := host.Run(ctx, cmd)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	made, missing := os.ReadFile(filepath.Join(dir, "document.pdf"))
	if err != nil || missing != nil {
		return nil, phrase.Error("sheets.not-converted", "LibreOffice has not converted it: {cause}{line}", "cause", errors.Join(err, missing), "line", line)
	}
	return made, nil
}
