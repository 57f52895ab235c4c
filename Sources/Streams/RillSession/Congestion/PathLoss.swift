import RillCore

/// What a path loses, over some seconds: without what a full queue dropped, which a lower rate ends and FEC does not.
struct PathLoss {
    /// The share of packets, 0 to 1.
    private(set) var share = 0.0
    private var nextTime = MediaTime.zero

    /// The time between two measurements.
    private static let interval = MediaDuration.seconds(1)
    /// How long after a cut losses may still be those of the queue: the estimate's own memory, and a round trip.
    private static let pause = MediaDuration.seconds(3)
    /// The weight of a measurement: a memory of about four seconds.
    private static let weight = 0.25

    /// Notes that the rate was cut because of overload.
    mutating func noteCut(at now: MediaTime) { nextTime = now + PathLoss.pause }

    /// Adds what was lost in the last second, if it is time for that; returns whether it was.
    mutating func update(_ newest: Double, at now: MediaTime) -> Bool {
        guard now >= nextTime else { return false }
        nextTime = now + PathLoss.interval
        share += (newest - share) * PathLoss.weight
        return true
    }

    /// Resets, as on another path.
    mutating func reset() { self = PathLoss() }
}
