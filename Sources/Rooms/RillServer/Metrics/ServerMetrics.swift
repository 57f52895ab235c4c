#if Server
import FoundationEssentials
import Glibc
import NIOConcurrencyHelpers

/// What a server counts, as Prometheus reads it (its text format, version 0.0.4). Names and values are bounded: none of
/// them comes from a client.
///
/// May be used from any thread.
final class ServerMetrics: Sendable {
    private struct Counts {
        var connections = 0
        /// By the labels of method and status.
        var requests: [String: Int] = [:]
        var seconds = 0.0
        /// How many requests took at most each of ``bounds``.
        var buckets = [Int](repeating: 0, count: bounds.count)
    }

    private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    /// The upper bounds of the histogram's buckets, in seconds.
    private static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let counts = NIOLockedValueBox(Counts())

    /// Counts connections, or with a negative number those that are closed.
    func addConnections(_ count: Int) { counts.withLockedValue { $0.connections += count } }

    /// Counts a request that was answered.
    func answered(method: String, status: Int, after duration: Duration) {
        let labels = "{method=\"\(Self.methods.contains(method) ? method : "other")\",status=\"\(status)\"}"
        let seconds = duration / .seconds(1)
        counts.withLockedValue { counts in
            counts.requests[labels, default: 0] += 1
            counts.seconds += seconds
            for (index, bound) in Self.bounds.enumerated() where seconds <= bound { counts.buckets[index] += 1 }
        }
    }

    /// All metrics, sorted by name.
    ///
    /// - Parameters:
    ///   - levels: what there is now, by names without `rill_`.
    ///   - totals: what was counted since the start, by names without `rill_` and `_total`.
    func text(levels: [String: Int], totals: [String: Int]) -> String {
        let counts = counts.withLockedValue { $0 }
        var metrics: [String: String] = [:]
        func add(_ name: String, _ type: String, _ values: some Sequence<(suffix: String, value: String)>) {
            metrics[name] = "# TYPE \(name) \(type)\n" + values.map { "\(name)\($0.suffix) \($0.value)\n" }.joined()
        }
        for (name, level) in levels { add("rill_\(name)", "gauge", [("", "\(level)")]) }
        for (name, total) in totals { add("rill_\(name)_total", "counter", [("", "\(total)")]) }
        add("rill_http_connections", "gauge", [("", "\(counts.connections)")])
        add(
            "rill_http_requests_total", "counter",
            counts.requests.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") })
        let count = "\(counts.requests.values.reduce(0, +))"
        add(
            "rill_http_request_seconds", "histogram",
            zip(Self.bounds, counts.buckets).map { ("_bucket{le=\"\($0)\"}", "\($1)") }
                + [("_bucket{le=\"+Inf\"}", count), ("_sum", "\(counts.seconds)"), ("_count", count)])
        if let memory = Self.residentMemory() { add("process_resident_memory_bytes", "gauge", [("", "\(memory)")]) }
        return metrics.sorted { $0.key < $1.key }.map(\.value).joined()
    }

    /// What this process takes of the machine's memory, in bytes; `nil` where the system does not say.
    private static func residentMemory() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
#endif
