import RillCodec
import RillCore
import RillTestSupport
import Testing

/// Frames that claim what must not even reach libvpx.
@Suite struct ClaimedSizeTests {
    private func bytes(of header: VP9FrameHeader) -> [UInt8] {
        [UInt8](capacity: VP9FrameHeader.maximumByteCount) { output in header.write(into: &output) }
            + [UInt8](repeating: 0, count: 40)
    }

    private func superframe(_ frames: [[UInt8]]) -> [UInt8] {
        var bytes = frames.flatMap { $0 }
        let sizes = frames.map(\.count)
        bytes.append(addingCapacity: 34) { output in VP9Superframe.writeIndex(sizes: sizes.span, into: &output) }
        return bytes
    }

    /// Decodes a key frame, then `frame`, which must be refused so, and leave all the rest to the next key frame.
    private func expectRefusal(
        _ codec: VideoCodec, _ frame: [UInt8], _ error: CodecError, location: SourceLocation = #_sourceLocation
    ) throws {
        let good = try CodedStream(codec, .qqvga, count: 2).frames
        let decoder = try VPXDecoder(codec, maximumPixelCount: 1920 * 1080)
        _ = try decoder.decode(good[0])
        let byteCount = decoder.blocks.statistics.byteCount
        let resident = try residentByteCount()
        #expect(throws: error, sourceLocation: location) { _ = try decoder.decode(frame) }
        #expect(decoder.blocks.statistics.byteCount == byteCount, sourceLocation: location)
        expectFlatMemory(since: resident, location: location)
        #expect(decoder.isAwaitingKeyFrame && decoder.statistics.framesCorrupted == 1, sourceLocation: location)
        guard case .awaitingKeyFrame = try decoder.decode(good[1]) else {
            Issue.record("the frame behind was decoded", sourceLocation: location)
            return
        }
        #expect(try decoder.decode(good[0]).picture != nil, sourceLocation: location)
    }

    @Test func `A VP8 key frame that claims too large a picture takes no memory`() throws {
        // A key frame of 16383x16383, and nothing behind its header (RFC 6386 §9.1).
        let frame: [UInt8] =
            [0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 0xFF, 0x3F, 0xFF, 0x3F] + Array(repeating: 0, count: 40)
        try expectRefusal(
            .vp8, frame, .pictureTooLarge(width: 16383, height: 16383, maximumPixelCount: 2_073_600))
    }

    @Test func `Nor does any kind of VP9 frame, or one hidden in a superframe`() throws {
        let huge = VP9FrameHeader.Size(width: 65536, height: 65536)
        let frames = [
            VP9FrameHeader(kind: .key(.init(width: 65536, height: 65536), isShown: true)),
            VP9FrameHeader(kind: .intraOnly(.init(width: 65536, height: 65536))),
            VP9FrameHeader(kind: .inter(isShown: true, size: huge)),
            VP9FrameHeader(kind: .inter(isShown: false, size: huge)),
        ].map(bytes)
        let good = try CodedStream(.vp9, .qqvga, count: 1).frames[0]
        let error = CodecError.pictureTooLarge(width: 65536, height: 65536, maximumPixelCount: 2_073_600)
        for frame in frames {
            try expectRefusal(.vp9, frame, error)
            try expectRefusal(.vp9, superframe([good, frame, good]), error)
        }
        let long = VP9FrameHeader(kind: .key(.init(width: 16384, height: 2), isShown: true))
        try expectRefusal(
            .vp9, bytes(of: long), .pictureTooLarge(width: 16384, height: 2, maximumPixelCount: 2_073_600))
    }

    /// libvpx takes what a frame leaves over for one more frame; it must not see this one.
    @Test func `Nor does a frame that follows a frame without being announced`() throws {
        let good = try CodedStream(.vp9, .qqvga, count: 1).frames[0]
        let huge = bytes(of: VP9FrameHeader(kind: .key(.init(width: 16000, height: 16000), isShown: true)))
        let repetition = bytes(of: VP9FrameHeader(kind: .repeated(slot: 0)))[..<1]
        let decoder = try VPXDecoder(.vp9, maximumPixelCount: 1920 * 1080)
        _ = try decoder.decode(good)
        let (byteCount, resident) = (decoder.blocks.statistics.byteCount, try residentByteCount())
        for frame in [good + huge, repetition + huge] {
            #expect(try decoder.decode(frame).picture?.resolution == .qqvga)
        }
        #expect(decoder.blocks.statistics.byteCount <= byteCount * 3)
        expectFlatMemory(since: resident)
    }

    @Test(arguments: [1, 2, 3] as [UInt8])
    func `Profiles with more colour or more bits are refused by name`(profile: UInt8) throws {
        let picture = VP9FrameHeader.Picture(
            width: 64, height: 48, bitDepth: profile >= 2 ? 10 : 8,
            subsampling: .init(x: 1 - profile % 2, y: 1 - profile % 2))
        let key = VP9FrameHeader(profile: profile, kind: .key(picture, isShown: true))
        let error = CodecError.unsupportedProfile(.vp9, profile: Int(profile))
        try expectRefusal(.vp9, bytes(of: key), error)
        try expectRefusal(
            .vp9, bytes(of: VP9FrameHeader(profile: profile, kind: .inter(isShown: true, size: nil))), error)
        #expect(error.description.contains("profile \(profile)"))
    }
}
