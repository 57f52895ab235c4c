import RillCore

/// Converts an app encoder's frame properties for the stream's ``PayloadFormat``: 16-bit numbers and
/// reference distances.
///
/// Numbers follow the frame numbers, including gaps, so that a receiver can detect a frame that was never sent. If
/// the frame number does not increase (after the encoder was recreated), the number increases by one.
struct PayloadNumbering: Sendable {
    /// The bytes before the newest frame's data in its first packet, and in each of the others.
    private(set) var first: [UInt8] = []
    private(set) var others: [UInt8] = []
    private let format: PayloadFormat
    private var number: UInt16
    private var newest: Int64?

    init(_ settings: FrameNumbering.Settings) {
        format = settings.payloadFormat
        number = settings.firstPictureID
    }

    /// Advances to the next frame, and plans its packets.
    mutating func packetizer(
        for frame: EncodedFrame, byteCount: Int, _ header: RTPHeader, _ sizes: FrameNumbering.Sizes
    ) -> FramePacketizer {
        advance(to: frame)
        return .own(
            PayloadPacketizer(
                frameByteCount: byteCount, header: header, first: first, others: others,
                maximumPacketByteCount: sizes.maximumPacket, headerExtensionByteCount: sizes.headerExtension,
                reservedByteCount: sizes.reserved))
    }

    /// Advances to the next frame.
    mutating func advance(to frame: EncodedFrame) {
        if let newest { number &+= UInt16(truncatingIfNeeded: max(1, frame.number &- newest)) }
        newest = frame.number
        let told = PayloadFrame(
            number: number, isKey: frame.isKey, isDiscardable: frame.isDiscardable,
            temporalIndex: UInt8(clamping: min(max(frame.layer.temporalIndex, 0), 3)),
            distances: PayloadNumbering.distances(of: frame),
            width: frame.isKey ? UInt16(clamping: frame.resolution.width) : 0,
            height: frame.isKey ? UInt16(clamping: frame.resolution.height) : 0)
        first.removeAll(keepingCapacity: true)
        others.removeAll(keepingCapacity: true)
        format.write(told, true, &first)
        format.write(told, false, &others)
    }

    /// Returns no distances if they cannot be expressed: the frame then needs all frames before it.
    private static func distances(of frame: EncodedFrame) -> FrameDistances {
        var distances = FrameDistances()
        guard !frame.isKey, frame.references.count <= FrameDistances.capacity else { return distances }
        for index in 0..<frame.references.count {
            let distance = frame.number &- frame.references[index]
            guard (1...255).contains(distance) else { return FrameDistances() }
            distances.append(UInt8(distance))
        }
        return distances
    }
}
