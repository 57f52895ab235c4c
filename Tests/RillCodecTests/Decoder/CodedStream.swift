import Foundation
import RillCodec
import RillCore
import RillTestSupport
import Testing

/// Coded frames for decoders, made on the spot or kept in Tests/Streams.
struct CodedStream {
    let codec: VideoCodec
    var frames: [[UInt8]] = []

    /// Encodes drawn pictures with our own encoder.
    init(
        _ codec: VideoCodec, _ resolution: Resolution, count: Int, bitrate: Bitrate = .kilobits(300),
        keyFrames: Set<Int> = [], seed: UInt64 = 1
    ) throws {
        self.codec = codec
        let pictures = try TestPictures(resolution, seed: seed)
        let encoder = try VPXEncoder(
            EncoderSettings(codec), layer: StreamLayer(rid: .high), resolution: resolution, frameRate: 30,
            bitrate: bitrate)
        for index in 0..<count {
            try encoder.encode(pictures.picture(index), isKeyFrame: keyFrames.contains(index)) { _, bytes in
                frames.append(bytes.array)
            }
        }
    }

    /// The frames of an IVF file in Tests/Streams.
    init(stored name: String, _ codec: VideoCodec) throws {
        self.codec = codec
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Streams")
        let bytes = try read(folder.appending(path: name).path)
        var position = 32
        while position + 12 <= bytes.count {
            let size = (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
            frames.append(Array(bytes[position + 12..<position + 12 + size]))
            position += 12 + size
        }
    }
}

extension VPXDecoder {
    func decode(
        _ bytes: [UInt8], captureTime: MediaTime = .zero, isWanted: Bool = true
    ) throws(CodecError) -> DecoderOutcome {
        try decode(bytes.span, captureTime: captureTime, isWanted: isWanted)
    }
}

extension DecoderOutcome {
    /// The picture, if it is one.
    var picture: VideoFrame? {
        if case .picture(let picture) = self { picture } else { nil }
    }
}

/// CRC-32 as in zlib, to be compared with what other decoders give.
func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
    return ~crc
}

/// Whether the process has about as much memory as before. Other tests run beside and take some of their own; under the
/// address sanitizer memory that was let go counts for long, and it looks for leaks itself.
func expectFlatMemory(since before: Int, location: SourceLocation = #_sourceLocation) {
    guard !isAddressSanitized, isMemoryReused else { return }
    #expect(throws: Never.self, sourceLocation: location) {
        let growth = try residentByteCount() - before
        #expect(growth < 1 << 28, "memory grew by \(growth) bytes", sourceLocation: location)
    }
}

/// Whether blocks of memory are used again: not under the thread sanitizer (see `BlockPool`).
let isMemoryReused = unsafe dlsym(nil, "__tsan_init") == nil
