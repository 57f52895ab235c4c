import RillLink

/// The targets of every trace with a queue: the 95th percentile of the wait in milliseconds.
struct TraceTargets: Sendable {
    let queue: QueueLimit
    /// On every trace.
    let wait: Double
    /// In the median of the traces; `nil` if there is no target.
    let medianWait: Double?

    static let all = [
        TraceTargets(queue: .time(.milliseconds(300)), wait: 175, medianWait: 120),
        TraceTargets(queue: .bytes(150_000), wait: 250, medianWait: nil),
    ]
}
