import RillCore
import RillRTP

/// What was negotiated for a stream that an attacker sends.
struct AttackedFormat {
    var codec = VideoCodec.vp8
    var payloadType: UInt8 = 96
    var retransmissionType: UInt8?
    var (redType, fecType): (UInt8?, UInt8?)
    var (mid, rid): (String?, String?)
    var extensions = HeaderExtensionMap()

    init(_ description: StreamDescription) {
        codec = VideoCodec(rawValue: description.encoding.name) ?? .vp8
        payloadType = description.payloadType.rawValue
        retransmissionType = description.repair.retransmission?.payloadType.rawValue
        redType = description.repair.redPayloadType?.rawValue
        fecType = description.repair.fecPayloadType?.rawValue
        (mid, rid, extensions) = (description.mid, description.rid, description.headerExtensions)
    }
}

/// A stream that an attacker sends: a true one, until its parts are changed.
struct AttackStream {
    let format: AttackedFormat
    var ssrc: UInt32
    var retransmissionSSRC: UInt32
    var (sequenceNumber, retransmissionNumber): (UInt16, UInt16)
    var timestampOffset: UInt32
    private(set) var timestamp: UInt32 = 0
    var pictureID: UInt16
    private var tl0: UInt8 = 0
    private(set) var frameCount = 0
    /// Whether descriptors have picture IDs, of 15 bits, and temporal layers.
    let (hasPictureIDs, hasLongIDs, hasLayers, isFlexible): (Bool, Bool, Bool, Bool)
    var (width, height): (UInt16, UInt16)
    /// The newest packets, sent or lost, for retransmissions and FEC.
    private(set) var sent: [EditableRTP] = []
    /// True frames of VP8, repeated, the first a key frame; otherwise frames are a header and filler.
    var codedFrames: [[UInt8]] = []

    private static let keptCount = 32

    init(_ format: AttackedFormat, using random: inout AttackRandom) {
        self.format = format
        (ssrc, retransmissionSSRC) = (random.word(), random.word())
        sequenceNumber = random.isOne(in: 2) ? random.pick(AttackRandom.values) : UInt16(random.below(65_536))
        retransmissionNumber = UInt16(random.below(65_536))
        timestampOffset = random.isOne(in: 2) ? 0 &- UInt32(random.below(90_000)) : random.word()
        pictureID = random.pick(AttackRandom.values) & 0x7FFF
        hasPictureIDs = format.codec == .vp9 || !random.isOne(in: 3)
        hasLongIDs = random.isOne(in: 2)
        (hasLayers, isFlexible) = (random.isOne(in: 2), random.isOne(in: 3))
        (width, height) = random.isOne(in: 2) ? (320, 240) : (160, 120)
    }

