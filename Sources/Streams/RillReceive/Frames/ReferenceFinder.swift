import RillCore
import RillRTP

/// Finds the frames that a frame refers to, from the fields in its packets, and so whether it can be decoded.
///
/// It tracks the released frames, and is asked about the following ones.
///
/// VP9 lists references: in each packet (flexible mode), or once in a scalability structure (RFC 9628 §4.2). A frame
/// can be decoded if its references were released, whatever else is missing; with a structure, its TL0PICIDX must
/// also follow.
///
/// VP8's wire format lists none (RFC 7741 §4.2), nor does VP9's without either. Then they are inferred
/// conservatively:
///
/// - Without TL0PICIDX and TID a frame refers to the previous frame, skipping those with the N bit. Consecutive
///   sequence numbers or picture IDs show which frame is the previous one.
/// - With them, a frame of temporal layer 0 refers to the one with the previous TL0PICIDX. A frame of a higher layer
///   with the Y bit only refers to the layer 0 frame of its own TL0PICIDX. Without the Y bit it also refers to the
///   last frame of each layer up to its own, and cannot be decoded if one of those may be missing.
struct ReferenceFinder: Sendable {
    /// Whether later frames can refer to the frames released so far.
    enum Chain: Equatable {
        /// Nothing was released yet.
        case notStarted
        case intact
        /// The decoder rejected a frame, or frames had to be dropped: only a key frame helps.
        case lost
    }

    /// The state of a search along the waiting frames: what is between the last released frame and the current one.
    struct Path {
        /// No frame in between is unknown.
        fileprivate(set) var isContiguous = true
        /// The lowest temporal layer of a skipped frame in between; 4 if none was skipped.
        fileprivate(set) var lowestSkippedLayer = ReferenceFinder.layerCount
        fileprivate var last: Link?
    }

    /// What shows whether one frame follows another.
    fileprivate struct Link {
        var lastSequence: Int64
        var timestamp: Int64
        var pictureID: FrameLabel.PictureID?

        init(_ frame: PendingFrame) {
            lastSequence = frame.last
            timestamp = frame.timestamp
            pictureID = frame.label.pictureID
        }
    }

    /// VP8 has temporal layers 0 to 3. VP9's layers 4 to 7 count as the highest.
    static let layerCount = 4

    private(set) var chain = Chain.notStarted
    /// The number of the last released frame; numbering continues across every break.
    private var number: Int64?
    /// Bit `n` is set if the frame `n` before that one was released, no key frame followed since, and others may
    /// refer to it.
    private var released: UInt128 = 0
    private var link: Link?
    /// The last frame that others may refer to, and the last one of each temporal layer.
    private var lastReference: Int64 = 0
    private var lastOfLayer = InlineArray<4, Int64>(repeating: -1)
    private var baseIndex: UInt8?
    /// Frames of this temporal layer and above may lack a reference.
    private var firstBrokenLayer = ReferenceFinder.layerCount
    private var lastKey: Int64 = 0

    /// The timestamp of the last released frame, extended; `nil` if the next frame does not continue from one.
    var lastTimestamp: Int64? { link?.timestamp }

    // MARK: Querying waiting frames

    /// The start of a search along the waiting frames.
    var path: Path { Path(last: link) }

    /// Moves the search to `frame`, the next waiting frame.
    @inline(__always)
    mutating func reach(_ frame: PendingFrame, _ path: inout Path, _ packets: inout PacketBuffer) {
        if let last = path.last {
            path.isContiguous = path.isContiguous && follows(frame, last, &packets)
        } else {
            path.isContiguous = false
        }
        path.last = Link(frame)
    }

    /// Moves the search past `frame`, which is not decoded.
    func skip(_ frame: PendingFrame, _ path: inout Path) {
        guard !frame.label.isDiscardable else { return }
        path.lowestSkippedLayer = min(path.lowestSkippedLayer, frame.label.layerIndex)
    }

    /// Whether the stream can continue without `frame`: nothing refers to it, or only temporal layers above the base
    /// do.
    mutating func canDoWithout(_ frame: PendingFrame) -> Bool {
        guard chain == .intact else { return false }
        if frame.label.references != nil { return frame.label.layerIndex > 0 }
        guard let layer = frame.label.layer, layer.index > 0 else { return frame.label.isDiscardable }
        // If it builds on a base frame other than the last released one, that one is missing.
        return layer.baseIndex == baseIndex
    }

    /// Whether a frame after `frame` may be decodable although the stream needs this one: its references are listed.
    mutating func canLookBehind(_ frame: PendingFrame) -> Bool {
        chain == .intact && frame.label.references != nil
    }

    /// Returns the ticks from `previous`, the waiting frame before `frame`, to it; `nil` if that one is incomplete,
    /// or is not the directly preceding frame.
    @inline(__always)
    mutating func timestampStep(
        to frame: PendingFrame, from previous: PendingFrame, _ packets: inout PacketBuffer
    ) -> Int64? {
        guard previous.isComplete, follows(frame, Link(previous), &packets) else { return nil }
        return frame.timestamp - previous.timestamp
    }

    /// Returns the ticks from the last released frame to `frame`, the first waiting one; `nil` if another is between
    /// them.
    @inline(__always)
    mutating func timestampStep(to frame: PendingFrame, _ packets: inout PacketBuffer) -> Int64? {
        guard let link, follows(frame, link, &packets) else { return nil }
        return frame.timestamp - link.timestamp
    }

