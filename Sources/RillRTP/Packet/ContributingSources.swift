/// The up to fifteen contributing sources of a packet (RFC 3550 §5.1), held inline.
public struct ContributingSources: Equatable, Sendable {
    /// How many there are, 0 to 15.
    public private(set) var count = 0
    private var sources = InlineArray<15, UInt32>(repeating: 0)

    /// The most that the four-bit count allows.
    public static let capacity = 15

    /// No contributing source: what every packet has that no mixer made.
    public init() {}

    /// Adds a source; a sixteenth is the programmer's mistake.
    public mutating func append(_ source: SSRC) {
        precondition(count < ContributingSources.capacity, "an RTP packet has at most 15 contributing sources")
        sources[count] = source.rawValue
        count += 1
    }

    /// The `index`th source, in the order of the packet.
    public subscript(index: Int) -> SSRC {
        precondition(index < count, "source \(index) of \(count)")
        return SSRC(sources[index])
    }

    /// Whether both hold the same sources in the same order.
    public static func == (a: ContributingSources, b: ContributingSources) -> Bool {
        guard a.count == b.count else { return false }
        for index in 0..<a.count where a.sources[index] != b.sources[index] { return false }
        return true
    }
}
