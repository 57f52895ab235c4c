import RillCore
import RillRTP

/// What one packet says about its frame.
struct FramePiece {
    /// Extended sequence number.
    var sequence: Int64
    /// Extended timestamp.
    var timestamp: Int64
    /// The frame's position in the stream.
    var label: FrameLabel
    /// The first packet of its frame.
    var startsFrame: Bool
    /// The last packet of its frame.
    var hasMarker: Bool
    /// The frame is a key frame; only known from the packet that starts it.
    var isKey: Bool
    /// Bytes of the frame in the packet.
    var byteCount: Int
    /// When and how it arrived.
    var arrival: MediaTime
    var origin = PacketOrigin.network
    /// The rotation of the picture, if the packet carries one.
    var rotation: Rotation?
    /// The picture size, if the packet carries it: in key frames of a custom codec; otherwise 0.
    var width: UInt16 = 0
    var height: UInt16 = 0
}

/// A frame of which at least one packet has arrived, and which has not left the buffer.
struct PendingFrame: BitwiseCopyable {
    /// Extended timestamp, the same for all its packets.
    let timestamp: Int64
    /// The lowest and highest sequence number seen of it.
    private(set) var first: Int64
    private(set) var last: Int64
    /// `first` is its actual first packet.
    private(set) var hasStart: Bool
    /// `last` is its actual last packet.
    private(set) var hasEnd: Bool
    /// Packets (including padding between them) and bytes that have arrived.
    private(set) var packetCount = 1
    private(set) var byteCount: Int
    /// Its position in the stream (the same in all packets, unless damaged; then the first packet wins).
    private(set) var label: FrameLabel
    /// Decodable without any other frame; only set once its first packet has arrived.
    private(set) var isKey: Bool
    /// The picture size, if its packets carry it; otherwise 0.
    private(set) var width: UInt16
    private(set) var height: UInt16
    /// The rotation of the picture, if a packet has carried one.
    private(set) var rotation: Rotation?
    /// When the first packet arrived, and the last one.
    let arrival: MediaTime
    private(set) var newestArrival: MediaTime
    /// A packet of it was retransmitted or recovered by FEC.
    private(set) var isRepaired: Bool
    /// When its last missing packet arrived, and when to release it; both `nil` while a packet is missing.
    private(set) var assembly: MediaTime?
    private(set) var playout: MediaTime?
    /// The array that its bytes start in, as far as its packets arrived in order.
    private(set) var array: FrameMemory.Place?

    /// The range of its packets.
    @inline(__always)
    var extent: FrameExtent { FrameExtent(first: first, last: last, byteCount: byteCount, array: array) }

    /// Creates a frame from its first packet to arrive.
    init(_ piece: FramePiece) {
        timestamp = piece.timestamp
        first = piece.sequence
        last = piece.sequence
        hasStart = piece.startsFrame
        hasEnd = piece.hasMarker
        byteCount = piece.byteCount
        label = piece.label
        isKey = piece.isKey
        (width, height) = (piece.width, piece.height)
        rotation = piece.rotation
        arrival = piece.arrival
        newestArrival = piece.arrival
        isRepaired = piece.origin != .network
    }

    /// Fills free slots of a queue.
    static let placeholder = PendingFrame(
        FramePiece(
            sequence: 0, timestamp: 0, label: FrameLabel(), startsFrame: false, hasMarker: false, isKey: false,
            byteCount: 0,
            arrival: .zero))

    /// Adds a packet that belongs to the frame, and the padding between it and the others.
    mutating func add(_ piece: FramePiece, _ packets: inout PacketBuffer) {
        packetCount += 1
        if piece.sequence > last {
            packetCount += packets.paddingCount(from: last + 1, to: piece.sequence)
            last = piece.sequence
        } else if piece.sequence < first {
            packetCount += packets.paddingCount(from: piece.sequence + 1, to: first)
            first = piece.sequence
        }
        byteCount += piece.byteCount
        newestArrival = piece.arrival
        if piece.origin != .network { isRepaired = true }
        rotation = piece.rotation ?? rotation
        if piece.hasMarker { hasEnd = true }
        if piece.startsFrame {
            hasStart = true
            isKey = piece.isKey
            (width, height) = (piece.width, piece.height)
            label = piece.label
        }
    }

    /// Finds the references again, from a group of pictures received after the frame.
    mutating func refer(by groups: inout GroupsOfPictures) {
        label.refer(by: &groups)
    }

    /// Whether packet `sequence`, which does not start a frame, directly follows the last packet and may belong to
    /// the frame.
    @inline(__always)
    func continues(with sequence: Int64, _ timestamp: Int64) -> Bool {
        sequence == last &+ 1 && timestamp == self.timestamp && !hasEnd
    }

    /// Adds the packet directly after the last one.
    @inline(__always)
    mutating func extend(byteCount: Int, hasMarker: Bool, at arrival: MediaTime) {
        packetCount += 1
        last += 1
        self.byteCount += byteCount
        newestArrival = arrival
        if hasMarker { hasEnd = true }
    }

    /// Notes the rotation of the picture, if a packet carried one.
    mutating func turn(_ told: Rotation?) {
        rotation = told ?? rotation
    }

    /// Notes the array that its first packet's bytes are in.
    mutating func begin(in array: FrameMemory.Place?) {
        self.array = array
    }

    /// Notes a padding packet between the first and the last.
    mutating func addPadding() {
        packetCount += 1
    }

    /// Ends the frame at `last`, even without the marker bit, because the next packet starts another frame.
    mutating func closeAtLast() {
        hasEnd = true
    }

    /// Every packet has arrived, but the frame was not marked as complete yet.
    var isNewlyWhole: Bool {
        hasStart && hasEnd && assembly == nil && Int64(packetCount) == last - first + 1
    }

    /// Every packet has arrived.
    var isComplete: Bool { assembly != nil }

    /// Sets when the frame became complete, and when to release it.
    mutating func complete(at now: MediaTime, playout: MediaTime) {
        assembly = now
        self.playout = playout
    }

    /// Delays the release of a complete frame to `time`, if it is earlier.
    mutating func postpone(until time: MediaTime) {
        playout = playout.map { max($0, time) }
    }
}
