import RillCore

/// Joins the fragments of UDP datagrams in a capture (RFC 791 §3.2, RFC 8200 §4.5), in whatever order they come.
///
/// It holds at most ``limit`` incomplete datagrams of at most 64 KiB; another one displaces the oldest.
struct FragmentBuffer {
    /// A datagram with its UDP header, as far as it was captured.
    struct Joined: Equatable {
        var bytes: [UInt8]
        /// The bytes that it had.
        var byteCount: Int
        var fragmentCount: Int
    }

    fileprivate struct Incomplete {
        var key: InternetPacket.Fragment.Key
        var bytes: [UInt8] = []
        /// The fragments by their offsets, in ascending order, and how much of each was captured.
        var pieces: [(range: Range<Int>, captured: Int)] = []
        var byteCount: Int?
        var fragmentCount = 0
    }

    private var datagrams: [Incomplete] = []

    /// The number of incomplete datagrams.
    var incompleteCount: Int { datagrams.count }

    /// The most incomplete datagrams.
    static let limit = 64

    /// Inserts a fragment from a captured frame; returns its datagram if that is complete now.
    mutating func insert(_ fragment: InternetPacket.Fragment, of frame: Span<UInt8>) -> Joined? {
        guard fragment.range.upperBound <= Int(UInt16.max) else { return nil }
        let index = index(of: fragment.key)
        datagrams[index].fragmentCount += 1
        datagrams[index].add(fragment, frame.extracting(fragment.payload))
        guard let joined = datagrams[index].joined else { return nil }
        datagrams.remove(at: index)
        return joined
    }

    private mutating func index(of key: InternetPacket.Fragment.Key) -> Int {
        if let index = datagrams.firstIndex(where: { $0.key == key }) { return index }
        if datagrams.count == Self.limit { datagrams.removeFirst() }
        datagrams.append(Incomplete(key: key))
        return datagrams.count - 1
    }
}

extension FragmentBuffer.Incomplete {
    fileprivate mutating func add(_ fragment: InternetPacket.Fragment, _ captured: Span<UInt8>) {
        let (start, end) = (fragment.range.lowerBound, fragment.range.upperBound)
        if fragment.isLast { byteCount = end }
        // One that comes twice, or overlaps another, adds nothing.
        guard !pieces.contains(where: { $0.range.overlaps(fragment.range) }) else { return }
        let place = pieces.firstIndex { $0.range.lowerBound > start } ?? pieces.count
        pieces.insert((fragment.range, captured.count), at: place)
        if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
        for offset in captured.indices { bytes[start + offset] = captured[offset] }
    }

    /// The datagram, if no fragment is missing.
    fileprivate var joined: FragmentBuffer.Joined? {
        guard let byteCount else { return nil }
        var (end, captured) = (0, 0)
        for piece in pieces {
            guard piece.range.lowerBound == end else { return nil }
            if captured == end { captured += piece.captured }
            end = piece.range.upperBound
        }
        guard end == byteCount else { return nil }
        return FragmentBuffer.Joined(
            bytes: Array(bytes[..<captured]), byteCount: byteCount, fragmentCount: fragmentCount)
    }
}