    /// Whether `frame`, complete and reached on `path`, can be decoded after what was released.
    @inline(__always)
    mutating func canDecode(_ frame: PendingFrame, _ path: Path) -> Bool {
        if frame.isKey { return true }
        guard chain == .intact else { return false }
        if let references = frame.label.references {
            return areReleased(references, of: frame) && isInStep(frame)
        }
        guard let layer = frame.label.layer, let frameBase = layer.baseIndex else {
            return path.isContiguous && path.lowestSkippedLayer > 0
        }
        if layer.index == 0 {
            return (path.isContiguous && path.lowestSkippedLayer > 0) || frameBase == baseIndex.map { $0 &+ 1 }
        }
        guard frameBase == baseIndex else { return false }
        return layer.isSync || (path.isContiguous && layer.index < min(path.lowestSkippedLayer, firstBrokenLayer))
    }

    // MARK: Noting outcomes

    /// Notes that `frame`, reached on `path`, goes to the decoder.
    ///
    /// - Returns: its number, and the numbers of the frames that it refers to.
    @inline(__always)
    mutating func release(
        _ frame: PendingFrame, _ path: Path
    ) -> (number: Int64, references: FrameReferences) {
        let number = nextNumber(frame, path)
        let layer = frame.label.layerIndex
        remember(number, frame)
        if frame.isKey {
            chain = .intact
            lastKey = number
            firstBrokenLayer = ReferenceFinder.layerCount
            lastOfLayer = InlineArray(repeating: -1)
        } else {
            firstBrokenLayer = min(firstBrokenLayer, path.isContiguous ? path.lowestSkippedLayer : 1)
        }
        let references = frame.isKey ? FrameReferences() : references(of: frame.label, number)
        if frame.label.layer?.isSync == true, firstBrokenLayer == layer { firstBrokenLayer = layer + 1 }
        if !frame.label.isDiscardable {
            lastReference = number
            lastOfLayer[layer] = number
        }
        if layer == 0 { baseIndex = frame.label.layer?.baseIndex }
        self.number = number
        link = Link(frame)
        return (number, references)
    }

    /// Notes that frames were dropped which others need: only a key frame helps.
    mutating func lose() {
        chain = .lost
    }

    /// Notes that the stream restarts: released frames are no longer references, but numbering continues.
    mutating func restart() {
        chain = .notStarted
        released = 0
        link = nil
        baseIndex = nil
    }

    /// Notes that the decoder rejected a released frame.
    mutating func fail(_ frame: EncodedFrame) {
        // A key frame released since then has already repaired it.
        guard frame.number >= lastKey, !frame.isDiscardable else { return }
        if let number, (0..<128).contains(number - frame.number) { released &= ~(1 << UInt128(number - frame.number)) }
        if frame.layer.temporalIndex > 0 {
            firstBrokenLayer = min(firstBrokenLayer, frame.layer.temporalIndex)
        } else {
            lose()
        }
    }

    // MARK: Implementation

    private mutating func references(of label: FrameLabel, _ number: Int64) -> FrameReferences {
        if let named = label.references {
            var references = FrameReferences()
            for index in 0..<named.count where number - Int64(named[index]) >= lastKey {
                references.append(number - Int64(named[index]))
            }
            return references
        }
        guard let layer = label.layer else { return FrameReferences(lastReference) }
        var references = FrameReferences(lastOfLayer[0])
        guard layer.index > 0, !layer.isSync else { return references }
        for index in 1...Int(layer.index) where lastOfLayer[index] >= 0 { references.append(lastOfLayer[index]) }
        return references
    }

    /// Whether the references of `frame` were all released. References before the last key frame are ignored: a group
    /// of pictures that starts there lists them for its first pictures, but a decoder does not need them.
    private mutating func areReleased(_ references: FrameLabel.References, of frame: PendingFrame) -> Bool {
        guard let number, let link, let step = ReferenceFinder.pictureIDStep(from: link, to: frame) else {
            return false
        }
        for index in 0..<references.count where number + step - Int64(references[index]) >= lastKey {
            let age = Int64(references[index]) - step
            guard (0..<128).contains(age), released >> UInt128(age) & 1 == 1 else { return false }
        }
        return true
    }

    /// Whether a frame with a TL0PICIDX follows the last released base frame. If not, a missing key frame may have
    /// restarted the group of pictures that its references come from.
    private mutating func isInStep(_ frame: PendingFrame) -> Bool {
        guard let layer = frame.label.layer, let base = layer.baseIndex else { return true }
        return layer.index == 0 ? base == baseIndex.map { $0 &+ 1 } : base == baseIndex
    }

    /// Notes that the frame of that number is released.
    private mutating func remember(_ next: Int64, _ frame: PendingFrame) {
        let step = next - (number ?? next - 128)
        released = frame.isKey || step >= 128 ? 0 : released << UInt128(step)
        if !frame.label.isDiscardable { released |= 1 }
    }

    /// Whether no frame is between the one that ended with `last` and `frame`.
    @inline(__always)
    private mutating func follows(_ frame: PendingFrame, _ last: Link, _ packets: inout PacketBuffer) -> Bool {
        if frame.hasStart, packets.isPadding(from: last.lastSequence + 1, to: frame.first) { return true }
        return ReferenceFinder.pictureIDStep(from: last, to: frame) == 1
    }

    /// The next frame number: one more than the last, or more if the picture IDs show that frames are missing.
    private mutating func nextNumber(_ frame: PendingFrame, _ path: Path) -> Int64 {
        guard let number else { return Int64(frame.label.pictureID?.value ?? 0) }
        return number
            + (link.flatMap { ReferenceFinder.pictureIDStep(from: $0, to: frame) } ?? (path.isContiguous ? 1 : 2))
    }

    /// The distance of the picture IDs of two frames; `nil` if it is not known.
    private static func pictureIDStep(from last: Link, to frame: PendingFrame) -> Int64? {
        guard let old = last.pictureID, let new = frame.label.pictureID else { return nil }
        return new.step(from: old)
    }
}
