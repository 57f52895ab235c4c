/// The pictures of a track and the entries at which a decoder can start, derived from its packets alone.
///
/// A picture's number is its rank among the timestamps of the shown packets. This only works if every shown packet
/// has its own timestamp.
struct FrameIndex: Equatable, Sendable {
    /// The pictures' timestamps in ticks of the track, in ascending order; empty if they are not reliable.
    private(set) var timestamps: [Int64] = []
    /// The entries where decoding can start, in order; the first is the start of the file.
    private(set) var entries = [Entry(frame: 0, packet: 0)]
    /// Why the timestamps are not reliable.
    private(set) var inexactness: Inexactness?

    /// A packet that does not depend on earlier ones, and after which no packet does.
    struct Entry: Equatable, Sendable {
        /// The number of its picture.
        var frame: Int
        /// Its number among the packets of the track.
        var packet: Int
    }

    /// Why pictures can only be identified by counting them while decoding.
    enum Inexactness: Equatable, Sendable {
        case missingTimestamp(packet: Int)
        case equalTimestamps(Int64)
        case tooManyPackets(limit: Int)
    }

    /// The properties of a packet for the index.
    struct Packet: Equatable, Sendable {
        /// The timestamp of its picture, if any.
        var stamp: Int64?
        /// Whether it yields a shown picture: it is neither hidden nor cut away by an edit list.
        var isShown = true
        /// Whether a decoder can start here, judged by its content.
        var isClean = false
    }

    /// Creates the index of a track from its packets, in file order.
    init(_ packets: [Packet]) {
        let shown = packets.filter(\.isShown)
        if let index = packets.firstIndex(where: { $0.isShown && $0.stamp == nil }) {
            inexactness = .missingTimestamp(packet: index)
            return
        }
        let sorted = shown.compactMap(\.stamp).sorted()
        if let pair = zip(sorted, sorted.dropFirst()).first(where: { $0 == $1 }) {
            inexactness = .equalTimestamps(pair.0)
            return
        }
        timestamps = sorted
        entries = Self.entries(of: packets, sorted)
    }

    /// Creates the index of a track with too many packets.
    init(limit: Int) {
        inexactness = .tooManyPackets(limit: limit)
    }

    /// Returns the entries: clean packets before which all pictures are shown earlier, and after which all are shown
    /// later. Then no earlier picture can still be waiting in the decoder, and no later one can depend on an earlier
    /// one.
    private static func entries(of packets: [Packet], _ timestamps: [Int64]) -> [Entry] {
        var earliest = [Int64](repeating: .max, count: packets.count + 1)
        for index in packets.indices.reversed() {
            earliest[index] = min(earliest[index + 1], packets[index].stamp ?? .max)
        }
        var entries = [Entry(frame: 0, packet: 0)]
        var latest = Int64.min
        var shownBefore = 0
        for (index, packet) in packets.enumerated() {
            if shownBefore > 0, packet.isClean, packet.isShown, let stamp = packet.stamp, latest < stamp,
                stamp < earliest[index + 1]
            {
                entries.append(Entry(frame: shownBefore, packet: index))
            }
            latest = max(latest, packet.stamp ?? .min)
            shownBefore += packet.isShown ? 1 : 0
        }
        return entries
    }

    /// Returns the last entry from which `frame` can be reached.
    func entry(for frame: Int) -> Entry {
        // The first entry is at or before every frame.
        var (low, high) = (0, entries.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].frame <= frame { low = middle } else { high = middle }
        }
        return entries[low]
    }
}
