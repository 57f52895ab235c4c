import RillCore
import RillRTP

/// What one packet tells of the frame that it is a piece of.
struct FramePiece {
    /// Extended sequence number.
    var sequence: Int64
    /// Extended timestamp.
    var timestamp: Int64
    /// What it says of the frame's place among the others.
    var label: FrameLabel
    /// The first packet of its frame.
    var startsFrame: Bool
    /// The last packet of its frame.
    var hasMarker: Bool
    /// The frame is a key frame; only known of the packet that starts it.
    var isKey: Bool
    /// Bytes of the frame in it.
    var byteCount: Int
    /// When it came, and how.
    var arrival: MediaTime
    var origin = PacketOrigin.network
    /// How far the picture has to be turned, if the packet says so.
    var rotation: Rotation?
    /// Size of the picture, where the packet says it: a key frame's of an own codec; else 0.
    var width: UInt16 = 0
    var height: UInt16 = 0
}

/// A frame of which at least one packet has come, and which has not left the buffer.
struct PendingFrame: BitwiseCopyable {
    /// Extended timestamp: one frame, one timestamp.
    let timestamp: Int64
    /// The lowest and the highest sequence number that belong to it as far as seen.
    private(set) var first: Int64
    private(set) var last: Int64
    /// `first` is its real first packet.
    private(set) var hasStart: Bool
    /// `last` is its real last packet.
    private(set) var hasEnd: Bool
    /// Packets (padding between them too) and bytes that have come.
    private(set) var packetCount = 1
    private(set) var byteCount: Int
    /// What its packets say of it (they all say the same, unless damaged; then the first packet is right).
    private(set) var label: FrameLabel
    /// Decodable without any other frame; only true once its first packet has come.
    private(set) var isKey: Bool
    /// Size of the picture, where its packets say it; else 0.
    private(set) var width: UInt16
    private(set) var height: UInt16
    /// How far the picture has to be turned, if a packet has said so.
    private(set) var rotation: Rotation?
    /// When the earliest packet came, and the newest.
    let arrival: MediaTime
    private(set) var newestArrival: MediaTime
    /// A packet of it was sent again, or made again from FEC packets.
    private(set) var isRepaired: Bool
    /// When its last missing packet came, and when it is to be released; both `nil` while a packet is missing.
    private(set) var assembly: MediaTime?
    private(set) var playout: MediaTime?
    /// The array that its bytes begin in, as far as its packets came in order.
    private(set) var array: FrameMemory.Place?

    /// Where its packets lie.
    @inline(__always)
    var extent: FrameExtent { FrameExtent(first: first, last: last, byteCount: byteCount, array: array) }

    /// A frame of which `piece` is the first packet to come.
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

    /// What stands in places of a queue that hold no frame.
    static let placeholder = PendingFrame(
        FramePiece(
            sequence: 0, timestamp: 0, label: FrameLabel(VP8PayloadDescriptor(startsPartition: false)),
            startsFrame: false, hasMarker: false, isKey: false, byteCount: 0, arrival: .zero))

    /// Adds a packet that was found to belong here, and the padding that lies between it and the others.
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

    /// Finds the references anew, by a group of pictures that became known after the frame.
    mutating func refer(by groups: inout GroupsOfPictures) {
        label.refer(by: &groups)
    }

    /// Whether packet `sequence`, which starts no frame, comes right behind the last packet and may belong here.
    @inline(__always)
    func continuesFrame(with sequence: Int64, _ timestamp: Int64) -> Bool {
        sequence == last &+ 1 && timestamp == self.timestamp && !hasEnd
    }

    /// Adds the packet right behind the last one.
    @inline(__always)
    mutating func extend(byteCount: Int, hasMarker: Bool, at arrival: MediaTime) {
        packetCount += 1
        last += 1
        self.byteCount += byteCount
        newestArrival = arrival
        if hasMarker { hasEnd = true }
    }

    /// Notes how far the picture has to be turned, if a packet has said so.
    mutating func turn(_ told: Rotation?) {
        rotation = told ?? rotation
    }

    /// Notes which array its first packet's bytes lie in.
    mutating func begin(in array: FrameMemory.Place?) {
        self.array = array
    }

    /// Notes a packet of padding between the first and the last.
    mutating func addPadding() {
        packetCount += 1
    }

    /// The next packet starts another frame, so `last` is this one's end, marker or not.
    mutating func closeAtLast() {
        hasEnd = true
    }

    /// Every packet has come, and it has not been said yet.
    var isNewlyWhole: Bool {
        hasStart && hasEnd && assembly == nil && Int64(packetCount) == last - first + 1
    }

    /// Every packet has come.
    var isWhole: Bool { assembly != nil }

    /// Fixes when the frame became whole and when it is to be released.
    mutating func complete(at now: MediaTime, playout: MediaTime) {
        assembly = now
        self.playout = playout
    }

    /// Moves the release of a frame that is whole to `time`, if it is earlier.
    mutating func postpone(until time: MediaTime) {
        playout = playout.map { max($0, time) }
    }
}
