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

/// The counters that the payload formats of VP8 and VP9 share: 15-bit picture IDs, and TL0PICIDX.
///
/// Picture IDs follow the frame numbers, including gaps, so that a receiver can detect a frame that was never sent.
/// If the frame number does not increase (after the encoder was recreated), the picture ID increases by one.
struct PictureCounters {
    /// The picture ID of the newest frame.
    private(set) var pictureID: PictureID
    /// The index of the newest frame: that of its base layer frame.
    private(set) var tl0PictureIndex: UInt8
    private let temporalLayerCount: Int
    private var newestNumber: Int64?

    init(_ settings: FrameNumbering.Settings) {
        temporalLayerCount = settings.temporalLayerCount
        pictureID = .long(settings.firstPictureID)
        // The first base layer frame increments it to the first index.
        tl0PictureIndex = settings.firstTL0PictureIndex &- 1
    }

    /// Whether packets carry their layer.
    var hasLayers: Bool { temporalLayerCount > 1 }

    /// Advances to the next frame and returns its temporal layer. Traps if the settings do not have that layer.
    mutating func advance(to frame: EncodedFrame) -> UInt8 {
        if let newestNumber { pictureID = pictureID.advanced(by: max(1, frame.number &- newestNumber)) }
        newestNumber = frame.number
        let index = hasLayers ? frame.layer.temporalIndex : 0
        precondition(
            (0..<temporalLayerCount).contains(index), "temporal layer \(index) in a stream of \(temporalLayerCount)")
        if index == 0 { tl0PictureIndex &+= 1 }
        return UInt8(index)
    }
}
