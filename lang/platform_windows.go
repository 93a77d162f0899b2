package lang

import "golang.org/x/sys/windows"

// platform returns the first language that the user wants to see Windows in.
func platform() string {
	names, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil || len(names) == 0 {
		return ""
	}
	return names[0]
}
