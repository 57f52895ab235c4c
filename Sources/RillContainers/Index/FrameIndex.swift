/// Which pictures a track has, and at which of them a decoder can begin: known from its packets alone.
///
/// A picture's number is its place among the stamps of the packets that are to be shown, in the order of time. Only where
/// every such packet has a stamp of its own can pictures be told apart like that.
struct FrameIndex: Equatable, Sendable {
    /// The pictures' stamps in ticks of the track, which rise; empty where they cannot be trusted.
    private(set) var stamps: [Int64] = []
    /// Where decoding can begin, in order; the first is the beginning.
    private(set) var entries = [Entry(frame: 0, packet: 0)]
    /// Why the stamps cannot be trusted.
    private(set) var inexactness: Inexactness?

    /// A packet that needs none before it, and leaves none behind it that does.
    struct Entry: Equatable, Sendable {
        /// The number of its picture.
        var frame: Int
        /// Its own number among the packets of the track.
        var packet: Int
    }

    /// Why pictures are only told apart by counting them as they are decoded.
    enum Inexactness: Equatable, Sendable {
        case missingStamp(packet: Int)
        case equalStamps(Int64)
        case tooManyPackets(limit: Int)
    }

    /// What the index wants to know of a packet.
    struct Packet: Equatable, Sendable {
        /// When its picture is shown, if it is said.
        var stamp: Int64?
        /// A picture comes of it that is to be shown: it is not hidden, nor cut away by an edit list.
        var isShown = true
        /// By what stands in it, a decoder can begin here.
        var isClean = false
    }

    /// The index of a track that has these packets, in the order of the file.
    init(_ packets: [Packet]) {
        let shown = packets.filter(\.isShown)
        if let index = packets.firstIndex(where: { $0.isShown && $0.stamp == nil }) {
            inexactness = .missingStamp(packet: index)
            return
        }
        let sorted = shown.compactMap(\.stamp).sorted()
        if let pair = zip(sorted, sorted.dropFirst()).first(where: { $0 == $1 }) {
            inexactness = .equalStamps(pair.0)
            return
        }
        stamps = sorted
        entries = Self.entries(of: packets, sorted)
    }

    /// The index of a track with more packets than are looked at.
    init(limit: Int) {
        inexactness = .tooManyPackets(limit: limit)
    }

    /// A clean packet is an entry where all that came before it is shown before it and all behind it later: then no
    /// picture of before can be waiting in the decoder, and none of after be led by what was before.
    private static func entries(of packets: [Packet], _ stamps: [Int64]) -> [Entry] {
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

    /// The last entry from which `frame` can be reached.
    func entry(for frame: Int) -> Entry {
        // The first is at or before every frame.
        var (low, high) = (0, entries.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].frame <= frame { low = middle } else { high = middle }
        }
        return entries[low]
    }
}
