// RFC 3550 §5.1, and §5.3.1 for the extension:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P|X|  CC   |M|     PT      |       sequence number         |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                           timestamp                           |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |           synchronization source (SSRC) identifier            |
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |            contributing source (CSRC) identifiers             |
//     |                             ....                              |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |      defined by profile       |           length              |  if X is set
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                        header extension                       |
//     |                             ....                              |

/// The header of an RTP packet (RFC 3550 §5.1).
public struct RTPHeader: Equatable, Sendable {
    /// For video: the last packet of a frame.
    public var marker: Bool
    /// Which payload format follows.
    public var payloadType: PayloadType
    /// Counts the packets of this source.
    public var sequenceNumber: SequenceNumber
    /// When the payload was sampled, in ticks of the media clock.
    public var timestamp: RTPTimestamp
    /// The source.
    public var ssrc: SSRC
    /// The sources that a mixer made this packet from.
    public var csrcs: ContributingSources

    public init(
        marker: Bool, payloadType: PayloadType, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, ssrc: SSRC,
        csrcs: ContributingSources = ContributingSources()
    ) {
        self.marker = marker
        self.payloadType = payloadType
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
        self.csrcs = csrcs
    }

    /// Bytes of a header without contributing sources and extension.
    public static let fixedByteCount = 12

    static let version: UInt8 = 2
    static let paddingBit: UInt8 = 0x20
    static let extensionBit: UInt8 = 0x10
    static let markerBit: UInt8 = 0x80
}

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

    public static func == (a: ContributingSources, b: ContributingSources) -> Bool {
        guard a.count == b.count else { return false }
        for index in 0..<a.count where a.sources[index] != b.sources[index] { return false }
        return true
    }
}
