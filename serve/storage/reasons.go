package storage

import (
	"encoding/json"
	"fmt"

	"github.com/otisk/otisk/lang/phrase"
)

// Reason returns the columns reason and message for an error, empty ones for nil.
func Reason(err error) (text, message string) {
	if err == nil {
		return "", ""
	}
	if m := phrase.StoredOf(err); m != nil {
		if data, err := json.Marshal(m); err == nil {
			message = string(data)
		}
	}
	return err.Error(), message
}

// A Message scans a column message.
type Message struct{ To **phrase.Stored }

// Scan implements [database/sql.Scanner].
func (m Message) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("read a message: it is of type %T", value)
	}
	*m.To = nil
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), m.To)
}
