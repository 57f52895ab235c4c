import RillCodec
import RillCore
import RillMediaSupport
import RillScenes
import RillTestSupport
import Testing

@testable import RillTranscode

struct CodingComparisonTests {
    private func layer(_ resolution: Resolution, _ codec: VideoCodec = .vp8, skipsStillBlocks: Bool = false)
        -> LayerSettings
    {
        var layer = LayerSettings.high(resolution, bitrate: .kilobits(300), codec: codec)
        layer.encoder.skipsStillBlocks = skipsStillBlocks
        return layer
    }

    /// The pictures of a comparison, and their figures.
    private func run(_ source: any FrameSource, _ layer: LayerSettings) throws -> [(VideoFrame, CodedPicture)] {
        let comparison = try CodingComparison(source, layer: layer, capacity: 100)
        var all: [(VideoFrame, CodedPicture)] = []
        while case .frame(let frame) = try comparison.next() { all.append((frame, try existing(comparison.newest))) }
        return all
    }

    @Test(arguments: VideoCodec.allCases)
    func `It codes the bytes of a transcoder, and shows the pictures of decoders`(codec: VideoCodec) throws {
        // Odd: macroblocks and chroma samples are cut by the edges.
        let resolution = Resolution(width: 161, height: 127)
        let coded = CodedRecording()
        _ = try Transcoder(
            source: LoopedPictures(resolution, frameCount: 30), outputs: [.encoded(layer(resolution, codec), coded)]
        ).run()
        let frames = coded.frames(of: .high)
        let compared = try run(LoopedPictures(resolution, frameCount: 30), layer(resolution, codec))
        try #require(frames.count == 30 && compared.count == 30)
        #expect(compared.map(\.1.byteCount) == frames.map(\.count))
        #expect(compared.map(\.1.isKeyFrame) == (0..<30).map { $0 == 0 })
        let decoder = try VPXDecoder(codec)
        for (index, (picture, figures)) in compared.enumerated() {
            #expect(picture.resolution == Resolution(width: 324, height: 256))
            let payload = frames[index]
            guard case .picture(let shown) = try decoder.decode(payload.span, captureTime: .zero) else {
                throw TestFailure("no picture")
            }
            let isShown =
                samples(of: picture, x: 162, y: 0, resolution) == samples(of: shown, x: 0, y: 0, resolution)
            #expect(isShown, "picture \(index)")
            #expect(figures.blockCount == 11 * 8 && figures.stillBlockCount == 0 && figures.quantizer != nil)
        }
    }

    @Test func `Skipped blocks are dark, and errors are ten times as large`() throws {
        let resolution = Resolution(width: 320, height: 240)
        let scene = try PortraitScene(resolution: resolution, frameRate: 30, frameCount: 40)
        let compared = try run(scene, layer(resolution, skipsStillBlocks: true))
        let columns = 20
        #expect(compared.contains { $0.1.stillBlockCount > 100 }, "little was left out: the test shows nothing")
        for (picture, figures) in compared {
            var dark = Set<Int>()
            var wrong = 0
            for y in 0..<240 {
                for x in 0..<320 {
                    let (source, shown) = (picture.y[x, y], picture.y[320 + x, y])
                    let block = y / 16 * columns + x / 16
                    if picture.y[x, 240 + y] != source {
                        dark.insert(block)
                        if picture.y[x, 240 + y] != 16 + (source - 16) / 3 { wrong += 1 }
                    }
                    let error = 126 + 10 * (Int(shown) - Int(source))
                    if Int(picture.y[320 + x, 240 + y]) != min(max(error, 16), 235) { wrong += 1 }
                }
            }
            for y in 0..<120 {
                for x in 0..<160 {
                    let isDark = dark.contains(y / 8 * columns + x / 8)
                    if picture.u[x, 120 + y] != (isDark ? 128 : picture.u[x, y]) { wrong += 1 }
                    if picture.v[x, 120 + y] != (isDark ? 128 : picture.v[x, y]) { wrong += 1 }
                    let error = 128 + 10 * (Int(picture.v[160 + x, y]) - Int(picture.v[x, y]))
                    if Int(picture.v[160 + x, 120 + y]) != min(max(error, 16), 235) { wrong += 1 }
                }
            }
            #expect(wrong == 0 && dark.count == figures.stillBlockCount)
        }
    }

    @Test func `Pictures of another size are scaled to the layer's`() throws {
        let (large, small) = (Resolution(width: 160, height: 128), Resolution(width: 80, height: 64))
        let compared = try run(LoopedPictures(large, frameCount: 3), layer(small))
        #expect(compared.map(\.0.resolution) == Array(repeating: large, count: 3))
    }

    @Test func `Four pictures that are too large for one are refused`() throws {
        let resolution = Resolution(width: 8194, height: 16)
        #expect(throws: CodecError.self) { try run(LoopedPictures(resolution, frameCount: 1), layer(resolution)) }
    }

    private func samples(of picture: VideoFrame, x: Int, y: Int, _ resolution: Resolution) -> [UInt8] {
        var samples: [UInt8] = []
        for line in 0..<resolution.height {
            for column in 0..<resolution.width { samples.append(picture.y[x + column, y + line]) }
        }
        for line in 0..<resolution.chroma.height {
            for column in 0..<resolution.chroma.width {
                samples.append(picture.u[x / 2 + column, y / 2 + line])
                samples.append(picture.v[x / 2 + column, y / 2 + line])
            }
        }
        return samples
    }
}
