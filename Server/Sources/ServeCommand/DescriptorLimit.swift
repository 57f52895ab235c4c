import Glibc

/// How many files and sockets this process may have open.
///
/// A server that accepts a connection with none left fails at once and tries again, with a whole core. So connections
/// are fewer.
enum DescriptorLimit {
    /// What is left for sockets of media, files and the runtime.
    static let reserve = 64

    /// Raises the limit as far as the system allows it.
    ///
    /// - Returns: the limit.
    static func raise() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // The kernel may have refused.
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(min(limit.rlim_cur, 1 << 20))
    }

    /// How many of the connections that were asked for can be had.
    static func connectionCount(atMost count: Int) -> Int { min(count, max(1, raise() - reserve)) }
}
