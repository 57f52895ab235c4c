import RillCore
import RillTestSupport
import Testing

@testable import RillCodec

/// libvpx with a burst limit, and without.
struct BurstEncodingTests {
    private static let resolution = Resolution(width: 640, height: 360)

    private func encoder(_ codec: VideoCodec, _ bitrate: Bitrate, limit: MediaDuration?) throws -> VPXEncoder {
        var settings = EncoderSettings(codec)
        settings.burstLimit = limit
        return try VPXEncoder(
            settings, layer: StreamLayer(rid: .high), resolution: Self.resolution, frameRate: 30, bitrate: bitrate)
    }

    /// The bytes of each frame; `change` runs before each.
    private func sizes(
        _ encoder: VPXEncoder, _ pictures: ScenePictures, count: Int, scene: (Int) -> Int = { _ in 0 },
        isStill: (Int) -> Bool = { _ in false },
        change: (Int) throws -> Void = { _ in }
    ) throws -> [Int] {
        var sizes: [Int] = []
        for index in 0..<count {
            try change(index)
            var size = 0
            try encoder.encode(try pictures.picture(index, scene: scene(index), isStill: isStill(index))) {
                _, payload in size = payload.count
            }
            sizes.append(size)
        }
        return sizes
    }

    @Test(arguments: [VideoCodec.vp8, .vp9])
    func `Frames follow a cut of the bitrate at once`(codec: VideoCodec) throws {
        let pictures = try ScenePictures(Self.resolution, scenes: 1)
        // The bitrate and the mean size of a frame after the cut.
        let (high, low) = (Bitrate.kilobits(3000), Bitrate.kilobits(600))
        // The picture rests before, so that libvpx saves as much as it may; and VP8 spends it freely from its 150th
        // frame on.
        let share = Double(low.bitsPerSecond) / 8 / 30
        func after(_ limit: MediaDuration?) throws -> [Double] {
            let encoder = try encoder(codec, high, limit: limit)
            let sizes = try sizes(
                encoder, pictures, count: 230, isStill: { (110..<180).contains($0) },
                change: { if $0 == 200 { try encoder.setBitrate(low) } })
            return sizes[200...].map { Double($0) / share }
        }
        let (with, without) = (try after(.milliseconds(120)), try after(nil))
        note(
            "\(codec.rawValue) with: \(with.map { Int($0 * 100) }), without: \(without.map { Int($0 * 100) }) % of the share"
        )
        let (mean, usual) = (with.reduce(0, +) / 30, without.max() ?? 0)
        #expect((0.7...1.15).contains(mean), "\(mean) of the target in the second after the cut")
        #expect(with.allSatisfy { $0 < 1.8 }, "\(with.max() ?? 0) times the share")
        #expect(usual > 2, "libvpx alone follows as well, within \(usual) shares: the limit shows nothing")
    }

    /// The bitrate of a network never stands still. Where each small fall took away what VP8 had saved, it stayed at
    /// the quantizers of a low bitrate and spent little more than half of a high one.
    @Test(arguments: [VideoCodec.vp8, .vp9])
    func `A bitrate that rises and ripples is spent`(codec: VideoCodec) throws {
        let pictures = try ScenePictures(Self.resolution, scenes: 1)
        let (low, high) = (300, 2000)
        let encoder = try encoder(codec, .kilobits(low), limit: .milliseconds(120))
        var allowed = 0
        func ripple(_ index: Int) throws {
            let target = (index < 240 ? low : high) * (index % 3 == 0 ? 95 : 102) / 100
            try encoder.setBitrate(.kilobits(target))
            if index >= 330 { allowed += target * 1000 / 8 / 30 }
        }
        let sizes = try sizes(encoder, pictures, count: 480, change: ripple)
        let spent = sizes[330...].reduce(0, +)
        note("\(codec.rawValue): \(spent * 100 / allowed) % of the bitrate")
        #expect(spent > allowed * 85 / 100 && spent < allowed * 110 / 100, "\(spent) of \(allowed) bytes")
    }

