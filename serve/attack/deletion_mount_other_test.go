//go:build !linux

package attack

import "errors"

func deletionMount(string, int64) error { return errors.ErrUnsupported }

func deletionUnmount(string) {}
