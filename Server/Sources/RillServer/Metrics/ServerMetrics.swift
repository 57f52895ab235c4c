import Metrics
import NIOConcurrencyHelpers

/// What a server counts. Names and values are bounded: none of them comes from a client.
struct ServerMetrics: Sendable {
    let factory: PrometheusFactory
    let connections: ConnectionGauge
    /// The host's totals when they were last told.
    private let told = NIOLockedValueBox<[String: Int]>([:])

    init(factory: PrometheusFactory) {
        self.factory = factory
        connections = ConnectionGauge(meter: Meter(label: "rill_http_connections", factory: factory))
    }

    /// Counts a request that was answered.
    func answered(method: String, status: Int, after duration: Duration) {
        let dimensions = [("method", Self.methods.contains(method) ? method : "other"), ("status", "\(status)")]
        Counter(label: "rill_http_requests_total", dimensions: dimensions, factory: factory).increment()
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
        Timer(label: "rill_http_request_seconds", factory: factory).recordNanoseconds(nanoseconds)
    }

    /// The metrics as text, with what is there now.
    ///
    /// - Parameters:
    ///   - streamCount: how many streams are published.
    ///   - viewerCount: how many watch them.
    ///   - levels: what else there is at the host now.
    ///   - totals: what the host and the limits have counted since they began.
    func text(streamCount: Int, viewerCount: Int, levels: [String: Int], totals: [String: Int]) -> String {
        Meter(label: "rill_streams", factory: factory).set(streamCount)
        Meter(label: "rill_viewers", factory: factory).set(viewerCount)
        for (name, count) in levels { Meter(label: "rill_\(name)", factory: factory).set(count) }
        if let byteCount = ResidentMemory.byteCount() {
            Meter(label: "process_resident_memory_bytes", factory: factory).set(byteCount)
        }
        add(totals)
        return factory.text
    }

    /// Adds what has grown since the last time: counters of swift-metrics have no other way.
    private func add(_ totals: [String: Int]) {
        let grown = told.withLockedValue { told in
            let grown = totals.mapValues { max(0, $0) }.map { ($0.key, $0.value - (told[$0.key] ?? 0)) }
            told = totals
            return grown
        }
        for (name, count) in grown {
            Counter(label: "rill_\(name)_total", factory: factory).increment(by: max(0, count))
        }
    }

    private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
}

/// How many connections there are.
struct ConnectionGauge: Sendable {
    let meter: Meter

    /// Adds connections, or takes some away.
    func add(_ count: Int) { meter.increment(by: Double(count)) }
}
