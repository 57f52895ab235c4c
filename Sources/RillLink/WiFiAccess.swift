public import RillCore

/// How a station of a wireless network gets its turn: it waits for the channel, mostly a moment, sometimes very long, and
/// what has come in the meantime goes out together, in one aggregate.
///
///     let wifi = try WiFiAccess(notation: "2ms/500ms")  // the shortest wait, and the longest
///
/// The wait for the channel follows a Pareto distribution of shape 1 between the two, P(wait > x) ≈ least / x: each
/// tenfold wait is ten times as rare. Sui et al., "Characterizing and Improving WiFi Latency in Large-Scale Operational
/// Networks" (MobiSys 2016), measured a median of 3 ms, 20 ms at 90 % and 250 ms at 99 % over 47 000 devices of a campus;
/// `2ms/500ms` gives 4, 19 and 143 ms, and `1ms/100ms`, an evening at home, 2, 9 and 50 ms. What waits while the channel
/// is waited for goes out as one aggregate of up to 64 datagrams, the window of 802.11n's block acknowledgement.
public struct WiFiAccess: Hashable, Sendable {
    /// The shortest wait for the channel, the time in the air included: above 0, up to 60 s.
    public var least: MediaDuration
    /// The longest, up to 60 s.
    public var most: MediaDuration

    /// Waits between these two; their ranges are looked at by ``LinkSettings``.
    public init(least: MediaDuration, most: MediaDuration) {
        self.least = least
        self.most = most
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
    /// bits, least · most / (most - u · (most - least)).
    mutating func draw() -> MediaDuration {
        let (least, most) = (Int128(access.least.nanoseconds), Int128(access.most.nanoseconds))
        let number = Int128(generator.next() >> 32)
        return MediaDuration(nanoseconds: Int64(((least * most) << 32) / ((most << 32) - number * (most - least))))
    }
}

extension WiFiAccess: CustomStringConvertible {
    /// `LEAST/MOST`, as the command line writes it.
    public init(notation text: String) throws(LinkError) {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { throw .malformedValue(.wifi, text) }
        do {
            least = try MediaDuration(notation: sides[0])
            most = try MediaDuration(notation: sides[1])
        } catch {
            throw .invalidValue(.wifi, error)
        }
    }

    /// The same grammar.
    public var description: String { "\(least.notation)/\(most.notation)" }
}
