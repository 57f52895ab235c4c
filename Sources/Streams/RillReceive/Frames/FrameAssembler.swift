import RillCore
import RillRTP

/// Sorts packets into frames, and detects complete frames.
///
/// A frame extends from the packet that starts it (S bit, partition 0) to the one with the marker bit; if a sender
/// sets no marker bit, to the one before the next start. Its packets have the same timestamp and are contiguous,
/// except for padding packets between them. Frames are kept in decode order, which is the order of their sequence
/// numbers; timestamps need not increase.
struct FrameAssembler: ~Copyable, Sendable {
    /// The frames of which a packet has arrived and which have not left.
    private(set) var frames: FrameQueue
    /// The number of complete key frames among them.
    private var wholeKeyCount = 0

    /// Creates an assembler for the content of a ring of `packetCapacity` packets: each frame has at least one.
    init(packetCapacity: Int) {
        frames = FrameQueue(capacity: packetCapacity)
    }

    /// Assigns a packet that is not a duplicate to its frame.
    ///
    /// - Returns: the index of its frame; `nil` if it contradicts its neighbors.
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

    /// Whether packet `sequence`, which does not start a frame, continues the newest frame, which has not ended.
    @inline(__always)
    mutating func continues(with sequence: Int64, _ timestamp: Int64) -> Bool {
        let index = frames.count - 1
        return index >= 0 && frames[index].continues(with: sequence, timestamp)
    }

    /// Adds the packet that continues the newest frame, and stores its bytes.
    ///
    /// - Returns: whether it completed the frame.
    @inline(__always)
    mutating func extendNewest(
        by bytes: Span<UInt8>, hasMarker: Bool, at arrival: MediaTime, _ packets: inout PacketBuffer
    ) -> Bool {
        let index = frames.count - 1
        packets.store(bytes, as: frames[index].last + 1, behind: frames[index].extent)
        frames[index].extend(byteCount: bytes.count, hasMarker: hasMarker, at: arrival)
        return hasMarker && frames[index].isNewlyWhole
    }

    /// Notes the rotation of the newest frame's picture, if its packet carries one.
    mutating func rotateNewest(_ rotation: Rotation?) {
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

    /// Assigns a padding-only packet.
    ///
    /// - Returns: the index of the frame that it is in or after; -1 if there is none.
    mutating func placePadding(_ sequence: Int64) -> Int {
        let index = lastFrame(from: sequence)
        if index >= 0, sequence < frames[index].last { frames[index].addPadding() }
        return index
    }

    /// Whether the frame at `index` has just become complete. Check the frame that took a packet, and the one before
    /// it, whose end that packet may reveal.
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

    /// Marks the frame at `index` as complete.
    @inline(__always)
    mutating func complete(_ index: Int, at now: MediaTime, playout: MediaTime) {
        frames[index].complete(at: now, playout: playout)
        if frames[index].isKey { wholeKeyCount += 1 }
    }

    /// Delays the release of the frame at `index`, if it is complete, until `time` at least.
    mutating func postpone(_ index: Int, until time: MediaTime) {
        frames[index].postpone(until: time)
    }

    /// Applies a newly received group of pictures to the waiting frames.
    mutating func apply(_ groups: inout GroupsOfPictures) {
        for index in 0..<frames.count { frames[index].refer(by: &groups) }
    }

    /// The first complete key frame.
    var firstWholeKey: Int? {
        guard wholeKeyCount > 0 else { return nil }
        var index = 0
        while !(frames[index].isKey && frames[index].isComplete) { index += 1 }
        return index
    }

    /// Removes the first frame.
    @inline(__always)
    mutating func removeFirst() -> PendingFrame {
        let frame = frames.removeFirst()
        if frame.isKey && frame.isComplete { wholeKeyCount -= 1 }
        return frame
    }

    /// The last frame that starts at `sequence` or before; -1 if there is none. It is nearly always the newest.
    private func lastFrame(from sequence: Int64) -> Int {
        var index = frames.count - 1
        while index >= 0, frames[index].first > sequence { index -= 1 }
        return index
    }

    /// Whether `piece`, which is after the first known packet of `frame`, belongs to it.
    private func accepts(_ frame: PendingFrame, after piece: FramePiece) -> Bool {
        guard frame.timestamp == piece.timestamp, !piece.startsFrame else { return false }
        return piece.sequence < frame.last ? !piece.hasMarker : !frame.hasEnd
    }

    /// Whether `piece`, which is before the first known packet of `frame`, belongs to it.
    private func accepts(_ frame: PendingFrame, before piece: FramePiece) -> Bool {
        frame.timestamp == piece.timestamp && !frame.hasStart && !piece.hasMarker
    }
}
