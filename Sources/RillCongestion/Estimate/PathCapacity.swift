/// What a path is taken to carry while feedback is noted.
struct PathCapacity: Sendable {
    /// Whether the capacity is known. Otherwise a rate that the path carries at least stands for it.
    let isKnown: Bool
    /// How long packets take at the capacity.
    let usual: TransmissionTime
    /// How long they take at the highest capacity of the last 20 s.
    private(set) var shortest: TransmissionTime
    /// How long our own packets wait at most, in nanoseconds: where packets bunch the capacity is a guess.
    private(set) var longestWait: Int64

    /// - Parameters:
    ///   - capacity: what the path carries, in bits per second, above 0.
    ///   - isKnown: whether that is known.
    ///   - shortest: the transmission time at the highest known capacity of the last 20 s.
    ///   - isBunching: whether the path bunches packets.
    init(_ capacity: Double, isKnown: Bool, shortest: TransmissionTime = .endless, isBunching: Bool = false) {
        self.isKnown = isKnown
        usual = TransmissionTime(at: capacity)
        self.shortest = shortest.scaled < usual.scaled ? shortest : usual
        longestWait = isBunching ? 50_000_000 : .max
    }

    /// Forgets that the path carried more, and that it bunches.
    mutating func forgetPast() { (shortest, longestWait) = (usual, .max) }
}
