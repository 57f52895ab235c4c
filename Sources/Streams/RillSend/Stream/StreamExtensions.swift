import RillCore
import RillRTP

/// The header extensions of a stream's packets.
///
/// All packets carry MID, RID and space for the transport-wide sequence number, those of audio their level. The last
/// packet of some frames also carries the video orientation. FEC packets protect the extension as it is written here.
/// Later only the transport-wide sequence number changes, which receivers take as zero when they recover a packet.
struct StreamExtensions: Sendable {
    private let map: HeaderExtensionMap
    private let mid: StreamIdentifier?
    private let rid: StreamIdentifier?
    private var notice: OrientationSignaling?
    /// The ID of the level in packets of audio; `nil` if they have none.
    private let levelID: UInt8?
    /// Where the element of the level is in ``common``.
    private var levelPlace = 0..<0
    /// Whether packets carry MID and RID: until the other side has learned the SSRC.
    private var isNamed = true
    /// The orientation in the current blocks.
    private var told: VideoOrientation?
    /// The extension of every packet; no bytes for none.
    private(set) var common: [UInt8] = []
    /// The extension of a frame's last packet. If both have bytes, their sizes are equal.
    private(set) var last: [UInt8] = []
    /// The offset of the transport-wide sequence number in a packet; `nil` if packets do not carry one.
    private(set) var transportNumberOffset: Int?

    init(_ settings: RTPStreamSettings) {
        map = settings.headerExtensions
        (mid, rid) = (settings.mid, settings.rid)
        notice = map[.videoOrientation].map { _ in OrientationSignaling() }
        levelID = settings.kind == .audio ? map[.audioLevel] : nil
        write()
    }

    /// The size of the extension in packets, for the packetizers.
    var byteCount: Int { last.count }

    private func findTransportNumber() -> Int? {
        guard let id = map[.transportSequenceNumber], !common.isEmpty else { return nil }
        let form = HeaderExtensionForm(profile: UInt16(common[0]) << 8 | UInt16(common[1]))
        // After the header of the block and the header of the element, which is the first one.
        return RTPHeader.fixedByteCount + RTPHeaderExtension.fixedByteCount
            + (form == .oneByte && id < 15 ? 1 : 2)
    }

    /// Omits MID and RID from now on.
    mutating func omitIdentifiers() {
        guard isNamed else { return }
        isNamed = false
        write()
    }

    /// Prepares ``common`` and ``last`` for the packets of a frame.
    mutating func prepare(for frame: EncodedFrame) {
        guard notice != nil else { return }
        let orientation = notice?.orientation(of: frame)
        guard orientation != told else { return }
        told = orientation
        write()
    }

    /// Sets the level of the next packets; without one they do not carry it.
    mutating func setLevel(_ level: AudioLevel?) {
        guard let levelID, !levelPlace.isEmpty else { return }
        // Zeros are padding (RFC 8285 §4.2, §4.3).
        for index in levelPlace { common[index] = 0 }
        guard let level else { return }
        common[levelPlace.lowerBound] = levelPlace.count == 2 ? levelID << 4 : levelID
        if levelPlace.count == 3 { common[levelPlace.lowerBound + 1] = UInt8(AudioLevel.byteCount) }
        common[levelPlace.upperBound - 1] = level.rawValue
    }

    private mutating func write() {
        var layout = HeaderExtensionLayout()
        if let id = map[.transportSequenceNumber] { layout.add(id: id, byteCount: TransportSequenceNumber.byteCount) }
        if isNamed, let id = map[.mid], let mid { layout.add(id: id, byteCount: mid.byteCount) }
        if isNamed, let id = map[.rid], let rid { layout.add(id: id, byteCount: rid.byteCount) }
        if let levelID { layout.add(id: levelID, byteCount: AudioLevel.byteCount) }
        let isCommon = layout != HeaderExtensionLayout()
        if let told, let id = map[.videoOrientation] { layout.add(id: id, byteCount: told.byteCount) }
        common = isCommon ? block(layout, telling: nil) : []
        last = told == nil ? common : block(layout, telling: told)
        levelPlace = findLevel()
        transportNumberOffset = findTransportNumber()
    }

    /// The element of the level: the last one.
    private func findLevel() -> Range<Int> {
        guard levelID != nil else { return 0..<0 }
        let form = HeaderExtensionForm(profile: UInt16(common[0]) << 8 | UInt16(common[1]))
        let head = form == .oneByte ? 1 : 2
        var end = RTPHeaderExtension.fixedByteCount + head + AudioLevel.byteCount
        if map[.transportSequenceNumber] != nil { end += head + TransportSequenceNumber.byteCount }
        if isNamed, map[.mid] != nil, let mid { end += head + mid.byteCount }
        if isNamed, map[.rid] != nil, let rid { end += head + rid.byteCount }
        return end - head - AudioLevel.byteCount..<end
    }

    private func block(_ layout: HeaderExtensionLayout, telling orientation: VideoOrientation?) -> [UInt8] {
        [UInt8](capacity: layout.byteCount) { output in
            let writer = HeaderExtensionWriter(layout, into: &output)
            if let id = map[.transportSequenceNumber] {
                writer.append(TransportSequenceNumber(SequenceNumber(0)), id: id, into: &output)
            }
            if isNamed, let id = map[.mid], let mid { writer.append(mid, id: id, into: &output) }
            if isNamed, let id = map[.rid], let rid { writer.append(rid, id: id, into: &output) }
            if let levelID { writer.append(AudioLevel.silence, id: levelID, into: &output) }
            if let orientation, let id = map[.videoOrientation] {
                writer.append(orientation, id: id, into: &output)
            }
            writer.finish(into: &output)
        }
    }
}

extension RTPHeaderExtension {
    /// A block of ``StreamExtensions``; `nil` if it is empty.
    @_lifetime(copy bytes)
    init?(written bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return nil }
        do throws(RTPError) { try self.init(parsing: bytes) } catch {
            preconditionFailure("a header extension written by this sender cannot be parsed: \(error)")
        }
    }
}

/// Decides which frames signal the rotation of their pictures (3GPP TS 26.114 §7.4.5).
///
/// The last packet of a frame carries it: for each key frame, and for every frame that is not upright, because
/// libwebrtc treats a missing orientation as upright. After a change, every frame up to the next key frame carries
/// it, so that losing a frame does not lose the change.
struct OrientationSignaling: Sendable {
    private var newest = Rotation.none
    private var hasChangedSinceKeyFrame = false

    /// Returns the orientation that the next frame signals; `nil` for none.
    mutating func orientation(of frame: EncodedFrame) -> VideoOrientation? {
        if frame.isKey { hasChangedSinceKeyFrame = false }
        if frame.rotation != newest {
            newest = frame.rotation
            hasChangedSinceKeyFrame = !frame.isKey
        }
        guard frame.isKey || newest != .none || hasChangedSinceKeyFrame else { return nil }
        return VideoOrientation(rotation: VideoOrientation.Rotation(newest))
    }
}

extension VideoOrientation.Rotation {
    fileprivate init(_ rotation: Rotation) {
        switch rotation {
        case .none: self = .none
        case .clockwise90: self = .clockwise90
        case .clockwise180: self = .clockwise180
        case .clockwise270: self = .clockwise270
        }
    }
}
