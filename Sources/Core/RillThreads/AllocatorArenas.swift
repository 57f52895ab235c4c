internal import CThreads

/// The arenas of the C library's allocator: up to eight for each processor, one for each thread that allocates.
package enum AllocatorArenas {
    /// Limits their number from now on, before there are threads. A block that one thread allocates and another frees
    /// leaves a hole in an arena, and a program that runs for days grows by the holes; few arenas fill them again. The
    /// price is that threads which allocate at the same time wait for each other.
    package static func limit(to count: Int) { _ = mallopt(M_ARENA_MAX, CInt(count)) }
}
