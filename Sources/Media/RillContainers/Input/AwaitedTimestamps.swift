/// Compares a decoder's output with its input: each packet yields one picture, in the order of timestamps. It detects
/// a decoder that silently drops pictures, as some do when references are missing.
struct AwaitedTimestamps {
    /// The timestamps of packets whose pictures have not arrived, in order.
    private var timestamps: [Int64] = []
    private var hasBegun = false
    /// Whether a packet had no timestamp, so that nothing can be checked.
    private var isBlind = false

    /// More pictures than any decoder holds back, all threads together.
    private static let limit = 256

    /// Records a packet that goes to the decoder.
    ///
    /// - Returns: `false` if far too many pictures are missing.
    mutating func add(_ stamp: Int64?) -> Bool {
        guard let stamp, !isBlind else {
            isBlind = true
            timestamps = []
            return true
        }
        let place = timestamps.lastIndex { $0 <= stamp }.map { $0 + 1 } ?? 0
        timestamps.insert(stamp, at: place)
        return timestamps.count <= Self.limit
    }

    /// Records a picture from the decoder.
    ///
    /// - Returns: whether it is the expected one. Packets before the first picture may yield none, since a stream can
    ///   start in the middle.
    mutating func remove(_ stamp: Int64?) -> Bool {
        guard !isBlind else { return true }
        if !hasBegun, let stamp {
            hasBegun = true
            timestamps.removeAll { $0 < stamp }
        }
        guard stamp == timestamps.first else { return false }
        timestamps.removeFirst()
        return true
    }

    /// Whether all pictures have arrived.
    var isEmpty: Bool { timestamps.isEmpty }
}
