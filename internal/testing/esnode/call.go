package esnode

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Call sends one request with a JSON body to a server, without retries, and returns the
// answer. A status of 300 or more is an error.
func Call(method, url, body string) (string, error) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode > 299 {
		err = fmt.Errorf("%s: %s", resp.Status, answer)
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", method, url, err)
	}
	return string(answer), nil
}
