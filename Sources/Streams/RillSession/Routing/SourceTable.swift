import RillRTP

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
