package watch

// limitName is what a person can change so that more folders are told of.
const limitName = "fs.inotify.max_user_watches"
