// VP9 bitstream specification §6.2, the beginning of the uncompressed header, bit by bit, the highest first:
//
//     frame_marker (2) = 2 | profile_low_bit | profile_high_bit | reserved_zero, if profile = 3
//     show_existing_frame  ->  if set: frame_to_show_map_idx (3), and no more
//     frame_type, 0 in a key frame | show_frame | error_resilient_mode
//     key frame:            frame_sync_code (24) = 0x498342 | color_config | frame_width_minus_1 (16)
//                           | frame_height_minus_1 (16)
//     else, if not shown:   intra_only
//
// color_config (§6.2.2):
//
//     ten_or_twelve_bit, if profile >= 2 | color_space (3)
//     color_space not RGB:  color_range | in profiles 1 and 3: subsampling_x, subsampling_y, reserved_zero
//     color_space RGB:      in profiles 1 and 3: reserved_zero

extension VP9FrameHeader {
    private static let frameMarker: UInt8 = 2
    private static let syncCode: UInt32 = 0x49_8342
    private static let rgb: UInt8 = 7
    /// The longest that is read: a key frame of profile 3.
    static let maximumByteCount = 10

    /// Reads the header at the front of a frame, or of the first piece of one. Reserved bits are passed over.
    ///
    /// - Throws: `truncated`, `invalidFrameMarker` or `invalidSyncCode`.
    public static func parse(_ frame: Span<UInt8>) throws(RTPError) -> VP9FrameHeader {
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
        _ = try bits.flag()  // error_resilient_mode
        guard isKey else {
            if !isShown, try bits.flag() { return VP9FrameHeader(profile: profile, kind: .intraOnly) }
            return VP9FrameHeader(profile: profile, kind: .inter(isShown: isShown))
        }
        let code = try bits.read(24)
        guard code == syncCode else { throw .invalidSyncCode(code) }
        return VP9FrameHeader(profile: profile, kind: .key(try parseKeyFrame(profile, &bits), isShown: isShown))
    }

    private static func parseKeyFrame(_ profile: UInt8, _ bits: inout BitReader) throws(RTPError) -> KeyFrame {
        let bitDepth = profile >= 2 ? (try bits.flag() ? 12 : 10) : 8
        var key = KeyFrame(width: 0, height: 0, bitDepth: bitDepth, colorSpace: UInt8(try bits.read(3)))
        let tellsSubsampling = profile & 1 != 0
        if key.colorSpace != rgb {
            key.isFullRange = try bits.flag()
            if tellsSubsampling {
                key.subsampling = KeyFrame.Subsampling(x: UInt8(try bits.read(1)), y: UInt8(try bits.read(1)))
            }
        } else {
            key.isFullRange = true
            if tellsSubsampling { key.subsampling = KeyFrame.Subsampling(x: 0, y: 0) }
        }
        if tellsSubsampling { _ = try bits.read(1) }
        key.width = Int(try bits.read(16)) + 1
        key.height = Int(try bits.read(16)) + 1
        return key
    }

    /// Appends the header, filled up with zero bits to whole bytes; error_resilient_mode is 0.
    ///
    /// `output` has room for 10 bytes. Too little of it, and fields beyond their bits or their profile, are the
    /// programmer's mistake.
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
        case .key(let key, let isShown):
            bits.write(isShown ? 0b0010 : 0, 4)
            bits.write(VP9FrameHeader.syncCode, 24)
            write(key, &bits)
        case .intraOnly:
            bits.write(0b0100, 4)
            bits.write(1, 1)
        case .inter(let isShown):
            bits.write(0b0100 | (isShown ? 0b0010 : 0), 4)
            if !isShown { bits.write(0, 1) }
        }
        bits.append(to: &output)
    }

    private func write(_ key: KeyFrame, _ bits: inout BitWriter) {
        let depths = profile >= 2 ? [10, 12] : [8]
        precondition(depths.contains(key.bitDepth), "\(key.bitDepth) bits a sample in profile \(profile)")
        precondition(
            (1...65536).contains(key.width) && (1...65536).contains(key.height),
            "a VP9 picture of \(key.width)x\(key.height) pixels: 1 to 65536 a side fit")
        let tellsSubsampling = profile & 1 != 0
        if profile >= 2 { bits.write(key.bitDepth == 12 ? 1 : 0, 1) }
        bits.write(UInt32(key.colorSpace), 3)
        if key.colorSpace != VP9FrameHeader.rgb {
            bits.write(key.isFullRange ? 1 : 0, 1)
            if tellsSubsampling {
                bits.write(UInt32(key.subsampling.x), 1)
                bits.write(UInt32(key.subsampling.y), 1)
            }
        }
        if tellsSubsampling { bits.write(0, 1) }
        bits.write(UInt32(key.width - 1), 16)
        bits.write(UInt32(key.height - 1), 16)
    }
}

/// Reads bits, the highest of a byte first, from the front of a frame: at most 128 of them.
private struct BitReader {
    private var bits: UInt128 = 0
    private var position = 0
    private let byteCount: Int

    init(_ bytes: Span<UInt8>) {
        byteCount = bytes.count
        for index in 0..<min(bytes.count, 16) { bits |= UInt128(bytes[index]) << UInt128(120 - 8 * index) }
    }

    mutating func read(_ count: Int) throws(RTPError) -> UInt32 {
        let needed = (position + count + 7) / 8
        guard needed <= byteCount else { throw .truncated(needed: needed, available: byteCount) }
        defer { position += count }
        return UInt32(truncatingIfNeeded: (bits << UInt128(position)) >> UInt128(128 - count))
    }

    mutating func flag() throws(RTPError) -> Bool { try read(1) != 0 }
}

/// Collects bits, the highest of a byte first: at most 128 of them.
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
