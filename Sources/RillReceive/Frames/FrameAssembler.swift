import RillCore
import RillRTP

/// Sorts packets into frames and says which frames have become whole.
///
/// A frame reaches from the packet that starts it (S bit, partition 0) to the one with the marker; where a sender sets
/// no marker, to the one before the next start. Its packets bear one timestamp and lie side by side; packets of padding
/// may lie between them. The frames are kept in decode order, which is the order of their sequence numbers; timestamps
/// need not grow.
struct FrameAssembler: ~Copyable, Sendable {
    /// The frames of which a packet has come and which have not left.
    private(set) var frames: FrameQueue
    /// Key frames among them that are whole.
    private var wholeKeyCount = 0

    /// An assembler for what a ring of `packetCapacity` packets can hold: each frame has one at least.
    init(packetCapacity: Int) {
        frames = FrameQueue(capacity: packetCapacity)
    }

    /// Puts a packet that is no duplicate where it belongs.
    ///
    /// - Returns: the index of its frame; `nil` if it contradicts its neighbours.
    mutating func place(_ piece: FramePiece, _ packets: inout PacketBuffer) -> Int? {
        let index = lastFrame(from: piece.sequence)
        if index >= 0 {
            if accepts(frames[index], after: piece) {
                frames[index].add(piece, &packets)
                return index
            }
            guard piece.sequence > frames[index].last else { return nil }
        }
        if index + 1 < frames.count, accepts(frames[index + 1], before: piece) {
            frames[index + 1].add(piece, &packets)
        } else {
            frames.insert(PendingFrame(piece), at: index + 1)
        }
        return index + 1
    }

    /// Whether packet `sequence`, which starts no frame, is the next one of the newest frame, which is not at its end.
    @inline(__always)
    mutating func continuesFrame(with sequence: Int64, _ timestamp: Int64) -> Bool {
        let index = frames.count - 1
        return index >= 0 && frames[index].continuesFrame(with: sequence, timestamp)
    }

    /// Adds the packet with which the newest frame goes on, and stores its bytes.
    ///
    /// - Returns: whether the frame has become whole by it.
    @inline(__always)
    mutating func extendNewest(
        by bytes: Span<UInt8>, hasMarker: Bool, at arrival: MediaTime, _ packets: inout PacketBuffer
    ) -> Bool {
        let index = frames.count - 1
        packets.store(bytes, as: frames[index].last + 1, behind: frames[index].extent)
        frames[index].extend(byteCount: bytes.count, hasMarker: hasMarker, at: arrival)
        return hasMarker && frames[index].isNewlyWhole
    }

    /// Notes how far the newest frame's picture has to be turned, if a packet of it has said so.
    mutating func turnNewest(_ rotation: Rotation?) {
        frames[frames.count - 1].turn(rotation)
    }

    /// Stores the bytes of a packet that was placed in the frame at `index`.
    mutating func store(_ bytes: Span<UInt8>, of piece: FramePiece, at index: Int, _ packets: inout PacketBuffer) {
        if piece.startsFrame, frames[index].packetCount == 1 {
            frames[index].begin(in: packets.storeFirst(bytes, as: piece.sequence))
        } else {
            packets.store(bytes, as: piece.sequence)
        }
    }

    /// Puts a packet of padding alone where it belongs.
    ///
    /// - Returns: the index of the frame that it lies in or behind; -1 if there is none.
    mutating func placePadding(_ sequence: Int64) -> Int {
        let index = lastFrame(from: sequence)
        if index >= 0, sequence < frames[index].last { frames[index].addPadding() }
        return index
    }

    /// Whether the frame at `index` has just become whole. Ask for the frame that took a packet, and for the one before
    /// it, whose end may show by that packet.
    @inline(__always)
    mutating func isNewlyWhole(_ index: Int, _ packets: inout PacketBuffer) -> Bool {
        guard index >= 0, index < frames.count else { return false }
        let next = index + 1
        if !frames[index].hasEnd, next < frames.count, frames[next].hasStart,
            packets.isPadding(from: frames[index].last + 1, to: frames[next].first)
        {
            frames[index].closeAtLast()
        }
        return frames[index].isNewlyWhole
    }

    /// Notes that the frame at `index` is whole.
    @inline(__always)
    mutating func complete(_ index: Int, at now: MediaTime, playout: MediaTime) {
        frames[index].complete(at: now, playout: playout)
        if frames[index].isKey { wholeKeyCount += 1 }
    }

    /// Has the frame at `index` released no sooner than that, if it is whole.
    mutating func postpone(_ index: Int, until time: MediaTime) {
        frames[index].postpone(until: time)
    }

    /// Tells the frames that wait of a group of pictures that has become known.
    mutating func apply(_ groups: inout GroupsOfPictures) {
        for index in 0..<frames.count { frames[index].refer(by: &groups) }
    }

    /// The first whole key frame.
    var firstWholeKey: Int? {
        guard wholeKeyCount > 0 else { return nil }
        var index = 0
        while !(frames[index].isKey && frames[index].isWhole) { index += 1 }
        return index
    }

    /// Lets the first frame go.
    @inline(__always)
    mutating func removeFirst() -> PendingFrame {
        let frame = frames.removeFirst()
        if frame.isKey && frame.isWhole { wholeKeyCount -= 1 }
        return frame
    }

    /// The last frame that begins at `sequence` or before; -1 if there is none. It is nearly always the newest.
    private func lastFrame(from sequence: Int64) -> Int {
        var index = frames.count - 1
        while index >= 0, frames[index].first > sequence { index -= 1 }
        return index
    }

    /// Whether `piece`, which comes behind the first known packet of `frame`, is a piece of it.
    private func accepts(_ frame: PendingFrame, after piece: FramePiece) -> Bool {
        guard frame.timestamp == piece.timestamp, !piece.startsFrame else { return false }
        return piece.sequence < frame.last ? !piece.hasMarker : !frame.hasEnd
    }

    /// Whether `piece`, which comes before the first known packet of `frame`, is a piece of it.
    private func accepts(_ frame: PendingFrame, before piece: FramePiece) -> Bool {
        frame.timestamp == piece.timestamp && !frame.hasStart && !piece.hasMarker
    }
}
