import RillCodec
import RillCore
import RillTestSupport
import Testing

/// A coded frame with a copy of its bytes.
private struct Coded {
    var frame: EncodedFrame
    var bytes: [UInt8]
}

private func encode(
    _ count: Int, _ resolution: Resolution, settings: EncoderSettings = .init(),
    bitrate: Bitrate = .kilobits(300), keyFrames: Set<Int> = []
) throws -> [Coded] {
    let pictures = try TestPictures(resolution)
    let encoder = try VPXEncoder(
        settings, layer: StreamLayer(rid: .high), resolution: resolution, frameRate: 30, bitrate: bitrate)
    var coded: [Coded] = []
    for index in 0..<count {
        try encoder.encode(pictures.picture(index), isKeyFrame: keyFrames.contains(index)) { frame, bytes in
            coded.append(Coded(frame: frame, bytes: bytes.array))
        }
    }
    return coded
}

struct VPXEncoderTests {
    @Test func `The same frames give the same bytes`() throws {
        let first = try encode(40, Resolution(width: 176, height: 144), keyFrames: [17])
        let second = try encode(40, Resolution(width: 176, height: 144), keyFrames: [17])
        #expect(first.map(\.bytes) == second.map(\.bytes))
        #expect(first.count == 40)
    }

    @Test func `Key frames come at the start and on request, and are marked as such`() throws {
        let coded = try encode(60, Resolution(width: 176, height: 144), keyFrames: [20, 41])
        #expect(coded.indices.filter { coded[$0].frame.isKey } == [0, 20, 41])
        for (index, frame) in coded.enumerated() {
            #expect(frame.frame.number == Int64(index))
            #expect(frame.frame.byteCount == frame.bytes.count)
            #expect((frame.bytes[0] & 1 == 0) == frame.frame.isKey)
            #expect(
                frame.frame.references == (frame.frame.isKey ? FrameReferences() : FrameReferences(Int64(index - 1))))
        }
    }

    @Test func `Key frames come at their longest interval`() throws {
        var settings = EncoderSettings()
        settings.maximumKeyFrameInterval = 25
        let coded = try encode(60, Resolution(width: 64, height: 48), settings: settings)
        #expect(coded.indices.filter { coded[$0].frame.isKey } == [0, 25, 50])
    }

    @Test func `A frame of another size is refused`() throws {
        let encoder = try VPXEncoder(
            layer: StreamLayer(rid: .low), resolution: .qqvga, frameRate: 5, bitrate: .kilobits(45))
        let picture = try TestPictures(Resolution(width: 158, height: 120)).picture(0)
        #expect(
            throws: CodecError.wrongResolution(expected: .qqvga, actual: picture.resolution)
        ) { try encoder.encode(picture) { _, _ in } }
    }

    @Test func `Stamps that do not rise are counted on`() throws {
        let encoder = try VPXEncoder(
            layer: StreamLayer(rid: .low), resolution: .qqvga, frameRate: 5, bitrate: .kilobits(45))
        var picture = try TestPictures(.qqvga).picture(0)
        for nanoseconds in [5_000_000_000, 5_000_000_000, 4_000_000_000, 5_200_000_000] as [Int64] {
            picture.captureTime = MediaTime(nanoseconds: nanoseconds)
            try encoder.encode(picture) { frame, _ in #expect(frame.captureTime == picture.captureTime) }
        }
        #expect(encoder.statistics.framesEncoded == 4)
    }

    @Test func `Settings out of range are refused in words`() {
        func refuses(_ change: (inout EncoderSettings) -> Void, bitrate: Bitrate = .kilobits(45)) {
            var settings = EncoderSettings()
            change(&settings)
            #expect(throws: CodecError.self) {
                try VPXEncoder(
                    settings, layer: StreamLayer(rid: .low), resolution: .qqvga, frameRate: 5, bitrate: bitrate)
            }
        }
        refuses { $0.quantizers = -1...56 }
        refuses { $0.quantizers = 0...64 }
        refuses { $0.threadCount = 0 }
        refuses { $0.threadCount = 17 }
        refuses { $0.speed = 0 }
        refuses { $0.speed = -17 }
        refuses { $0.maximumKeyFrameInterval = 0 }
        refuses { $0.staticThreshold = -1 }
        refuses { $0.overshootPercentage = 101 }
        refuses { $0.bufferSize = .zero }
        refuses({ _ in }, bitrate: Bitrate(bitsPerSecond: 999))
    }

    @Test func `A lower bitrate gives fewer bytes from the next frame on`() throws {
        let pictures = try TestPictures(Resolution(width: 320, height: 240))
        let encoder = try VPXEncoder(
            layer: StreamLayer(rid: .high), resolution: Resolution(width: 320, height: 240), frameRate: 30,
            bitrate: .kilobits(600))
        var sizes: [Int] = []
        for index in 0..<300 {
            if index == 150 { try encoder.setBitrate(.kilobits(60)) }
            try encoder.encode(pictures.picture(index)) { frame, _ in sizes.append(frame.byteCount) }
        }
        let before = sizes[100..<150].reduce(0, +)
        let after = sizes[200..<250].reduce(0, +)
        #expect(after * 3 < before, "\(before) bytes before, \(after) after")
    }
}
