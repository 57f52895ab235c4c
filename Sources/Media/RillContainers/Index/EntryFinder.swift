import RillCore
import RillRTP

/// Determines from the bytes of packets where a decoder can start and produce the same pictures as one that decoded
/// everything before.
///
/// A key frame as marked by a container is not enough: later pictures may refer to earlier ones (open GOPs), or
/// earlier parameters may be missing.
///
/// For unknown codecs only the first packet is an entry.
struct EntryFinder {
    private let codec: Codec
    private let video: CodecTraits.Video?
    /// The first parameter sets inside a packet.
    private var parameterSets: [UInt8]?
    /// Whether parameters have changed: a decoder that starts later does not know all of them.
    private var hasChanged = false

    enum Codec: Equatable {
        /// One that Rill includes.
        case builtIn(VideoCodec)
        case av1, mpegVideo, jpeg
        /// `lengthSize`: the number of bytes of the length before each NAL unit; `nil` if start codes separate them.
        case h264(lengthSize: Int?)
        case hevc(lengthSize: Int?)
        /// Every packet marked as a key frame is independent.
        case independent
        case other
    }

    /// The properties of a packet.
    struct Finding: Equatable {
        var isClean: Bool
        /// Whether its picture is shown.
        var isShown: Bool
    }

    init(_ codec: Codec) {
        self.codec = codec
        video = if case .builtIn(let codec) = codec { codec.traits?.video } else { nil }
    }

    /// Records that parameters have changed from here on.
    mutating func noteChange() { hasChanged = true }

    /// Examines the next packet.
    mutating func look(at bytes: Span<UInt8>, isMarkedAsKey: Bool) -> Finding {
        let isShown = video.map { !$0.hasHiddenPackets || $0.start(bytes).isShown } ?? true
        let isClean = isClean(bytes, isMarkedAsKey)
        return Finding(isClean: isClean && isShown && !hasChanged, isShown: isShown)
    }

    private mutating func isClean(_ bytes: Span<UInt8>, _ isMarkedAsKey: Bool) -> Bool {
        switch codec {
        case .builtIn: video.map { $0.start(bytes) == (isKey: true, isShown: true) } ?? false
        case .av1: isMarkedAsKey && AV1Units.beginWithKeyFrame(bytes)
        case .mpegVideo: isMarkedAsKey && Self.beginsWithSequenceHeader(bytes)
        case .jpeg: Self.hasOwnTables(bytes)
        case .independent: isMarkedAsKey
        case .h264(let lengthSize):
            isIDR(bytes, lengthSize, kind: { $0 & 0x1F }, idr: 5...5, parameters: 7...8, needed: [7, 8])
        case .hevc(let lengthSize):
            // IDR_W_RADL and IDR_N_LP; VPS, SPS and PPS.
            isIDR(bytes, lengthSize, kind: { $0 >> 1 & 0x3F }, idr: 19...20, parameters: 32...34, needed: [32, 33, 34])
        case .other: false
        }
    }

    /// ISO/IEC 13818-2: `sequence_header_code`, which loads or resets the tables.
    private static func beginsWithSequenceHeader(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 4 && bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 1 && bytes[3] == 0xB3
    }

