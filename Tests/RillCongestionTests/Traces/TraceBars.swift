import RillLink

/// What every trace must show with a queue: the 95th percentile of the wait in milliseconds.
struct TraceBars: Sendable {
    let queue: QueueLimit
    /// On every trace.
    let wait: Double
    /// In the median of the traces; `nil` if nothing is asked.
    let medianWait: Double?

    static let all = [
        TraceBars(queue: .time(.milliseconds(300)), wait: 175, medianWait: 120),
        TraceBars(queue: .bytes(150_000), wait: 250, medianWait: nil),
    ]
}
