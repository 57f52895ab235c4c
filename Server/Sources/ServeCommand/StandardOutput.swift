import Glibc

/// Writes what was printed: a reader of a pipe sees it at once.
func flushOutput() { fflush(nil) }
