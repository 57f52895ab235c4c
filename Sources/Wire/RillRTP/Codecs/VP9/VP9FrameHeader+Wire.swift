extension VP9FrameHeader {
    private static let frameMarker: UInt8 = 2
    private static let syncCode: UInt32 = 0x49_8342
    private static let rgb: UInt8 = 7
    /// CS_BT_601, the color_space of frames that do not carry one.
    private static let bt601: UInt8 = 1
    private static let referenceCount = 3
    /// The length of the longest header that is parsed or written: an intra-only frame of profile 3.
    public static let maximumByteCount = 11

    /// Parses the start of the uncompressed header at the start of a frame, or of the first part of one.
    ///
    /// VP9 bitstream specification §6.2, bit by bit, the highest first:
    ///
    /// ```text
    /// frame_marker (2) = 2 | profile_low_bit | profile_high_bit | reserved_zero, if profile = 3
    /// show_existing_frame  ->  if set: frame_to_show_map_idx (3), and no more
    /// frame_type, 0 in a key frame | show_frame | error_resilient_mode
    /// key frame:   frame_sync_code (24) = 0x498342 | color_config | frame_size
    /// else:        intra_only, if not shown | reset_frame_context (2), if not error_resilient_mode
    /// intra_only:  frame_sync_code (24) | color_config, if profile > 0 | refresh_frame_flags (8) | frame_size
    /// inter:       refresh_frame_flags (8) | 3 times: ref_frame_idx (3), ref_frame_sign_bias
    ///              | up to 3 times: found_ref, until one is set | none is set: frame_size
    /// ```
    ///
    /// frame_size (§6.2.3):
    ///
    /// ```text
    /// frame_width_minus_1 (16) | frame_height_minus_1 (16)
    /// ```
    ///
    /// color_config (§6.2.2):
    ///
    /// ```text
    /// ten_or_twelve_bit, if profile >= 2 | color_space (3)
    /// color_space not RGB:  color_range | in profiles 1 and 3: subsampling_x, subsampling_y, reserved_zero
    /// color_space RGB:      in profiles 1 and 3: reserved_zero
    /// ```
    ///
    /// Reserved bits are ignored.
    ///
    /// - Parameter frame: the frame's bytes, at least the header.
    /// - Throws: `truncated`, `invalidFrameMarker` or `invalidSyncCode`.
    public init(parsing frame: Span<UInt8>) throws(BitstreamError) {
        self = try VP9FrameHeader.header(of: frame)
    }

    private static func header(of frame: Span<UInt8>) throws(BitstreamError) -> VP9FrameHeader {
        var bits = BitReader(frame)
        let marker = UInt8(try bits.read(2))
        guard marker == frameMarker else { throw .invalidFrameMarker(marker) }
        let low = UInt8(try bits.read(1))
        let profile = UInt8(try bits.read(1)) << 1 | low
        if profile == 3 { _ = try bits.read(1) }
        if try bits.flag() {
            return VP9FrameHeader(profile: profile, kind: .repeated(slot: UInt8(try bits.read(3))))
        }
        let isKey = try !bits.flag()
        let isShown = try bits.flag()
        let isErrorResilient = try bits.flag()
        if isKey {
            try parseSyncCode(&bits)
            var picture = try parseColors(profile, &bits)
            picture.size = try parseSize(&bits)
            return VP9FrameHeader(profile: profile, kind: .key(picture, isShown: isShown))
        }
        let isIntraOnly = isShown ? false : try bits.flag()
        if !isErrorResilient { _ = try bits.read(2) }  // reset_frame_context
        guard isIntraOnly else {
            return VP9FrameHeader(profile: profile, kind: .inter(isShown: isShown, size: try parseInterSize(&bits)))
        }
        try parseSyncCode(&bits)
        var picture = Picture(width: 0, height: 0, colorSpace: bt601)
        if profile > 0 { picture = try parseColors(profile, &bits) }
        _ = try bits.read(8)  // refresh_frame_flags
        picture.size = try parseSize(&bits)
        return VP9FrameHeader(profile: profile, kind: .intraOnly(picture))
    }

    private static func parseSyncCode(_ bits: inout BitReader) throws(BitstreamError) {
        let code = try bits.read(24)
        guard code == syncCode else { throw .invalidSyncCode(code) }
    }

    private static func parseColors(_ profile: UInt8, _ bits: inout BitReader) throws(BitstreamError) -> Picture {
        let bitDepth = profile >= 2 ? (try bits.flag() ? 12 : 10) : 8
        var picture = Picture(width: 0, height: 0, bitDepth: bitDepth, colorSpace: UInt8(try bits.read(3)))
        let hasSubsampling = profile & 1 != 0
        if picture.colorSpace != rgb {
            picture.isFullRange = try bits.flag()
            if hasSubsampling {
                picture.subsampling = Picture.Subsampling(x: UInt8(try bits.read(1)), y: UInt8(try bits.read(1)))
            }
        } else {
            picture.isFullRange = true
            if hasSubsampling { picture.subsampling = Picture.Subsampling(x: 0, y: 0) }
        }
        if hasSubsampling { _ = try bits.read(1) }
        return picture
    }

    private static func parseSize(_ bits: inout BitReader) throws(BitstreamError) -> Size {
        Size(width: Int(try bits.read(16)) + 1, height: Int(try bits.read(16)) + 1)
    }

    /// frame_size_with_refs: the size of the first reference whose found_ref is set, otherwise an explicit size.
    private static func parseInterSize(_ bits: inout BitReader) throws(BitstreamError) -> Size? {
        _ = try bits.read(8)  // refresh_frame_flags
        _ = try bits.read(4 * referenceCount)  // ref_frame_idx and ref_frame_sign_bias
        for _ in 0..<referenceCount where try bits.flag() { return nil }
        return try parseSize(&bits)
    }

    /// Appends the header, padded with zero bits to whole bytes.
    ///
    /// Fields that this type does not hold are written as 0. An inter frame without a size takes the size of its
    /// first reference.
    ///
    /// `output` must have room for ``maximumByteCount`` bytes, and every field must fit its bits and the profile.
    /// Both are preconditions: they trap.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        precondition(profile < 4, "VP9 profile \(profile): 0 to 3 exist")
        var bits = BitWriter()
        bits.write(UInt32(VP9FrameHeader.frameMarker), 2)
        bits.write(UInt32(profile & 1), 1)
        bits.write(UInt32(profile >> 1), 1)
        if profile == 3 { bits.write(0, 1) }
        switch kind {
        case .repeated(let slot):
            precondition(slot < 8, "slot \(slot): 0 to 7 exist")
            bits.write(1, 1)
            bits.write(UInt32(slot), 3)
        case .key(let picture, let isShown):
            bits.write(isShown ? 0b0010 : 0, 4)
            bits.write(VP9FrameHeader.syncCode, 24)
            writeColors(of: picture, &bits)
            write(picture.size, &bits)
        case .intraOnly(let picture):
            bits.write(0b0100, 4)
            bits.write(0b100, 3)  // intra_only, reset_frame_context
            bits.write(VP9FrameHeader.syncCode, 24)
            if profile > 0 { writeColors(of: picture, &bits) }
            bits.write(0, 8)
            write(picture.size, &bits)
        case .inter(let isShown, let size):
            bits.write(0b0100 | (isShown ? 0b0010 : 0), 4)
            bits.write(0, isShown ? 2 : 3)  // intra_only, reset_frame_context
            bits.write(0, 8 + 4 * VP9FrameHeader.referenceCount)
            bits.write(size == nil ? 1 : 0, size == nil ? 1 : VP9FrameHeader.referenceCount)
            if let size { write(size, &bits) }
        }
        bits.append(to: &output)
    }

    private func writeColors(of picture: Picture, _ bits: inout BitWriter) {
        let depths = profile >= 2 ? [10, 12] : [8]
        precondition(depths.contains(picture.bitDepth), "\(picture.bitDepth) bits a sample in profile \(profile)")
        let hasSubsampling = profile & 1 != 0
        if profile >= 2 { bits.write(picture.bitDepth == 12 ? 1 : 0, 1) }
        bits.write(UInt32(picture.colorSpace), 3)
        if picture.colorSpace != VP9FrameHeader.rgb {
            bits.write(picture.isFullRange ? 1 : 0, 1)
            if hasSubsampling {
                bits.write(UInt32(picture.subsampling.x), 1)
                bits.write(UInt32(picture.subsampling.y), 1)
            }
        }
        if hasSubsampling { bits.write(0, 1) }
    }

    private func write(_ size: Size, _ bits: inout BitWriter) {
        precondition(
            (1...65536).contains(size.width) && (1...65536).contains(size.height),
            "a VP9 picture of \(size.width)x\(size.height) pixels: 1 to 65536 a side fit")
        bits.write(UInt32(size.width - 1), 16)
        bits.write(UInt32(size.height - 1), 16)
    }
}

