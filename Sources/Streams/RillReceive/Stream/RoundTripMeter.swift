public import RillCore
package import RillRTP

/// Measures the round-trip time to the sender for an endpoint that sends no media (RFC 3611 §4.4 and §4.5): the
/// receiver's reports carry its own time, and the sender echoes it.
///
/// The first measurement counts fully, so that the first request that must be repeated is repeated in time. Each
/// later one moves the estimate by a quarter of the difference. Reports arrive once a second, so the estimate follows
/// nine tenths of a lasting change in eight seconds, and a single report that waited in a queue only moves it by a
/// quarter.
package struct RoundTripMeter: Sendable {
    /// The measurements so far.
    package private(set) var statistics = RoundTripStatistics()

    /// Older echoes are ignored.
    static let maximumAge = MediaDuration.seconds(10)
    private static let smoothing: Int64 = 4
    private var lastReference: MediaTime?

    /// Creates a meter without measurements.
    package init() {}

    /// Returns the receiver's reference time at `now`, for a report that is sent then. Its epoch does not matter to
    /// others.
    package mutating func referenceTime(at now: MediaTime) -> NTPTimestamp {
        lastReference = now
        return RoundTripMeter.wallClock(at: now)
    }

    /// Notes an echo that arrived at `now`.
    ///
    /// - Parameters:
    ///   - echo: the echo.
    ///   - now: when it arrived.
    /// - Returns: the new estimate; `nil` if the echo answers no recent report.
    package mutating func note(_ echo: ReceiverDelay, at now: MediaTime) -> MediaDuration? {
        guard lastReference != nil, let sent = echo.lastReceiverReport else { return nil }
        let arrival = RoundTripMeter.wallClock(at: now)
        let age = MediaDuration(nanoseconds: Int64(arrival.short.distance(since: sent)) * 1_000_000_000 >> 16)
        guard age >= .zero, age <= RoundTripMeter.maximumAge, let time = echo.roundTripTime(at: arrival) else {
            return nil
        }
        return note(MediaDuration(nanoseconds: time.nanoseconds))
    }

    /// Notes a measurement from another source: an endpoint that sends media measures by the reports on it (RFC 3550
    /// §6.4.1).
    ///
    /// - Parameter measured: the round-trip time.
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

/// The round-trip time as a receiver measures it, with the names of W3C `RTCRemoteOutboundRtpStreamStats`.
public struct RoundTripStatistics: Codable, Equatable, Sendable {
    /// The round-trip time to the sender, smoothed; `nil` before the first measurement.
    public internal(set) var roundTripTime: MediaDuration?
    /// The sum of all measurements.
    public internal(set) var totalRoundTripTime = MediaDuration.zero
    /// The number of measurements.
    public internal(set) var roundTripTimeMeasurements = 0

    /// Creates statistics without measurements.
    public init() {}
}

extension RoundTripStatistics: CustomStringConvertible {
    /// The non-zero values by name: `roundTripTime 42ms, roundTripTimeMeasurements 12`.
    public var description: String { countedText(self) }
}
