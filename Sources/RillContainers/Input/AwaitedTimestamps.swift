/// Compares a decoder's output with its input: each packet yields one picture, in the order of timestamps. It detects
/// a decoder that silently drops pictures, as some do when references are missing.
struct AwaitedTimestamps {
    /// The timestamps of packets whose pictures have not arrived, in order.
    private var stamps: [Int64] = []
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
            stamps = []
            return true
        }
        let place = stamps.lastIndex { $0 <= stamp }.map { $0 + 1 } ?? 0
        stamps.insert(stamp, at: place)
        return stamps.count <= Self.limit
    }

    /// Records a picture from the decoder.
    ///
    /// - Returns: whether it is the expected one. Packets before the first picture may yield none, since a stream can
    ///   start in the middle.
    mutating func remove(_ stamp: Int64?) -> Bool {
        guard !isBlind else { return true }
        if !hasBegun, let stamp {
            hasBegun = true
            stamps.removeAll { $0 < stamp }
        }
        guard stamp == stamps.first else { return false }
        stamps.removeFirst()
        return true
    }

    /// Whether all pictures have arrived.
    var isEmpty: Bool { stamps.isEmpty }
}
