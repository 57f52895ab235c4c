public import RillCore

/// A wireless hop: the station waits for the channel, usually briefly, sometimes very long, and then sends what has
/// arrived meanwhile in one aggregate.
///
/// ```swift
/// let wifi = try WiFiAccess(notation: "2ms/500ms")  // the shortest wait, and the longest
/// ```
///
/// The wait for the channel follows a Pareto distribution of shape 1 between the two, P(wait > x) ≈ minimum / x: a
/// wait ten times as long is ten times as rare. Sui et al., "Characterizing and Improving WiFi Latency in Large-Scale
/// Operational Networks" (MobiSys 2016), measured a median of 3 ms, 20 ms at 90 % and 250 ms at 99 % over 47 000
/// devices of a campus; `2ms/500ms` gives 4, 19 and 143 ms, and `1ms/100ms`, an evening at home, 2, 9 and 50 ms. An
/// aggregate has up to 64 datagrams, the window of 802.11n's block acknowledgement.
public struct WiFiAccess: Hashable, Sendable {
    /// The shortest wait for the channel, including the air time: above 0, up to 60 s.
    public var minimum: MediaDuration
    /// The longest wait, up to 60 s.
    public var maximum: MediaDuration

    /// Creates a hop with waits between these two; ``LinkSettings`` checks the ranges.
    public init(minimum: MediaDuration, maximum: MediaDuration) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// The most datagrams in one aggregate.
    public static let aggregateSize = 64
}

/// The state of a station and its current aggregate.
struct WiFiProcess {
    private let access: WiFiAccess
    private var generator: SeededGenerator
    /// When the station's next or last aggregate is sent, and how many datagrams it has.
    private var turn = MediaTime(nanoseconds: .min)
    private var count = 0

    init?(_ access: WiFiAccess?, _ generator: SeededGenerator) {
        guard let access else { return nil }
        self.access = access
        self.generator = generator
    }

    /// Returns when a datagram that arrives at `time`, which must not go back, has passed; `wait` is its own wait for
    /// the channel.
    mutating func pass(at time: MediaTime, wait: MediaDuration) -> MediaTime {
        if turn <= time {
            turn = time + wait
            count = 0
        } else if count == WiFiAccess.aggregateSize {
            // The aggregate is full: the next one waits for the channel after it is sent.
            turn += wait
            count = 0
        }
        count += 1
        return turn
    }

    /// Draws the wait of a datagram, in case it starts an aggregate: the inverse of the distribution for a number of
    /// 32 bits, minimum · maximum / (maximum - u · (maximum - minimum)).
    mutating func draw() -> MediaDuration {
        let (minimum, maximum) = (Int128(access.minimum.nanoseconds), Int128(access.maximum.nanoseconds))
        let number = Int128(generator.next() >> 32)
        return MediaDuration(
            nanoseconds: Int64(((minimum * maximum) << 32) / ((maximum << 32) - number * (maximum - minimum))))
    }
}

extension WiFiAccess: CustomStringConvertible {
    /// Parses `LEAST/MOST`, the command line's notation.
    ///
    /// - Parameter text: the hop.
    /// - Throws: ``LinkError`` if the text is malformed.
    public init(notation text: String) throws(LinkError) {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { throw .malformedValue(.wifi, text) }
        do {
            minimum = try MediaDuration(notation: sides[0])
            maximum = try MediaDuration(notation: sides[1])
        } catch {
            throw .invalidValue(.wifi, error)
        }
    }

    /// The same notation.
    public var description: String { "\(minimum.notation)/\(maximum.notation)" }
}
