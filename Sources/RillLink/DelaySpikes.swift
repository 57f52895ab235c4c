public import RillCore

/// Delay that jumps up now and then, and drains: at random moments the way stops for a while, and then lets through at once
/// all that came in the meantime. So the first is late by the whole height, each one after it by so much less as it was
/// sent later.
///
///     let spikes = try DelaySpikes(notation: "250ms/33s")  // 250 ms high, every 33 s on average
///
/// That is the shape that Bolot (SIGCOMM 1993) and Ramjee et al. (INFOCOM 1994) saw on the Internet, and that a radio
/// makes when it goes off its channel to scan: Huitema, "The weird case of the wifi latency spikes" (2023), counts 18
/// spikes above 100 ms in 10 minutes, 12 of them above 200 ms; access points that scan stay away some 100 ms every
/// 2 minutes. Nothing is lost in a spike: for that there are ``LinkSettings/blackouts``.
public struct DelaySpikes: Hashable, Sendable {
    /// By how much the delay rises, 0 to 60 s.
    public var height: MediaDuration
    /// The mean time from one beginning to the next, 10 ms to 1 000 000 s. They have no memory: the times follow the
    /// exponential distribution, and where one begins in another, the later end counts.
    public var interval: MediaDuration

    /// Spikes of that height and mean interval; their ranges are looked at by ``LinkSettings``.
    public init(height: MediaDuration, interval: MediaDuration) {
        self.height = height
        self.interval = interval
    }

    static let intervalRange = MediaDuration.milliseconds(10)...LinkSettings.longestTime
}

/// Where in the spikes a link is.
struct DelaySpikeProcess {
    private let spikes: DelaySpikes
    private var generator: SeededGenerator
    /// When the last spike has drained, and when the next begins; the first is counted from the clock's zero.
    private var end = MediaTime(nanoseconds: .min)
    private var next = MediaTime.zero

    init?(_ spikes: DelaySpikes?, _ generator: SeededGenerator) {
        guard let spikes else { return nil }
        self.spikes = spikes
        self.generator = generator
        next += interval()
    }

    /// When a datagram that comes at `time`, which never goes back, gets on.
    mutating func pass(at time: MediaTime) -> MediaTime {
        // A silence of a thousand intervals is not played through: what has no memory can begin anew.
        if time - next > spikes.interval * 1000 { next = time + interval() }
        while next <= time {
            end = next + spikes.height
            next += interval()
        }
        return max(time, end)
    }

    private mutating func interval() -> MediaDuration { spikes.interval.scaled(byExponential: &generator) }
}

extension MediaDuration {
    /// This length times a number from the exponential distribution of mean one.
    ///
    /// By von Neumann's comparisons ("Various techniques used in connection with random digits", 1951): a run of falling
    /// uniform numbers that begins with x is of odd length with probability e^-x; where it is even, one is added and a new
    /// run begun. No logarithm, so the same on every machine; four to five numbers of the generator.
    func scaled(byExponential generator: inout SeededGenerator) -> MediaDuration {
        var whole: Int128 = 0
        while true {
            let first = generator.next() >> 32
            var last = first
            var isOdd = true
            while true {
                let number = generator.next() >> 32
                guard number < last else { break }
                last = number
                isOdd.toggle()
            }
            if isOdd {
                return MediaDuration(nanoseconds: Int64((Int128(nanoseconds) * (whole << 32 + Int128(first))) >> 32))
            }
            whole += 1
        }
    }
}

extension DelaySpikes: CustomStringConvertible {
    /// `HEIGHT/INTERVAL`, as the command line writes it.
    public init(notation text: String) throws(LinkError) {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { throw .malformedValue(.spikes, text) }
        do {
            height = try MediaDuration(notation: sides[0])
            interval = try MediaDuration(notation: sides[1])
        } catch {
            throw .invalidValue(.spikes, error)
        }
    }

    /// The same grammar.
    public var description: String { "\(height.notation)/\(interval.notation)" }
}
