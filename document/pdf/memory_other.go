//go:build !unix

package pdf

import "errors"

func reserve(uint64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unreserve([]byte) error { return nil }
