public import RillCore

/// A time in which nothing gets through: a tunnel, a handover that fails, a cable that is pulled.
///
///     let once = try Blackout.list(notation: "2s@30s")          // for 2 s, from 30 s on
///     let often = try Blackout.list(notation: "200ms@5s+20s")   // and again every 20 s
///
/// Who sends does not know of it: the bottleneck (and a wireless hop behind it) goes on, and what leaves it in the
/// blackout is lost, also what had been waiting since before. What still waits when the blackout is over gets through, and what was past the bottleneck when it
/// began arrives. (A link that stops and keeps what waits is a rate of zero: `rate=2M/0@30s/2M@32s`.)
public struct Blackout: Hashable, Sendable {
    /// How long it lasts: above 0, up to 1 000 000 s.
    public var duration: MediaDuration
    /// When it begins, counted from the clock's zero, up to 1 000 000 s.
    public var start: MediaTime
    /// How long after its beginning it begins again, longer than it lasts; `nil` for once.
    public var interval: MediaDuration?

    /// A blackout; the ranges are looked at by ``LinkSettings``.
    public init(_ duration: MediaDuration, at start: MediaTime, every interval: MediaDuration? = nil) {
        self.duration = duration
        self.start = start
        self.interval = interval
    }

    /// Whether it is dark at that time; the end is not.
    public func contains(_ time: MediaTime) -> Bool {
        guard time >= start else { return false }
        let since = (time - start).nanoseconds
        return (interval.map { since % $0.nanoseconds } ?? since) < duration.nanoseconds
    }
}

extension Blackout: CustomStringConvertible {
    /// Some blackouts as the command line writes them: `DURATION@START`, `DURATION@START+INTERVAL`, with `/` between them.
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

    /// The same grammar.
    public var description: String {
        "\(duration.notation)@\((start - .zero).notation)" + (interval.map { "+\($0.notation)" } ?? "")
    }
}
