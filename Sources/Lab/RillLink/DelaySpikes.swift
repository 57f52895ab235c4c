public import RillCore

/// Delay that occasionally jumps up, and drains: at random times the path stops for a while, and then delivers at
/// once everything that was sent meanwhile.
///
/// So the first datagram is late by the whole height, and each later one by less, according to its send time.
///
/// ```swift
/// let spikes = try DelaySpikes(notation: "250ms/33s")  // 250 ms high, every 33 s on average
/// ```
///
/// Bolot (SIGCOMM 1993) and Ramjee et al. (INFOCOM 1994) observed this shape on the Internet; a radio also causes it
/// when it leaves its channel to scan. Huitema, "The weird case of the wifi latency spikes" (2023), counts 18 spikes
/// above 100 ms in 10 minutes, 12 of them above 200 ms; scanning access points are away for some 100 ms every 2
/// minutes. Nothing is lost in a spike: for loss use ``LinkSettings/blackouts``.
public struct DelaySpikes: Hashable, Sendable {
    /// The rise of the delay, 0 to 60 s.
    public var height: MediaDuration
    /// The mean time from one start to the next, 10 ms to 1 000 000 s. The process is memoryless: the times are
    /// exponentially distributed, and if one spike starts in another, the later end counts.
    public var interval: MediaDuration

    /// Creates spikes of that height and mean interval; ``LinkSettings`` checks the ranges.
    public init(height: MediaDuration, interval: MediaDuration) {
        self.height = height
        self.interval = interval
    }

    static let intervalRange = MediaDuration.milliseconds(10)...LinkSettings.longestTime
}

/// The state of a link's delay spikes.
struct DelaySpikeProcess {
    private let spikes: DelaySpikes
    private var generator: SeededGenerator
    /// When the last spike has drained, and when the next one starts; the first is counted from the clock's zero.
    private var end = MediaTime(nanoseconds: .min)
    private var next = MediaTime.zero

    init?(_ spikes: DelaySpikes?, _ generator: SeededGenerator) {
        guard let spikes else { return nil }
        self.spikes = spikes
        self.generator = generator
        next += interval()
    }

    /// Returns when a datagram that arrives at `time`, which must not go back, continues.
    mutating func pass(at time: MediaTime) -> MediaTime {
        // A silence of a thousand intervals is skipped: a memoryless process can restart.
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
    /// Returns this duration times a number from the exponential distribution of mean one.
    ///
    /// It uses von Neumann's comparisons ("Various techniques used in connection with random digits", 1951): a run of
    /// falling uniform numbers that starts with x has odd length with probability e^-x; if it is even, one is added
    /// and a new run starts. It needs no logarithm, so it is the same on every machine; it takes four to five random
    /// numbers.
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
    /// Parses `HEIGHT/INTERVAL`, the command line's notation.
    ///
    /// - Parameter text: the spikes.
    /// - Throws: ``LinkError`` if the text is malformed.
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

    /// The same notation.
    public var description: String { "\(height.notation)/\(interval.notation)" }
}
