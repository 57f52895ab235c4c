public import RillCore

/// How a station of a wireless network gets its turn: it waits for the channel, mostly a moment, sometimes very long, and
/// what has come in the meantime goes out together, in one aggregate.
///
///     let wifi = try WiFiAccess(notation: "2ms/500ms")  // the shortest wait, and the longest
///
/// The wait for the channel follows a Pareto distribution of shape 1 between the two, P(wait > x) ≈ minimum / x: each
/// tenfold wait is ten times as rare. Sui et al., "Characterizing and Improving WiFi Latency in Large-Scale Operational
/// Networks" (MobiSys 2016), measured a median of 3 ms, 20 ms at 90 % and 250 ms at 99 % over 47 000 devices of a campus;
/// `2ms/500ms` gives 4, 19 and 143 ms, and `1ms/100ms`, an evening at home, 2, 9 and 50 ms. What waits while the channel
/// is waited for goes out as one aggregate of up to 64 datagrams, the window of 802.11n's block acknowledgement.
public struct WiFiAccess: Hashable, Sendable {
    /// The shortest wait for the channel, the time in the air included: above 0, up to 60 s.
    public var minimum: MediaDuration
    /// The longest, up to 60 s.
    public var maximum: MediaDuration

    /// Waits between these two; their ranges are looked at by ``LinkSettings``.
    public init(minimum: MediaDuration, maximum: MediaDuration) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// The most datagrams in one aggregate.
    public static let aggregateSize = 64
}

/// A station and what it has to send.
struct WiFiProcess {
    private let access: WiFiAccess
    private var generator: SeededGenerator
    /// When the channel is next the station's, or was, and how many datagrams go out then.
    private var turn = MediaTime(nanoseconds: .min)
    private var count = 0

    init?(_ access: WiFiAccess?, _ generator: SeededGenerator) {
        guard let access else { return nil }
        self.access = access
        self.generator = generator
    }

    /// When a datagram that comes at `time`, which never goes back, is through, if its own wait would be `wait`.
    mutating func pass(at time: MediaTime, wait: MediaDuration) -> MediaTime {
        if turn <= time {
            turn = time + wait
            count = 0
        } else if count == WiFiAccess.aggregateSize {
            // The aggregate is full: the next one waits for the channel once it has gone out.
            turn += wait
            count = 0
        }
        count += 1
        return turn
    }

    /// Draws the wait of a datagram, should it need a turn of its own: the inverse of the distribution, at a number of 32
    /// bits, minimum · maximum / (maximum - u · (maximum - minimum)).
    mutating func draw() -> MediaDuration {
        let (minimum, maximum) = (Int128(access.minimum.nanoseconds), Int128(access.maximum.nanoseconds))
        let number = Int128(generator.next() >> 32)
        return MediaDuration(
            nanoseconds: Int64(((minimum * maximum) << 32) / ((maximum << 32) - number * (maximum - minimum))))
    }
}

extension WiFiAccess: CustomStringConvertible {
    /// `LEAST/MOST`, as the command line writes it.
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

    /// The same grammar.
    public var description: String { "\(minimum.notation)/\(maximum.notation)" }
}
