/// Holds what a decoder gives against what it was given: each packet makes one picture, and pictures come in the order of
/// their stamps. A decoder that leaves one out, as some do in silence where a stream lacks what it refers to, is found out.
struct AwaitedStamps {
    /// Stamps of packets whose pictures have not come, in order.
    private var stamps: [Int64] = []
    private var hasBegun = false
    /// Not every packet has a stamp: nothing can be said.
    private var isBlind = false

    /// More than any decoder keeps back, all threads together.
    private static let limit = 256

    /// A packet goes in.
    ///
    /// - Returns: `false` where far too many pictures have not come.
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

    /// A picture comes out.
    ///
    /// - Returns: whether it is the one that is due. Packets before the first picture may be without: a stream can begin
    ///   in the middle.
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

    /// Whether all pictures have come.
    var isEmpty: Bool { stamps.isEmpty }
}
