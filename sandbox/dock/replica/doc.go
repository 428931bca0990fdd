// Package replica keeps copies of stores where they outlive the machine: in a
// directory of another disk, or in a bucket of S3 or what is compatible with it.
//
// # What lies there
//
// A copy is a generation: the whole of a store as it stood at one moment between two
// transactions. Generations of one store on one machine make a line, which has a
// random name, so that a machine that begins anew, or a second one with the same
// directories, never writes over what another has copied.
//
//	LINE/chunks/SHA256                     64 KiB of a database, zstd
//	LINE/generations/NUMBER-SECONDS-SUM    what the generation is made of, JSON
//
// Chunks have the names of their contents, so a generation costs what has changed. A
// generation is written after all its chunks, under a name that begins with its number
// and ends with the sum of its text: what a crash leaves behind is no generation, and
// what is not as it was written is found before anything is restored.
//
// # Copying
//
// A [Copier] looks after one store. [Copier.Changed] tells it of a change; it copies
// as soon as the last copy is [Config.Every] ago, and what is left when it is closed.
// Pages are read in one transaction of SQLite, which stops no writer, into a file of
// their own, and leave the machine after it. Several processes copy the same store by
// turns, under a lock. What a killed process has not copied goes with the next copy.
//
// [Restore] goes the other way, and checks everything on it: the sum of the
// generation, of each chunk, of each database, and then the database itself.
//
// Secrets are not copied: variables lie in another store. Old generations are thinned
// out, see [thin].
package replica
