import RillCore
import RillPeer
import RillRTP

/// A frame as its publisher sent it.
struct PublishedFrame: Sendable {
    /// Its description. Its number counts the layer's frames that arrived, without gaps, and so do its references.
    var frame: EncodedFrame
    /// Its time on the publisher's wall clock; `nil` before the layer's first sender report.
    var wallClock: NTPTimestamp?
    /// When it was complete here.
    var arrival: MediaTime
}

/// The frames of a layer since its last key frame, for those who join: as long as that is at most 1.5 s old.
///
/// Memory is reused: a steady stream allocates nothing.
struct RecentFrames {
    private(set) var frames: [PublishedFrame] = []
    private var payloads: [[UInt8]] = []
    /// How many bytes the frames have.
    private(set) var byteCount = 0
    /// The number of the key frame that they begin with; `nil` if they are not whole.
    private(set) var keyFrame: Int64?
    /// Who was sent that key frame.
    private var holders: [ICEPeerID] = []
    /// Whether all of them end as frames of SFrame do in Rill's layout. Others may too: it means nothing then.
    private var areSealed = false

    /// The longest that frames are kept for those who join. 1.5 s: they have come within a second, and take a moment to
    /// connect.
    static let longest = MediaDuration.milliseconds(1500)
    /// No more than these are kept, whatever a publisher sends.
    private static let mostFrames = 256
    private static let mostBytes = 2_000_000
    /// The last byte of a sealed frame: 0, or the size of one that is shorter than the clear head.
    private static let largestTrailer: UInt8 = 9

    /// Adds the next frame.
    mutating func append(_ frame: PublishedFrame, _ payload: Span<UInt8>) {
        if frame.frame.isKey {
            removeAll()
            keyFrame = frame.frame.number
            areSealed = true
        }
        guard keyFrame != nil else { return }
        guard frames.count < RecentFrames.mostFrames, byteCount + payload.count <= RecentFrames.mostBytes,
            let first = frames.first?.arrival ?? Optional(frame.arrival),
            frame.arrival - first <= RecentFrames.longest
        else { return removeAll() }
        areSealed = areSealed && !payload.isEmpty && payload[payload.count - 1] <= RecentFrames.largestTrailer
        if payloads.count == frames.count { payloads.append([]) }
        payloads[frames.count].replace(with: payload)
        frames.append(frame)
        byteCount += payload.count
    }

    /// Forgets everything.
    mutating func removeAll() {
        frames.removeAll(keepingCapacity: true)
        holders.removeAll(keepingCapacity: true)
        (keyFrame, byteCount) = (nil, 0)
    }

    /// Notes that a member was sent the key frame.
    mutating func note(holder member: ICEPeerID) { if areSealed { holders.append(member) } }

    /// Whether a member would refuse these frames, because it has had the first one: what is encrypted from end to end
    /// opens once.
    func isKnown(to member: ICEPeerID) -> Bool { areSealed && holders.contains(member) }

    /// Whether somebody who joins now is served by these frames.
    func isFresh(at now: MediaTime) -> Bool {
        keyFrame != nil && frames.first.map { now - $0.arrival <= RecentFrames.longest } ?? false
    }

    /// The bytes of a frame.
    func payload(_ index: Int) -> [UInt8] { payloads[index] }
}

extension [UInt8] {
    /// Takes over other bytes, in the same memory if that suffices.
    fileprivate mutating func replace(with bytes: Span<UInt8>) {
        removeAll(keepingCapacity: true)
        append(addingCapacity: bytes.count) { output in output.append(copying: bytes) }
    }
}
