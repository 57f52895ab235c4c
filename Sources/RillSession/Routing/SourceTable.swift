import RillRTP

/// Which stream a source belongs to.
///
/// Asked for every packet. Most come from the source of the one before, and a session has few sources, so that a search among
/// sorted numbers costs less than a hash.
struct SourceTable {
    private var sources: [UInt32] = []
    private var places: [StreamPlace] = []
    private var last = 0

    /// The stream of a source.
    subscript(ssrc: SSRC) -> StreamPlace? {
        mutating get {
            if last < sources.count, sources[last] == ssrc.rawValue { return places[last] }
            let index = firstIndex(notBelow: ssrc.rawValue)
            guard index < sources.count, sources[index] == ssrc.rawValue else { return nil }
            last = index
            return places[index]
        }
    }

    /// Whether the source is that of a stream.
    func contains(_ ssrc: SSRC) -> Bool {
        let index = firstIndex(notBelow: ssrc.rawValue)
        return index < sources.count && sources[index] == ssrc.rawValue
    }

    /// The source leads to that stream from now on.
    mutating func set(_ ssrc: SSRC, to place: StreamPlace) {
        let index = firstIndex(notBelow: ssrc.rawValue)
        if index < sources.count, sources[index] == ssrc.rawValue {
            places[index] = place
        } else {
            sources.insert(ssrc.rawValue, at: index)
            places.insert(place, at: index)
        }
    }

    /// The source leads nowhere any more.
    mutating func remove(_ ssrc: SSRC) {
        let index = firstIndex(notBelow: ssrc.rawValue)
        guard index < sources.count, sources[index] == ssrc.rawValue else { return }
        sources.remove(at: index)
        places.remove(at: index)
    }

    /// Nothing leads to that stream any more.
    mutating func removeAll(of place: StreamPlace) {
        for index in sources.indices.reversed() where places[index] == place {
            sources.remove(at: index)
            places.remove(at: index)
        }
    }

    /// All of them.
    var all: [SSRC] { sources.map { SSRC($0) } }

    /// How many sources there are.
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