    /// ITU-T T.81: quantization tables (DQT) and Huffman tables (DHT) precede the scan (SOS). Without them the
    /// decoder would use those of an earlier picture.
    private static func hasOwnTables(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return false }
        var position = 2
        var (hasQuantizers, hasCodes) = (false, false)
        while position + 4 <= bytes.count, bytes[position] == 0xFF {
            switch bytes[position + 1] {
            case 0xDB: hasQuantizers = true
            case 0xC4: hasCodes = true
            case 0xDA: return hasQuantizers && hasCodes
            default: break
            }
            position += 2 + Int(bytes[position + 2]) << 8 + Int(bytes[position + 3])
        }
        return false
    }

    /// Whether the packet holds an IDR picture, and a decoder that starts here knows its parameter sets. These are
    /// the container's, or the packet's own if no other parameter sets ever occurred in packets.
    private mutating func isIDR(
        _ bytes: Span<UInt8>, _ lengthSize: Int?, kind: (UInt8) -> UInt8, idr: ClosedRange<UInt8>,
        parameters: ClosedRange<UInt8>, needed: [UInt8]
    ) -> Bool {
        var (isIDR, isOther) = (false, false)
        var sets: [UInt8] = []
        var kinds: [UInt8] = []
        let isComplete = NALUnits.forEach(in: bytes, lengthSize: lengthSize) { unit in
            let type = kind(bytes[unit.lowerBound])
            if parameters.contains(type) {
                kinds.append(type)
                for index in unit { sets.append(bytes[index]) }
            } else if idr.contains(type) {
                isIDR = true
            } else if type < idr.lowerBound {
                isOther = true
            }
        }
        if !kinds.isEmpty {
            if let parameterSets, parameterSets != sets { hasChanged = true }
            parameterSets = parameterSets ?? sets
        }
        let knowsParameters = parameterSets == nil || needed.allSatisfy(kinds.contains)
        return isComplete && isIDR && !isOther && knowsParameters
    }
}

/// The NAL units of an H.264 or HEVC packet.
enum NALUnits {
    /// Calls `body` with the range of each non-empty unit. Returns `false` if the packet does not consist of whole
    /// units.
    static func forEach(in bytes: Span<UInt8>, lengthSize: Int?, _ body: (Range<Int>) -> Void) -> Bool {
        guard let lengthSize else { return forEachAfterStartCode(in: bytes, body) }
        var position = 0
        while position < bytes.count {
            guard position + lengthSize <= bytes.count else { return false }
            var length = 0
            for index in 0..<lengthSize { length = length << 8 | Int(bytes[position + index]) }
            position += lengthSize
            guard length <= bytes.count - position else { return false }
            if length > 0 { body(position..<position + length) }
            position += length
        }
        return true
    }

    /// ITU-T H.264, annex B: each unit follows the bytes 0, 0, 1.
    private static func forEachAfterStartCode(in bytes: Span<UInt8>, _ body: (Range<Int>) -> Void) -> Bool {
        var start: Int?
        var index = 0
        while index + 2 < bytes.count {
            guard bytes[index + 2] <= 1 else {
                index += 3
                continue
            }
            guard bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 else {
                index += 1
                continue
            }
            if let start, start < index { body(trimmed(start..<index, bytes)) }
            index += 3
            start = index
        }
        guard let start, start < bytes.count else { return false }
        body(trimmed(start..<bytes.count, bytes))
        return true
    }

    /// Returns a unit without its trailing zeros, which are not part of it.
    private static func trimmed(_ unit: Range<Int>, _ bytes: Span<UInt8>) -> Range<Int> {
        var end = unit.upperBound
        while end > unit.lowerBound + 1, bytes[end - 1] == 0 { end -= 1 }
        return unit.lowerBound..<end
    }
}

/// The open bitstream units of an AV1 packet.
enum AV1Units {
    /// Whether there is a sequence header and the first frame after it is a shown key frame (AV1 bitstream
    /// specification 5.5 and 5.9.2).
    static func beginWithKeyFrame(_ bytes: Span<UInt8>) -> Bool {
        var position = 0
        var hasSequenceHeader = false
        while position < bytes.count {
            let header = bytes[position]
            position += header & 0x04 != 0 ? 2 : 1
            guard header & 0x02 != 0, let size = leb128(bytes, &position), size <= bytes.count - position else {
                return false
            }
            switch header >> 3 & 0x0F {
            case 1: hasSequenceHeader = true
            case 3, 6:
                // show_existing_frame, two bits of frame_type (0 is a key frame), show_frame.
                return hasSequenceHeader && size > 0 && bytes[position] >> 4 == 1
            default: break
            }
            position += size
        }
        return false
    }

    private static func leb128(_ bytes: Span<UInt8>, _ position: inout Int) -> Int? {
        var value = 0
        for index in 0..<4 {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            value |= Int(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
