import RillCodec
import RillCore
import RillTestSupport
import Testing

/// Real streams of several temporal layers: frames that may be omitted, and frames at which a layer may be resumed.
struct TemporalPatternCodingTests {
    private static let resolution = Resolution(width: 176, height: 144)
    private static let frameCount = 64
    /// Out of step with every pattern.
    private static let keyFrame = 37

    private struct Coded {
        var frame: EncodedFrame
        var bytes: [UInt8]
    }

    private func stream(
        _ codec: VideoCodec, _ pattern: TemporalPattern, kilobits: Int = 300,
        _ change: (inout EncoderSettings) -> Void = { _ in }
    ) throws -> [Coded] {
        let pictures = try TestPictures(Self.resolution)
        var settings = EncoderSettings(codec)
        settings.temporalPattern = pattern
        change(&settings)
        let encoder = try VPXEncoder(
            settings, layer: StreamLayer(rid: .high), resolution: Self.resolution, frameRate: 30,
            bitrate: .kilobits(kilobits))
        var coded: [Coded] = []
        for index in 0..<Self.frameCount {
            // Bitrates change while the pattern goes on.
            if index == 20 { try encoder.setBitrate(.kilobits(kilobits * 2 / 3)) }
            try encoder.encode(pictures.picture(index), isKeyFrame: index == Self.keyFrame) { frame, payload in
                coded.append(Coded(frame: frame, bytes: payload.array))
            }
        }
        return coded
    }

    /// The samples of every frame's picture, by frame number; a frame that cannot be decoded is a failure.
    private func decode(_ frames: [Coded], _ codec: VideoCodec) throws -> [Int64: [UInt8]] {
        let decoder = try VPXDecoder(codec)
        var pictures: [Int64: [UInt8]] = [:]
        for coded in frames {
            guard case .picture(let picture) = try decoder.decode(coded.bytes.span, captureTime: .zero) else {
                Issue.record("\(codec): frame \(coded.frame.number) gives no picture")
                continue
            }
            pictures[coded.frame.number] = picture.samples
        }
        return pictures
    }

    @Test(arguments: VideoCodec.allCases, TemporalPattern.allCases)
    func `Without the layers above, the rest decodes to the same pictures`(codec: VideoCodec, pattern: TemporalPattern)
        throws
    {
        let frames = try stream(codec, pattern)
        let whole = try decode(frames, codec)
        #expect(whole.count == Self.frameCount)
        for highest in 0..<pattern.layerCount {
            let kept = frames.filter { $0.frame.layer.temporalIndex <= highest }
            let pictures = try decode(kept, codec)
            #expect(pictures.count == kept.count)
            #expect(
                pictures.allSatisfy { number, samples in whole[number] == samples } as Bool,
                "\(codec), \(pattern), up to layer \(highest)")
            // The key frame that was asked for restarts the pattern.
            let expected = (0..<Self.frameCount).filter { index in
                let position = index < Self.keyFrame ? index : index - Self.keyFrame
                return pattern.step(at: position).temporalIndex <= highest
            }
            #expect(kept.map { Int($0.frame.number) } == expected, "\(codec), \(pattern), up to layer \(highest)")
        }
    }

    @Test(arguments: VideoCodec.allCases, [TemporalPattern.l1t2, .l1t3])
    func `A layer can be joined where a frame allows it`(codec: VideoCodec, pattern: TemporalPattern) throws {
        let frames = try stream(codec, pattern)
        let whole = try decode(frames, codec)
        for highest in 1..<pattern.layerCount {
            let syncs = frames.indices.filter {
                frames[$0].frame.isLayerSync && frames[$0].frame.layer.temporalIndex == highest
            }
            #expect(!syncs.isEmpty)
            for sync in [syncs[1], syncs[syncs.count / 2]] {
                // Layer 0 alone before; all layers up to this one from here on.
                let kept = frames.enumerated().filter { index, coded in
                    coded.frame.layer.temporalIndex <= (index < sync ? 0 : highest)
                }.map(\.element)
                // Frames between that refer to what was left out are not taken up.
                var known: Set<Int64> = []
                let decodable = kept.filter { coded in
                    let references = (0..<coded.frame.references.count).map { coded.frame.references[$0] }
                    guard references.allSatisfy(known.contains) else { return false }
                    known.insert(coded.frame.number)
                    return true
                }
                #expect(decodable.contains { $0.frame.number == frames[sync].frame.number })
                let pictures = try decode(decodable, codec)
                #expect(
                    pictures.allSatisfy { number, samples in whole[number] == samples } as Bool,
                    "\(codec), \(pattern), layer \(highest) from frame \(sync) on")
            }
        }
    }

    @Test(arguments: VideoCodec.allCases, TemporalPattern.allCases)
    func `A frame needs only its references`(codec: VideoCodec, pattern: TemporalPattern) throws {
        // Every frame for itself: with the frames that it refers to, and those that they refer to, and no others.
        let frames = try stream(codec, pattern)
        let whole = try decode(frames, codec)
        for last in [5, 6, 7, 8, 39, 40, 41] {
            var needed: Set<Int64> = [Int64(last)]
            for coded in frames[...last].reversed() where needed.contains(coded.frame.number) {
                for index in 0..<coded.frame.references.count { needed.insert(coded.frame.references[index]) }
            }
            let pictures = try decode(frames.filter { needed.contains($0.frame.number) }, codec)
            #expect(pictures[Int64(last)] == whole[Int64(last)], "\(codec), \(pattern), frame \(last)")
        }
    }

    @Test(arguments: [(VideoCodec.vp8, TemporalPattern.l1t1), (.vp9, .l1t1), (.vp9, .l1t2), (.vp9, .l1t3)])
    func `A rate control that leaves frames out leaves no gap and no key frame out`(
        codec: VideoCodec, pattern: TemporalPattern
    ) throws {
        let frames = try stream(codec, pattern, kilobits: 40) { settings in
            (settings.dropThreshold, settings.quantizers) = (100, 2...12)
        }
        #expect(frames.count < Self.frameCount - 5, "nothing was left out: the test shows nothing")
        #expect(frames.map(\.frame.number) == (0..<Int64(frames.count)).map { $0 })
        // The key frame that was asked for came with the very picture it was asked for.
        let keyTimes = frames.filter(\.frame.isKey).map(\.frame.captureTime)
        #expect(keyTimes == [0, Self.keyFrame].map(FrameRate(30).time(ofFrame:)), "\(codec), \(pattern)")
        let whole = try decode(frames, codec)
        for highest in 0..<pattern.layerCount {
            let pictures = try decode(frames.filter { $0.frame.layer.temporalIndex <= highest }, codec)
            #expect(
                pictures.allSatisfy { number, samples in whole[number] == samples } as Bool,
                "\(codec), \(pattern), up to layer \(highest)")
        }
    }
}
