package import Foundation

/// The memory of this process, or of another one, in bytes.
package func residentByteCount(of process: pid_t? = nil) throws -> Int {
    let path = "/proc/\(process.map { "\($0)" } ?? "self")/statm"
    let fields = String(decoding: try read(path), as: UTF8.self).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { throw TestFailure("\(path) says nothing") }
    return pages * sysconf(Int32(_SC_PAGESIZE))
}

/// What a process takes.
package struct ProcessLoad: Equatable, CustomStringConvertible {
    package var threads = 0
    package var descriptors = 0
    /// In bytes.
    package var memory = 0
    /// How long it has used a processor so far, in seconds.
    package var processorSeconds = 0.0

    package init() {}

    /// What it takes at present; this process, without a number.
    package init(of process: pid_t?) throws {
        let folder = "/proc/\(process.map { "\($0)" } ?? "self")"
        threads = try FileManager.default.contentsOfDirectory(atPath: folder + "/task").count
        descriptors = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count
        memory = try residentByteCount(of: process)
        // Behind the name, which may have spaces: proc(5), the fields 14 and 15.
        let text = String(decoding: try read(folder + "/stat"), as: UTF8.self)
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw TestFailure("\(folder)/stat says nothing")
        }
        processorSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Whether it has no more threads and descriptors than then.
    package func isWithin(_ before: ProcessLoad) -> Bool {
        threads <= before.threads && descriptors <= before.descriptors
    }

    /// The lesser one of each.
    package func least(_ other: ProcessLoad) -> ProcessLoad {
        var least = self
        least.threads = min(threads, other.threads)
        least.descriptors = min(descriptors, other.descriptors)
        least.memory = min(memory, other.memory)
        return least
    }

    package var description: String { "\(memory / 1000) kB, \(descriptors) descriptors, \(threads) threads" }
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
