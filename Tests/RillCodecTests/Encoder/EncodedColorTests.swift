import RillCodec
import RillCore
import RillTestSupport
import Testing

/// The color description in coded streams.
@Suite struct EncodedColorTests {
    private let resolution = Resolution(width: 64, height: 48)

    private func encoder(_ codec: VideoCodec) throws -> VPXEncoder {
        try VPXEncoder(
            EncoderSettings(codec), layer: StreamLayer(rid: .high), resolution: resolution, frameRate: 30,
            bitrate: .kilobits(200))
    }

    /// Codes pictures of these matrices, decodes them, and gives which were key frames and what the pictures say then.
    private func roundTrip(
        _ codec: VideoCodec, _ matrices: [ColorSpace.Matrix], restartingAt restart: Int? = nil
    ) throws -> (keys: [Int], colors: [ColorSpace], headers: [UInt8]) {
        let pictures = try TestPictures(resolution)
        let encoder = try encoder(codec)
        let decoder = try VPXDecoder(codec)
        var result = (keys: [Int](), colors: [ColorSpace](), headers: [UInt8]())
        for (index, matrix) in matrices.enumerated() {
            var picture = pictures.picture(index)
            picture.colorSpace.matrix = matrix
            if index == restart { try encoder.restart() }
            try encoder.encode(picture) { coded, payload in
                if coded.isKey { result.keys.append(index) }
                if codec == .vp9, case .key(let header, _) = try VP9FrameHeader(parsing: payload).kind {
                    result.headers.append(header.colorSpace)
                }
                guard case .picture(let decoded) = try decoder.decode(payload, captureTime: .zero) else {
                    throw TestFailure("a coded frame gives no picture")
                }
                result.colors.append(decoded.colorSpace)
            }
        }
        return result
    }

    @Test func `VP9 signals BT.709, from the first frame and after a restart`() throws {
        let matrices = [ColorSpace.Matrix](repeating: .bt709, count: 8)
        let result = try roundTrip(.vp9, matrices, restartingAt: 5)
        #expect(result.keys == [0, 5] && result.headers == [2, 2])
        #expect(result.colors == [ColorSpace](repeating: .bt709, count: 8))
    }

    @Test func `BT.601 is not signaled, unless it follows another matrix`() throws {
        #expect(try roundTrip(.vp9, [.bt601, .bt601]).headers == [0])
        let matrices: [ColorSpace.Matrix] = [.bt601, .bt601, .bt709, .bt709, .bt601]
        let result = try roundTrip(.vp9, matrices)
        #expect(result.keys == [0, 2, 4] && result.headers == [0, 2, 1])
        #expect(result.colors.map(\.matrix) == matrices)
    }

    @Test func `VP8 has no field for it, and needs no key frame`() throws {
        let result = try roundTrip(.vp8, [.bt601, .bt709, .bt709])
        #expect(result.keys == [0] && result.colors.allSatisfy { $0 == .bt601 })
    }

    @Test(arguments: VideoCodec.allCases)
    func `Full range is rejected instead of encoded as limited range`(codec: VideoCodec) throws {
        var picture = try TestPictures(resolution).picture(0)
        picture.colorSpace.range = .full
        #expect(throws: CodecError.unsupportedRange(.full)) { try encoder(codec).encode(picture) { _, _ in } }
        let pass = try VPXFirstPass(.good(codec), resolution: resolution, frameRate: 30, bitrate: .kilobits(200))
        #expect(throws: CodecError.unsupportedRange(.full)) { try pass.add(picture) }
    }
}