/// Reads up to 128 bits from the start of a frame, the highest bit of each byte first.
private struct BitReader {
    private var bits: UInt128 = 0
    private var position = 0
    private let byteCount: Int

    init(_ bytes: Span<UInt8>) {
        byteCount = bytes.count
        for index in 0..<min(bytes.count, 16) { bits |= UInt128(bytes[index]) << UInt128(120 - 8 * index) }
    }

    mutating func read(_ count: Int) throws(BitstreamError) -> UInt32 {
        let needed = (position + count + 7) / 8
        guard needed <= byteCount else { throw .truncated(needed: needed, available: byteCount) }
        defer { position += count }
        return UInt32(truncatingIfNeeded: (bits << UInt128(position)) >> UInt128(128 - count))
    }

    mutating func flag() throws(BitstreamError) -> Bool { try read(1) != 0 }
}

/// Collects up to 128 bits, the highest bit of each byte first.
private struct BitWriter {
    private var bits: UInt128 = 0
    private var position = 0

    mutating func write(_ value: UInt32, _ count: Int) {
        precondition(value >> UInt32(count - 1) <= 1, "\(value) in \(count) bits")
        position += count
        bits |= UInt128(value) << UInt128(128 - position)
    }

    @_lifetime(output: copy output)
    func append(to output: inout OutputSpan<UInt8>) {
        for index in 0..<(position + 7) / 8 {
            output.append(UInt8(truncatingIfNeeded: bits >> UInt128(120 - 8 * index)))
        }
    }
}