    @Test(arguments: [VideoCodec.vp8, .vp9])
    func `A new scene's first frame fits the limit`(codec: VideoCodec) throws {
        let pictures = try ScenePictures(Self.resolution, scenes: 4)
        let limit = MediaDuration.milliseconds(75)
        // 75 ms of 2 Mbit/s.
        let byteCount = 18_750
        func cuts(_ limit: MediaDuration?) throws -> [Int] {
            let sizes = try sizes(
                try encoder(codec, .kilobits(2000), limit: limit), pictures, count: 160, scene: { $0 / 40 })
            return [sizes[40], sizes[80], sizes[120]]
        }
        let (with, without) = (try cuts(limit), try cuts(nil))
        note("\(codec.rawValue): \(with) bytes with a limit of \(byteCount), \(without) without")
        #expect(with.allSatisfy { $0 < byteCount * 13 / 10 }, "\(with)")
        #expect(zip(with, without).allSatisfy { $0 * 5 / 4 < $1 }, "\(without): the limit shows nothing")
    }

    @Test(arguments: [VideoCodec.vp8, .vp9])
    func `A key frame on request fits the limit, and single frames theirs`(codec: VideoCodec) throws {
        let pictures = try ScenePictures(Self.resolution, scenes: 1)
        let encoder = try encoder(codec, .kilobits(700), limit: .milliseconds(120))
        var sizes: [Int] = []
        for index in 0..<90 {
            if index == 80 { encoder.limitNextFrame(to: sizes[79] / 2) }
            try encoder.encode(try pictures.picture(index, scene: 0), isKeyFrame: index == 60) { _, payload in
                sizes.append(payload.count)
            }
        }
        note("\(codec.rawValue): key frame of \(sizes[60]), frames \(sizes[72...])")
        #expect(sizes[60] < 10_500 * 15 / 10)
        #expect(sizes[80] < sizes[79] * 7 / 10, "\(sizes[79]) and then \(sizes[80])")
        // The bytes that the limited frame saved are not spent by the next ones.
        let (before, after) = (sizes[72..<80].reduce(0, +), sizes[80..<88].reduce(0, +))
        #expect(after < before * 95 / 100 && after > before / 2, "\(before) and then \(after) bytes in eight frames")
    }

    /// Patterns of temporal layers, sizes and codecs: every frame still decodes.
    @Test(arguments: [TemporalPattern.l1t1, .l1t2, .l1t3], [VideoCodec.vp8, .vp9])
    func `Limited frames decode`(pattern: TemporalPattern, codec: VideoCodec) throws {
        let pictures = try ScenePictures(Self.resolution, scenes: 3)
        var settings = EncoderSettings(codec)
        (settings.burstLimit, settings.temporalPattern) = (.milliseconds(120), pattern)
        let encoder = try VPXEncoder(
            settings, layer: StreamLayer(rid: .high), resolution: Self.resolution, frameRate: 30,
            bitrate: .kilobits(1000))
        let decoder = try VPXDecoder(codec)
        var shown = 0
        for index in 0..<60 {
            if index == 30 { try encoder.setBitrate(.kilobits(200)) }
            if index % 7 == 0 { encoder.limitNextFrame(to: 500) }
            try encoder.encode(try pictures.picture(index, scene: index / 20)) { _, payload in
                if case .picture = try decoder.decode(payload, captureTime: .zero) { shown += 1 }
            }
        }
        #expect(shown == 60)
    }

    /// The numbers of libvpx's settings, from libvpx itself.
    @Test(arguments: [VideoCodec.vp8, .vp9])
    func `A setting for an index is that of the encoder`(codec: VideoCodec) throws {
        let size = Resolution(width: 64, height: 64)
        let pictures = try TestPictures(size)
        var indices: [Int] = []
        for setting in 0...63 {
            var settings = EncoderSettings(codec)
            settings.quantizers = setting...setting
            let encoder = try VPXEncoder(
                settings, layer: StreamLayer(rid: .high), resolution: size, frameRate: 30, bitrate: .kilobits(100))
            guard case .coded(let index?) = try encoder.encode(pictures.picture(0), { _, _ in }) else { continue }
            indices.append(index)
        }
        try #require(indices.count == 64)
        for index in 0...indices[63] {
            let setting = QuantizerModel.setting(atLeast: index, of: codec)
            #expect(indices[setting] >= index, "index \(index): setting \(setting) has \(indices[setting])")
            #expect(indices[setting] <= index + 5, "index \(index): setting \(setting) has \(indices[setting])")
        }
    }
}
