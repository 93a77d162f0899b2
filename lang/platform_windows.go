package lang

import "golang.org/x/sys/windows"

// platform returns the user's preferred display language of Windows, "" if it is
// unknown.
func platform() string {
	names, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil || len(names) == 0 {
		return ""
	}
	return names[0]
}
