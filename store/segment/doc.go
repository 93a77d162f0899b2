// Package segment is the embedded index: a [store.Store] in a folder, without a server.
//
// [Create] opens an index for writing, and creates it if there is none. [OpenWriter] opens an
// existing one for writing, [Open] for reading. There is one writer at a time and any number
// of readers, in this process or others. A reader keeps the commit that it opened.
//
// The folder holds
//
//	manifest-00000012   settings and the list of the other files as of commit 12 (manifest.go)
//	documents-00000009  entries of documents that some commits changed (table.go)
//	segment-00000007    n-grams of many documents, sorted by hash (format.go)
//	texts-00000003      original texts, compressed (texts.go)
//	lock                locked by the writer (lock.go)
//	reserve             room for deletions on a full disk (reserve.go)
//	spill-00000011      n-grams that wait for the next commit (spill.go)
//	tmp-manifest        a manifest that is being written
//
// Files never change after they are named in a manifest, except for texts, which grow past
// their committed length. A commit writes and syncs segments, texts and a table of the changed
// documents. It writes a new manifest under a temporary name, syncs and renames it: the rename
// is the commit. Files that a crash leaves behind are in no manifest, and the next writer
// removes them. Merging runs in the background, and is a commit of its own (job.go).
//
// N-grams of a document are indexed under a number that is assigned when they are added, and
// never reused. The tables know which numbers are live. Deleting a document removes its numbers;
// their n-grams are skipped from then on, and dropped when their segment is merged.
//
// # Failed commits
//
// If any step of a commit fails, the pending changes are dropped, and the store refuses every
// change until the index is opened again; reads continue. Before the rename, a failure leaves
// the old generation. If the folder cannot be synced after the rename, the new manifest is
// removed and the removal synced; no other file is removed or truncated before that succeeds,
// because a power failure could bring the manifest back. If it does not succeed, the error says
// that it is unknown which commit counts: the next writer finds either, whole. A merge that
// fails leaves everything as it was, and is tried again after a later commit.
//
// # Locks
//
// A [Store] has three locks. A goroutine that takes more than one takes them in this order:
//
//  1. merging, a channel with room for one token, is held by a merge, and by Optimize, Recreate
//     and Close to keep merges from running.
//  2. gate, a [sync.RWMutex], is held for reading by Add, Delete and SetBases, and for writing
//     by whatever makes a generation: Commit, Recreate, and a merge when it begins and when it
//     installs its result. The merging itself holds no gate.
//  3. mu, a [sync.Mutex], guards the pending changes and the counters. It is held for moments,
//     but for one read of a table.
//
// startMerging is called with the gate closed, against that order; it never waits for merging.
// packWriter.mu comes between gate and mu. The mutexes of Reader, table and recent are taken
// last, and nothing is taken while they are held.
//
// # Versions
//
// The format has the version 1. Later versions of this package read and write it for at least
// two years after a release with a newer one. An index of a version that the package does not
// know is refused with an error wrapping [store.ErrFormat], one from before the first release
// with [ErrOutdated]; nothing in its folder is changed. docs/INDEX-FORMAT.md has the policy and
// the layout of all files, with examples in bytes.
package segment
