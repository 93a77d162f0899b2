// Package project names the home of the project.
package project

// Home is the address of the repository. It is in documents and packages too: the test of this
// package lists the files that name another one.
const Home = "https://github.com/otisk/otisk"
