public import RillCore

/// A time in which nothing gets through: a tunnel, a failed handover, an unplugged cable.
///
/// ```swift
/// let once = try Blackout.list(notation: "2s@30s")         // for 2 s, from 30 s on
/// let often = try Blackout.list(notation: "200ms@5s+20s")  // and again every 20 s
/// ```
///
/// The sender does not notice it. The bottleneck (and a wireless hop after it) continues, and what leaves it during
/// the blackout is lost, including what had been queued before. What is still queued at the end gets through, and
/// what had passed the bottleneck before the start arrives. (A link that stops and keeps its queue is a rate of zero:
/// `rate=2M/0@30s/2M@32s`.)
public struct Blackout: Hashable, Sendable {
    /// The duration: above 0, up to 1 000 000 s.
    public var duration: MediaDuration
    /// The start, counted from the clock's zero, up to 1 000 000 s.
    public var start: MediaTime
    /// The time from one start to the next, longer than ``duration``; `nil` for a single blackout.
    public var interval: MediaDuration?

    /// Creates a blackout; ``LinkSettings`` checks the ranges.
    public init(_ duration: MediaDuration, at start: MediaTime, every interval: MediaDuration? = nil) {
        self.duration = duration
        self.start = start
        self.interval = interval
    }

    /// Whether that time is in a blackout; its end is not.
    public func contains(_ time: MediaTime) -> Bool {
        guard time >= start else { return false }
        let since = (time - start).nanoseconds
        return (interval.map { since % $0.nanoseconds } ?? since) < duration.nanoseconds
    }
}

extension Blackout: CustomStringConvertible {
    /// Parses blackouts in the command line's notation: `DURATION@START`, `DURATION@START+INTERVAL`, separated by
    /// `/`.
    ///
    /// - Parameter text: the blackouts.
    /// - Returns: the blackouts in the order of the text.
    /// - Throws: ``LinkError`` if the text is malformed.
    public static func list(notation text: String) throws(LinkError) -> [Blackout] {
        var blackouts: [Blackout] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "@", omittingEmptySubsequences: false)
            guard sides.count == 2 else { throw .malformedValue(.blackout, text) }
            let times = sides[1].split(separator: "+", omittingEmptySubsequences: false)
            guard times.count <= 2 else { throw .malformedValue(.blackout, text) }
            do throws(NotationError) {
                let start = try MediaDuration(notation: times[0])
                let interval = times.count == 2 ? try MediaDuration(notation: times[1]) : nil
                blackouts.append(
                    Blackout(try MediaDuration(notation: sides[0]), at: .zero + start, every: interval))
            } catch {
                throw .invalidValue(.blackout, error)
            }
        }
        return blackouts
    }

    /// The same notation.
    public var description: String {
        "\(duration.notation)@\((start - .zero).notation)" + (interval.map { "+\($0.notation)" } ?? "")
    }
}
