// Package segment is the embedded index: a [store.Store] in a folder of its
// own, without a server.
//
// [Create] makes one or opens what is there, [OpenWriter] opens one that must
// be there, [Open] opens it for reading only. There is one writer at a time and
// any number of readers, in this process or others; a reader keeps the commit
// that it opened, whatever is committed after.
//
// The folder holds
//
//	catalogue-00000012.db  settings and the list of the other files as of commit 12 (manifest.go)
//	documents-00000009     documents that some commits changed (table.go)
//	segment-00000007       n-grams of many documents, sorted by hash (format.go)
//	texts-00000003         original texts, compressed (texts.go)
//	lock                   locked by the writer (lock.go)
//	reserve                room for deleting on a full disk (reserve.go)
//	spill-00000011         n-grams that wait for the next commit (spill.go)
//	tmp-catalogue          a commit under way
//
// Files never change once they have their name, but for texts, which only grow
// past what is committed. A commit writes and syncs segments, texts and a table
// of the documents that it changes, then a new manifest under a temporary name,
// and renames that: the renaming is the commit. What a crash leaves behind is
// listed by no manifest, and the next writer removes it. Merging goes on in the
// background, and is a commit of its own (job.go).
//
// An n-gram of a document is kept under a number that the document got when it
// was added with that n, and never gets again. The tables know which
// numbers are live. So to delete is to forget a number; its n-grams are skipped
// from then on, and dropped when their segment is merged.
//
// docs/INDEX-FORMAT.md has the layout of all files with an example in bytes.
package segment
