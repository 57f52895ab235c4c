/// The capacity that the virtual queue assumes while the outcomes of a feedback are recorded.
struct PathCapacity: Sendable {
    /// Whether the capacity is known. Otherwise a lower bound takes its place.
    let isKnown: Bool
    /// The transmission time of packets at the capacity.
    let usual: TransmissionTime
    /// The transmission time at the highest capacity of the last 20 s.
    private(set) var shortest: TransmissionTime
    /// The longest wait of our own packets, in nanoseconds. On a path that bunches packets the capacity is uncertain,
    /// so the model's wait is limited to 50 ms.
    private(set) var longestWait: Int64

    /// Creates the assumption for one feedback.
    ///
    /// - Parameters:
    ///   - capacity: the capacity in bits per second, above 0.
    ///   - isKnown: whether the capacity is known.
    ///   - shortest: the transmission time at the highest known capacity of the last 20 s.
    ///   - isBunching: whether the path bunches packets.
    init(_ capacity: Double, isKnown: Bool, shortest: TransmissionTime = .endless, isBunching: Bool = false) {
        self.isKnown = isKnown
        usual = TransmissionTime(at: capacity)
        self.shortest = shortest.scaled < usual.scaled ? shortest : usual
        longestWait = isBunching ? 50_000_000 : .max
    }

    /// Forgets the higher capacity of the past, and that the path bunches packets.
    mutating func forgetPast() { (shortest, longestWait) = (usual, .max) }
}
