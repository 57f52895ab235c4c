import RillCodec
import RillCore
import RillImage
import RillTestSupport
import Testing

@Suite struct VPXDecoderTests {
    @Test(arguments: VideoCodec.allCases)
    func `Pictures come back like their source`(codec: VideoCodec) throws {
        let resolution = Resolution(width: 161, height: 121)
        let pictures = try TestPictures(resolution)
        let decoder = try VPXDecoder(codec)
        let stream = try CodedStream(codec, resolution, count: 30, bitrate: .kilobits(1000))
        for (index, frame) in stream.frames.enumerated() {
            let time = MediaTime.zero + .milliseconds(index)
            let picture = try #require(try decoder.decode(frame, captureTime: time).picture, "\(codec) \(index)")
            #expect(picture.resolution == resolution && picture.captureTime == time)
            let difference = PictureDifference(between: picture, and: pictures.picture(index))
            #expect(difference.psnr.y > 30, "\(codec), frame \(index): \(difference.psnr.y) dB")
        }
        #expect(decoder.statistics.framesDecoded == 30 && decoder.statistics.keyFramesDecoded == 1)
    }

    /// Sums that vpxdec 1.12.0 gives, and for streams of one size FFmpeg's own decoders too. A decoder is exact by
    /// specification: they hold for every version of libvpx.
    @Test(arguments: [
        ("vp8.ivf", VideoCodec.vp8, 40, 0x5C22_5E01 as UInt32), ("vp9.ivf", .vp9, 40, 0xA856_940E),
        ("vp9-hidden.ivf", .vp9, 45, 0x0B46_B03A), ("vp9-resized.ivf", .vp9, 20, 0x3594_EBD5),
    ])
    func `Stored streams decode to the same bytes on every libvpx`(
        name: String, codec: VideoCodec, count: Int, sum: UInt32
    ) throws {
        for threadCount in [1, 3] {
            let decoder = try VPXDecoder(codec, threadCount: threadCount)
            var samples: [UInt8] = []
            for frame in try CodedStream(stored: name, codec).frames {
                if let picture = try decoder.decode(frame).picture { samples += picture.samples }
            }
            #expect(decoder.statistics.framesDecoded == count)
            #expect(crc32(samples) == sum, "\(name), \(threadCount) threads, libvpx \(VPXLibrary.version)")
        }
    }

    @Test(arguments: VideoCodec.allCases)
    func `It starts with a key frame, and after damage waits for the next`(codec: VideoCodec) throws {
        let frames = try CodedStream(codec, Resolution(width: 176, height: 144), count: 30, keyFrames: [20]).frames
        let decoder = try VPXDecoder(codec)
        guard case .awaitingKeyFrame = try decoder.decode(frames[1]) else {
            Issue.record("a delta frame was decoded before any key frame")
            return
        }
        _ = try decoder.decode(frames[0])
        #expect(throws: CodecError.self) { _ = try decoder.decode([]) }
        #expect(decoder.isAwaitingKeyFrame)
        for index in 1..<30 {
            let outcome = try decoder.decode(frames[index])
            switch outcome {
            case .awaitingKeyFrame: #expect(index < 20)
            case .picture: #expect(index >= 20)
            default: Issue.record("frame \(index): \(outcome)")
            }
        }
    }

    @Test func `With the other policy VP8 continues after damage, and shows damaged pictures`() throws {
        let frames = try CodedStream(.vp8, .qqvga, count: 12).frames
        let decoder = try VPXDecoder(damagePolicy: .continueDecoding)
        guard case .awaitingKeyFrame = try decoder.decode(frames[1]) else {
            Issue.record("a delta frame was decoded before any key frame")
            return
        }
        _ = try decoder.decode(frames[0])
        #expect(throws: CodecError.self) { _ = try decoder.decode([0x31, 0xFF]) }
        #expect(!decoder.isAwaitingKeyFrame)
        // Half of the frame is missing: the rest is shown, and counted as damaged.
        let corrupted = decoder.statistics.framesCorrupted
        #expect(try decoder.decode(Array(frames[3].prefix(frames[3].count * 2 / 3))).picture != nil)
        #expect(decoder.statistics.framesCorrupted == corrupted + 1)
        #expect(try decoder.decode(frames[4]).picture != nil)
    }

    @Test(arguments: VideoCodec.allCases)
    func `Unwanted frames are decoded and not returned`(codec: VideoCodec) throws {
        let frames = try CodedStream(codec, .qqvga, count: 8).frames
        let (decoder, other) = (try VPXDecoder(codec), try VPXDecoder(codec))
        for (index, frame) in frames.enumerated() {
            let isLast = index == frames.count - 1
            let picture = try decoder.decode(frame, isWanted: isLast).picture
            let expected = try other.decode(frame).picture
            #expect((picture != nil) == isLast)
            if isLast { #expect(picture?.samples == expected?.samples) }
        }
        #expect(decoder.statistics.framesDecoded == 8)
    }

    @Test(arguments: VideoCodec.allCases)
    func `Pictures of any size and of a new size come out whole`(codec: VideoCodec) throws {
        let decoder = try VPXDecoder(codec, poolCapacity: 2)
        let sizes = [(160, 120), (1, 1), (64, 48), (2, 3), (17, 33), (321, 241), (160, 120), (15, 1)]
        for size in sizes.map({ Resolution(width: $0.0, height: $0.1) }) {
            let pictures = try TestPictures(size)
            for (index, frame) in try CodedStream(codec, size, count: 3, bitrate: .kilobits(500)).frames.enumerated() {
                let picture = try #require(try decoder.decode(frame).picture, "\(size)")
                #expect(picture.resolution == size)
                let difference = PictureDifference(between: picture, and: pictures.picture(index))
                #expect(difference.psnr.y > 25, "\(codec) \(size) frame \(index): \(difference.psnr.y) dB")
            }
        }
        #expect(decoder.statistics.picturesWithoutBuffer == 0)
    }

    @Test func `Colors are those that a VP9 stream signals`() throws {
        let decoder = try VPXDecoder(.vp9)
        var frame = try CodedStream(.vp9, .qqvga, count: 1).frames[0]
        // color_space and color_range are bits 32 to 35 of a key frame of profile 0 (specification §6.2).
        frame[4] = frame[4] & 0x0F | 0b0101_0000
        #expect(try decoder.decode(frame).picture?.colorSpace == ColorSpace(matrix: .bt709, range: .full))
        frame[4] = frame[4] & 0x0F | 0b0010_0000
        #expect(try decoder.decode(frame).picture?.colorSpace == .bt601)
    }

    @Test func `Settings out of range are refused`() {
        #expect(throws: CodecError.self) { try VPXDecoder(threadCount: 0) }
        #expect(throws: CodecError.self) { try VPXDecoder(.vp9, threadCount: 17) }
    }
}
