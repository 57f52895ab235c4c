package import Foundation

/// The memory of this process, or of another one, in bytes.
package func residentByteCount(of process: pid_t? = nil) throws -> Int {
    let path = "/proc/\(process.map { "\($0)" } ?? "self")/statm"
    let fields = String(decoding: try read(path), as: UTF8.self).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { throw TestFailure("\(path) says nothing") }
    return pages * sysconf(Int32(_SC_PAGESIZE))
}

/// Whether this is a run under the address sanitizer, which keeps freed memory for long: what the process takes says
/// nothing there.
package let isAddressSanitized = unsafe dlsym(nil, "__asan_init") != nil

/// Whether this is a run under either sanitizer: what the process takes is theirs for the most part.
package let isSanitized = unsafe isAddressSanitized || dlsym(nil, "__tsan_init") != nil

/// By how much the process grows between rounds of the same work. Other tests run at the same time: what leaks grows in
/// every round, what they take does not.
package struct GrowthMeter {
    private var before: Int?
    /// The least growth of a round so far, in bytes; `nil` before the second call.
    package private(set) var least: Int?

    package init() {}

    /// Ends a round, and begins the next one.
    package mutating func endRound() throws {
        let now = try residentByteCount()
        if let before { least = min(least ?? .max, now - before) }
        before = now
    }
}