    /// The next frame.
    ///
    /// - Parameters:
    ///   - isKey: whether it is a key frame.
    ///   - count: how many packets it has.
    ///   - now: the time, which its timestamp follows.
    mutating func frame(isKey: Bool, packets count: Int, at now: MediaTime) -> [EditableRTP] {
        timestamp = timestampOffset &+ UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000 * 90)
        var isKey = isKey
        let bytes: [UInt8]
        if codedFrames.isEmpty {
            bytes =
                frameBytes(isKey: isKey) + [UInt8](repeating: UInt8(truncatingIfNeeded: frameCount), count: 20 * count)
        } else {
            bytes = codedFrames[frameCount % codedFrames.count]
            isKey = bytes[0] & 1 == 0
        }
        let size = (bytes.count + count - 1) / count
        var packets: [EditableRTP] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let end = min(start + size, bytes.count)
            var packet = EditableRTP(payloadType: format.payloadType, sequenceNumber, timestamp, ssrc: ssrc)
            packet.marker = end == bytes.count
            packet.payload =
                descriptor(isKey: isKey, isFirst: start == 0, isLast: end == bytes.count) + bytes[start..<end]
            name(&packet)
            packets.append(packet)
            sequenceNumber &+= 1
        }
        pictureID = (pictureID &+ 1) & 0x7FFF
        if frameCount % 2 == 0 { tl0 &+= 1 }
        frameCount += 1
        return packets
    }

    /// Adds MID and RID.
    func name(_ packet: inout EditableRTP, isRepair: Bool = false) {
        if let id = format.extensions[.mid], let mid = format.mid { packet.set(id, Array(mid.utf8)) }
        if let id = format.extensions[isRepair ? .repairedRID : .rid], let rid = format.rid {
            packet.set(id, Array(rid.utf8))
        }
    }

    mutating func keep(_ packet: EditableRTP) {
        if sent.count == AttackStream.keptCount { sent.removeFirst() }
        sent.append(packet)
    }

    /// Another SSRC; numbers go on from elsewhere.
    mutating func restart(using random: inout AttackRandom) {
        (ssrc, retransmissionSSRC) = (random.word(), random.word())
        sequenceNumber = random.number(near: sequenceNumber)
    }

    private func frameBytes(isKey: Bool) -> [UInt8] {
        let size = [UInt8(width & 0xFF), UInt8(width >> 8), UInt8(height & 0xFF), UInt8(height >> 8)]
        if format.codec == .vp8 { return isKey ? [0x10, 2, 0, 0x9D, 0x01, 0x2A] + size : [0x11, 2, 0] }
        guard isKey else { return [0x86, 0, 0] }
        // Frame marker, profile 0, key frame, shown; sync code; color; width and height minus one (VP9 §6.2).
        let (w, h) = (width - 1, height - 1)
        return [0x82, 0x49, 0x83, 0x42]
            + [0x20 | UInt8(w >> 12), UInt8(w >> 4 & 0xFF), UInt8(w & 15) << 4 | UInt8(h >> 12), UInt8(h >> 4 & 0xFF)]
            + [UInt8(h & 15) << 4, 0, 0]
    }

    private func descriptor(isKey: Bool, isFirst: Bool, isLast: Bool) -> [UInt8] {
        format.codec == .vp8
            ? descriptorVP8(isFirst: isFirst) : descriptorVP9(isKey: isKey, isFirst: isFirst, isLast: isLast)
    }

    private var idBytes: [UInt8] {
        hasLongIDs ? [0x80 | UInt8(pictureID >> 8), UInt8(pictureID & 0xFF)] : [UInt8(pictureID & 0x7F)]
    }

    private func descriptorVP8(isFirst: Bool) -> [UInt8] {
        // Every second frame is no reference, if there are layers.
        let first: UInt8 = (isFirst ? 0x10 : 0) | (hasLayers && frameCount % 2 == 1 ? 0x20 : 0)
        guard hasPictureIDs else { return [first] }
        guard hasLayers else { return [first | 0x80, 0x80] + idBytes }
        return [first | 0x80, 0xE0] + idBytes + [tl0, frameCount % 2 == 0 ? 0x20 : 0x40]
    }

    private func descriptorVP9(isKey: Bool, isFirst: Bool, isLast: Bool) -> [UInt8] {
        let hasStructure = isKey && isFirst && !isFlexible
        var first: UInt8 = 0x80 | (isKey ? 0 : 0x40) | (isFirst ? 0x08 : 0) | (isLast ? 0x04 : 0)
        first |= (hasLayers ? 0x20 : 0) | (isFlexible ? 0x10 : 0) | (hasStructure ? 0x02 : 0)
        var bytes = [first] + idBytes
        if hasLayers {
            bytes.append(frameCount % 2 == 0 ? 0x10 : 0x30)
            if !isFlexible { bytes.append(tl0) }
        }
        if isFlexible, !isKey { bytes.append(1 << 1) }
        // One spatial layer with its size, and a group of two pictures.
        if hasStructure {
            bytes += [0x18, UInt8(width >> 8), UInt8(width & 0xFF), UInt8(height >> 8), UInt8(height & 0xFF)]
            bytes += [2, 0x04, 2, 0x24, 1]
        }
        return bytes
    }
}
