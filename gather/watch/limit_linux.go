package watch

// limitName is the system setting that limits the number of watched folders.
const limitName = "fs.inotify.max_user_watches"
