package main

import (
	"errors"
	"os"

	"github.com/spf13/pflag"

	"github.com/otisk/otisk/serve/bucket"
)

func bucketFlag(f *pflag.FlagSet, address *string) {
	f.StringVar(address, "bucket", "", "`address` of a bucket in an S3 store with the uploads and reports, such as https://s3.example.org/otisk; the key is in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (default: folders in --data)")
}

// openBucket returns the bucket at address with the key of the environment, nil if there is no address.
func openBucket(address string) (*bucket.Bucket, error) {
	if address == "" {
		return nil, nil
	}
	b, err := bucket.New(bucket.Environment(address, os.Getenv))
	switch {
	case errors.Is(err, bucket.ErrAddress):
		return nil, misuse("usage.bucket")
	case errors.Is(err, bucket.ErrKey):
		return nil, misuse("usage.bucket-key")
	}
	return b, err
}
