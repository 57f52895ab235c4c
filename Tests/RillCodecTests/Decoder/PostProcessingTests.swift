import RillCodec
import RillCore
import RillTestSupport
import Testing

/// The effect of postprocessing. Its gain is measured in Tests/LongTests.
@Suite struct PostProcessingTests {
    /// Which pictures of a stream differ from the exact ones.
    private func smoothed(_ stream: CodedStream, _ settings: PostProcessing) throws -> [Bool] {
        let (exact, decoder) = (try VPXDecoder(stream.codec), try VPXDecoder(stream.codec, postProcessing: settings))
        return try stream.frames.map { frame in
            let plain = try existing(try exact.decode(frame).picture)
            return try existing(try decoder.decode(frame).picture).samples != plain.samples
        }
    }

    @Test func `Coarsely coded small pictures are smoothed, and only they`() throws {
        let (small, large) = (Resolution(width: 320, height: 240), Resolution(width: 336, height: 240))
        let coarse = try CodedStream(.vp8, small, count: 6, bitrate: .kilobits(40))
        #expect(try smoothed(coarse, .smallPictures) == [false, true, true, true, true, true])
        #expect(try smoothed(coarse, .off).allSatisfy { !$0 })
        #expect(try smoothed(coarse, PostProcessing(maximumPixelCount: 319 * 240)).allSatisfy { !$0 })
        let fine = try CodedStream(.vp8, small, count: 6, bitrate: .kilobits(8000))
        #expect(try smoothed(fine, .smallPictures).suffix(3).allSatisfy { !$0 })
        let big = try CodedStream(.vp8, large, count: 6, bitrate: .kilobits(40))
        #expect(try smoothed(big, .smallPictures).allSatisfy { !$0 })
        let other = try CodedStream(.vp9, small, count: 6, bitrate: .kilobits(40))
        #expect(try smoothed(other, .smallPictures).allSatisfy { !$0 })
    }

    @Test func `References of later frames stay exact`() throws {
        // Coarse frames, and then fine ones that build on them: only the former are smoothed.
        let size = Resolution.qqvga
        let pictures = try TestPictures(size)
        let encoder = try VPXEncoder(
            layer: StreamLayer(rid: .low), resolution: size, frameRate: 30, bitrate: .kilobits(60))
        let (exact, decoder) = (try VPXDecoder(), try VPXDecoder(postProcessing: .smallPictures))
        var same: [Bool] = []
        for index in 0..<40 {
            if index == 10 { try encoder.setBitrate(.kilobits(8000)) }
            try encoder.encode(pictures.picture(index)) { coded, bytes in
                #expect(coded.isKey == (index == 0))
                let plain = try existing(try exact.decode(bytes, captureTime: .zero).picture)
                let shown = try existing(try decoder.decode(bytes, captureTime: .zero).picture)
                same.append(plain.samples == shown.samples)
            }
        }
        #expect(same.prefix(10).contains(false) && same.suffix(10).allSatisfy { $0 }, "\(same)")
    }
}
