package main

import (
	"net/url"
	"os"

	"github.com/spf13/pflag"

	"github.com/otisk/otisk/serve/mail"
)

// mailPassword is the environment variable with the password of the user in --smtp.
const mailPassword = "OTISK_SMTP_PASSWORD"

type mailOptions struct{ address, from string }

func (o *mailOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.address, "smtp", "", "`address` of a mail server, such as smtp://otisk@mail.example.org; its password is in "+mailPassword+" (default: no e-mail)")
	f.StringVar(&o.from, "mail-from", "", "`address` of the sender of e-mail, such as otisk@example.org")
}

// server returns the mail server of the flags, nil if there is none. A password in its address would be in the list of processes.
func (o *mailOptions) server() (*mail.Server, error) {
	switch u, err := url.Parse(o.address); {
	case o.address == "" && o.from == "":
		return nil, nil
	case o.address == "":
		return nil, misuse("usage.goes-with", "flag", "--mail-from", "other", "--smtp")
	case o.from == "":
		return nil, misuse("usage.goes-with", "flag", "--smtp", "other", "--mail-from")
	case err == nil && u.User != nil && u.User.String() != url.User(u.User.Username()).String():
		return nil, misuse("usage.smtp-password", "variable", mailPassword)
	}
	s, err := mail.New(o.address, o.from, os.Getenv(mailPassword))
	if err != nil {
		return nil, misuse("usage.want", "what", "--smtp "+o.address+" --mail-from "+o.from, "wanted", "smtp://[USER@]HOST[:PORT], smtps://…, NAME@HOST")
	}
	return s, nil
}
