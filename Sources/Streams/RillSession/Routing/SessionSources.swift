import RillCore
import RillRTP

/// The SSRCs of a session, of both sides. Ours are drawn at random, and differ from theirs (RFC 3550 §8).
struct SessionSources {
    /// The streams of the remote side's SSRCs, and of our own.
    var theirs = SourceTable()
    var own = SourceTable()
    /// The SSRC of RTCP while no stream is sent.
    private(set) var reporter: SSRC
    /// The SSRC of the remote side's newest report.
    var theirReporter: SSRC?
    var random: SeededGenerator

    init(_ settings: RTPSessionSettings) {
        var random = SeededGenerator(seed: settings.seed)
        let drawn = SSRC(.random(in: .min ... .max, using: &random))
        self.random = random
        reporter = settings.ssrc ?? drawn
    }

    /// The SSRCs of our packets, RTP and RTCP.
    var allOwn: [SSRC] { own.all + [reporter] }

    func isKnown(_ ssrc: SSRC) -> Bool { own.contains(ssrc) || theirs.contains(ssrc) }

    /// Changes the SSRC of RTCP if a stream uses it.
    mutating func avoid(_ ssrc: SSRC) { if ssrc == reporter { reporter = draw() } }

    /// Draws an SSRC that is not in use.
    mutating func draw() -> SSRC {
        while true {
            let ssrc = SSRC(.random(in: .min ... .max, using: &random))
            if ssrc != reporter, !isKnown(ssrc) { return ssrc }
        }
    }
}

/// A map from SSRCs to streams.
///
/// It is queried for every packet. Most packets have the SSRC of the previous one, and a session has few SSRCs, so a
/// binary search in a sorted array costs less than a hash.
struct SourceTable {
    private var sources: [UInt32] = []
    private var places: [StreamPlace] = []
    private var last = 0

    /// The stream of an SSRC.
    subscript(ssrc: SSRC) -> StreamPlace? {
        mutating get {
            if last < sources.count, sources[last] == ssrc.rawValue { return places[last] }
            let index = firstIndex(notBelow: ssrc.rawValue)
            guard index < sources.count, sources[index] == ssrc.rawValue else { return nil }
            last = index
            return places[index]
        }
    }

    /// Whether the SSRC belongs to a stream.
    func contains(_ ssrc: SSRC) -> Bool {
        let index = firstIndex(notBelow: ssrc.rawValue)
        return index < sources.count && sources[index] == ssrc.rawValue
    }

    /// Maps the SSRC to that stream from now on.
    mutating func set(_ ssrc: SSRC, to place: StreamPlace) {
        let index = firstIndex(notBelow: ssrc.rawValue)
        if index < sources.count, sources[index] == ssrc.rawValue {
            places[index] = place
        } else {
            sources.insert(ssrc.rawValue, at: index)
            places.insert(place, at: index)
        }
    }

    /// Removes an SSRC.
    mutating func remove(_ ssrc: SSRC) {
        let index = firstIndex(notBelow: ssrc.rawValue)
        guard index < sources.count, sources[index] == ssrc.rawValue else { return }
        sources.remove(at: index)
        places.remove(at: index)
    }

    /// Removes all SSRCs of that stream.
    mutating func removeAll(of place: StreamPlace) {
        for index in sources.indices.reversed() where places[index] == place {
            sources.remove(at: index)
            places.remove(at: index)
        }
    }

    /// All SSRCs.
    var all: [SSRC] { sources.map { SSRC($0) } }

    /// The number of SSRCs.
    var count: Int { sources.count }

    private func firstIndex(notBelow value: UInt32) -> Int {
        var (low, high) = (0, sources.count)
        while low < high {
            let middle = (low + high) / 2
            if sources[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
