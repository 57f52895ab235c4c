public import RillCore
package import RillRTP

/// Measures the time to the sender and back for one who sends no media (RFC 3611 §4.4 and §4.5): the receiver's reports
/// bear its own time, the sender echoes it.
///
/// The first measurement counts at once, so that the first request that has to be repeated is repeated in time. Each
/// later one moves the estimate by a quarter of the difference: reports come once a second, so a lasting change is
/// followed to nine tenths in eight seconds, and a single report that waited in a queue moves it by a quarter only.
package struct RoundTripMeter: Sendable {
    /// What was measured.
    package private(set) var statistics = RoundTripStatistics()

    /// An echo of what was said longer ago is none.
    static let maximumAge = MediaDuration.seconds(10)
    private static let smoothing: Int64 = 4
    private var lastReference: MediaTime?

    /// Nothing was measured yet.
    package init() {}

    /// The receiver's time at `now`, for a report that is sent then. What it counts from matters to nobody else.
    package mutating func referenceTime(at now: MediaTime) -> NTPTimestamp {
        lastReference = now
        return RoundTripMeter.wallClock(at: now)
    }

    /// Takes an echo that arrived at `now`.
    ///
    /// - Returns: the new estimate; `nil` when the echo answers nothing that was sent of late.
    package mutating func note(_ echo: ReceiverDelay, at now: MediaTime) -> MediaDuration? {
        guard lastReference != nil, let sent = echo.lastReceiverReport else { return nil }
        let arrival = RoundTripMeter.wallClock(at: now)
        let age = MediaDuration(nanoseconds: Int64(arrival.short.distance(since: sent)) * 1_000_000_000 >> 16)
        guard age >= .zero, age <= RoundTripMeter.maximumAge, let time = echo.roundTripTime(at: arrival) else {
            return nil
        }
        return note(MediaDuration(nanoseconds: time.nanoseconds))
    }

    /// Takes a measurement that was made another way: of one who sends media, by the reports on it (RFC 3550 §6.4.1).
    ///
    /// - Returns: the new estimate.
    package mutating func note(_ measured: MediaDuration) -> MediaDuration {
        statistics.totalRoundTripTime += measured
        statistics.roundTripTimeMeasurements += 1
        let estimate = statistics.roundTripTime.map { old in
            old + MediaDuration(nanoseconds: (measured - old).nanoseconds / RoundTripMeter.smoothing)
        }
        statistics.roundTripTime = estimate ?? measured
        return estimate ?? measured
    }

    private static func wallClock(at now: MediaTime) -> NTPTimestamp {
        NTPTimestamp.unixEpoch.advanced(byNanoseconds: now.nanoseconds)
    }
}

/// The round trip as a receiver measures it, under the names of W3C `RTCRemoteOutboundRtpStreamStats`.
public struct RoundTripStatistics: Codable, Equatable, Sendable {
    /// The time to the sender and back, smoothed; `nil` before the first measurement.
    public internal(set) var roundTripTime: MediaDuration?
    /// Sum of all measurements.
    public internal(set) var totalRoundTripTime = MediaDuration.zero
    /// How many measurements there were.
    public internal(set) var roundTripTimeMeasurements = 0

    /// Nothing measured.
    public init() {}
}

extension RoundTripStatistics: CustomStringConvertible {
    /// What is not zero, by name: `roundTripTime 42ms, roundTripTimeMeasurements 12`.
    public var description: String { countedText(self) }
}
