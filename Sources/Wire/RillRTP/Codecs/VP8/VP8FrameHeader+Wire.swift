import RillCore

extension VP8FrameHeader {
    private static let deltaFrameBit: UInt32 = 0x01
    private static let shownBit: UInt32 = 0x10
    private static let startCode: UInt32 = 0x9D_012A
    private static let dimensionMask: UInt16 = 0x3FFF
    /// The largest length of the first partition that its 19 bits can hold.
    public static let maximumFirstPartitionByteCount = (1 << 19) - 1

    /// The length of the header in bytes: 10 for a key frame, otherwise 3.
    public var byteCount: Int { isKeyFrame ? 10 : 3 }

    /// Parses the header at the start of a frame, or of the first part of one.
    ///
    /// The frame tag (RFC 6386 §9.1, RFC 7741 §4.3) has 24 bits in little-endian order: the first byte holds the
    /// lowest bits.
    ///
    /// ```text
    ///  0 1 2 3 4 5 6 7
    /// +-+-+-+-+-+-+-+-+
    /// |Size0|H| VER |P|     P: 0 in a key frame    VER: version    H: the frame is shown
    /// +-+-+-+-+-+-+-+-+
    /// |     Size1     |     Size0 to Size2: bytes of the first partition, 19 bits,
    /// +-+-+-+-+-+-+-+-+     Size0 + 8 * Size1 + 2048 * Size2
    /// |     Size2     |
    /// +-+-+-+-+-+-+-+-+
    /// ```
    ///
    /// In a key frame the start code and two little-endian words follow:
    ///
    /// ```text
    /// 0x9D 0x01 0x2A | width (14 bits), horizontal scale (2 bits) | height (14 bits), vertical scale (2 bits)
    /// ```
    ///
    /// The length of the first partition is not checked against the frame: the rest of the frame may not have arrived
    /// yet.
    ///
    /// - Parameter frame: the frame's bytes, at least the header.
    /// - Throws: `truncated`, `invalidStartCode` or `emptyPicture`.
    public init(parsing frame: Span<UInt8>) throws(BitstreamError) {
        guard frame.count >= 3 else { throw .truncated(needed: 3, available: frame.count) }
        let tag = UInt32(frame[0]) | UInt32(frame[1]) << 8 | UInt32(frame[2]) << 16
        self.init(
            version: UInt8(tag >> 1 & 7), isShown: tag & Self.shownBit != 0, firstPartitionByteCount: Int(tag >> 5))
        if tag & Self.deltaFrameBit == 0 {
            guard frame.count >= 10 else { throw .truncated(needed: 10, available: frame.count) }
            let code = UInt32(frame[3]) << 16 | UInt32(frame[4]) << 8 | UInt32(frame[5])
            guard code == Self.startCode else { throw .invalidStartCode(code) }
            let horizontal = UInt16(frame[6]) | UInt16(frame[7]) << 8
            let vertical = UInt16(frame[8]) | UInt16(frame[9]) << 8
            let mask = Self.dimensionMask
            let (width, height) = (Int(horizontal & mask), Int(vertical & mask))
            guard width > 0, height > 0 else { throw .emptyPicture(width: width, height: height) }
            keyFrame = KeyFrame(
                width: width, height: height, horizontalScaling: Scaling(topBitsOf: horizontal),
                verticalScaling: Scaling(topBitsOf: vertical))
        }
    }

    /// The size of a key frame that may be encrypted, as its header says.
    ///
    /// - Throws: as ``init(parsing:)``, and `emptyPicture` of a header that no encoder writes: its version, its scaling
    ///   or the length of its first partition is none.
    static func size(ofOpaqueKeyFrame frame: Span<UInt8>) throws(BitstreamError) -> Resolution {
        let header = try VP8FrameHeader(parsing: frame)
        // Versions above 3 are not defined (RFC 6386 §9.1), and the first partition is never empty.
        guard let picture = header.keyFrame, header.version <= 3,
            (1...max(1, frame.count - header.byteCount)).contains(header.firstPartitionByteCount),
            let size = Resolution(validatingWidth: picture.width, height: picture.height)
        else { throw .emptyPicture(width: 0, height: 0) }
        return size
    }

    /// Appends the header.
    ///
    /// `output` must have room for `byteCount` bytes, and every field must fit its bits. Both are preconditions: they
    /// trap.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        precondition(version < 8, "VP8 version \(version) in 3 bits")
        precondition(
            (0...VP8FrameHeader.maximumFirstPartitionByteCount).contains(firstPartitionByteCount),
            "a first partition of \(firstPartitionByteCount) bytes in 19 bits")
        var tag = UInt32(firstPartitionByteCount) << 5 | UInt32(version) << 1
        if !isKeyFrame { tag |= VP8FrameHeader.deltaFrameBit }
        if isShown { tag |= VP8FrameHeader.shownBit }
        output.append(UInt8(truncatingIfNeeded: tag))
        output.append(UInt8(truncatingIfNeeded: tag >> 8))
        output.append(UInt8(truncatingIfNeeded: tag >> 16))

        guard let keyFrame else { return }
        output.append(UInt8(VP8FrameHeader.startCode >> 16))
        output.append(UInt8(truncatingIfNeeded: VP8FrameHeader.startCode >> 8))
        output.append(UInt8(truncatingIfNeeded: VP8FrameHeader.startCode))
        let horizontal = keyFrame.horizontalScaling.word(of: keyFrame.width)
        output.append(UInt8(truncatingIfNeeded: horizontal))
        output.append(UInt8(horizontal >> 8))
        let vertical = keyFrame.verticalScaling.word(of: keyFrame.height)
        output.append(UInt8(truncatingIfNeeded: vertical))
        output.append(UInt8(vertical >> 8))
    }
}

extension VP8FrameHeader.Scaling {
    fileprivate init(topBitsOf word: UInt16) {
        switch word >> 14 {
        case 0: self = .none
        case 1: self = .fiveFourths
        case 2: self = .fiveThirds
        default: self = .two
        }
    }

    fileprivate func word(of dimension: Int) -> UInt16 {
        precondition((1...16383).contains(dimension), "a VP8 picture of \(dimension) pixels a side: 1 to 16383 fit")
        return UInt16(rawValue) << 14 | UInt16(dimension)
    }
}
