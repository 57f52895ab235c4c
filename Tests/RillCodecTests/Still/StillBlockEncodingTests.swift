import RillCore
import RillImage
import RillTestSupport
import Testing

@testable import RillCodec

/// Still blocks in an encoder, and their resets.
struct StillBlockEncodingTests {
    private let pictures: StillPictures
    private static let count = 20 * 15

    init() throws { pictures = try StillPictures() }

    private static func settings(_ isOn: Bool = true, _ change: (inout EncoderSettings) -> Void = { _ in })
        -> EncoderSettings
    {
        var settings = EncoderSettings(.vp8)
        settings.skipsStillBlocks = isOn
        // With bits to spare, a picture at rest would come to quantizers that leave nothing as it is.
        settings.quantizers = 30...56
        change(&settings)
        return settings
    }

    /// An encoder with its decoder, that counts what each frame leaves out.
    private final class Stream {
        let encoder: VPXEncoder
        private let decoder: VPXDecoder
        private(set) var skipped: [Int] = []
        private(set) var psnr: [Double] = []
        private(set) var isKey: [Bool] = []
        private(set) var isDropped: [Bool] = []
        private(set) var checksum = Checksum()

        init(_ settings: EncoderSettings, _ resolution: Resolution = StillPictures.resolution) throws {
            encoder = try VPXEncoder(
                settings, layer: StreamLayer(rid: .high), resolution: resolution, frameRate: 30,
                bitrate: .kilobits(400))
            decoder = try VPXDecoder(settings.codec)
        }

        func send(_ picture: VideoFrame, isKeyFrame: Bool = false) throws {
            let before = encoder.statistics.stillBlocksSkipped
            let outcome = try encoder.encode(picture, isKeyFrame: isKeyFrame) { frame, bytes in
                checksum.add(bytes)
                isKey.append(frame.isKey)
                if case .picture(let shown) = try decoder.decode(bytes, captureTime: frame.captureTime) {
                    psnr.append(PictureDifference(between: shown, and: picture).psnr.y)
                }
            }
            isDropped.append(outcome == .dropped)
            skipped.append(encoder.statistics.stillBlocksSkipped - before)
        }
    }

    @Test func `Most of a still picture is skipped, at the same quality and the same bytes each time`() throws {
        let streams = try [true, true, false].map { try Stream(Self.settings($0)) }
        for index in 0..<40 {
            let spot = index % 2 == 0 ? 30.0 : 0
            for stream in streams { try stream.send(try pictures.picture(index, noise: 1, spot: spot)) }
        }
        let (on, again, off) = (streams[0], streams[1], streams[2])
        #expect(on.skipped[20...].allSatisfy { $0 > Self.count / 2 }, "\(on.skipped)")
        #expect(on.encoder.activeMap.filter { $0 == 0 }.count == on.skipped.last && off.encoder.activeMap.isEmpty)
        #expect(off.skipped.allSatisfy { $0 == 0 })
        #expect(on.checksum.value == again.checksum.value)
        for (with, without) in zip(on.psnr, off.psnr) { #expect(with > without - 1, "\(with) and \(without) dB") }
    }

    /// Content, effort and denoiser, and the other codec: as if it were off.
    @Test(arguments: 0..<3)
    func `Where it cannot help it changes nothing`(index: Int) throws {
        func settings(_ isOn: Bool) -> EncoderSettings {
            switch index {
            case 0: return Self.settings(isOn) { $0.content = .screen }
            case 1: return Self.settings(isOn) { $0.isDenoising = true }
            default:
                var settings = EncoderSettings(.vp9)
                settings.skipsStillBlocks = isOn
                return settings
            }
        }
        let (on, off) = (try Stream(settings(true)), try Stream(settings(false)))
        for index in 0..<12 {
            let picture = try pictures.picture(index, noise: 1)
            try on.send(picture)
            try off.send(picture)
        }
        #expect(on.checksum.value == off.checksum.value)
        #expect(on.skipped.allSatisfy { $0 == 0 })
    }

    /// Whatever made the speed slow: the size or the settings.
    @Test func `At a slow speed the golden frame is a reference, and a map leaves out a tenth of the blocks`() {
        func usage(_ resolution: Resolution, speed: Int? = nil) -> StillBlockControl.Usage {
            StillBlockControl.Usage(Self.settings { $0.speed = speed }, resolution)
        }
        let small = Resolution(width: 320, height: 240)
        for fast in [usage(.vga), usage(.hd720), usage(.vga, speed: -8), usage(small, speed: -6)] {
            #expect(fast.ignored == [.ignoresGolden, .ignoresAlternate] && fast.leastShare == 0)
        }
        for slow in [usage(small), usage(.qqvga), usage(.vga, speed: -5)] {
            #expect(slow.ignored == .ignoresAlternate && slow.leastShare == 0.1)
        }
    }

    /// One of fifteen rows of blocks stands still.
    @Test func `At a slow speed few still blocks are coded as all others, at a fast one they are skipped`() throws {
        let (slow, fast) = (try Stream(Self.settings()), try Stream(Self.settings { $0.speed = -6 }))
        for index in 0..<20 {
            let picture = try pictures.picture(index, noise: 1, livelyRows: 224)
            try slow.send(picture)
            try fast.send(picture)
        }
        #expect(slow.skipped.allSatisfy { $0 == 0 }, "\(slow.skipped)")
        #expect(fast.skipped[10...].allSatisfy { (1...20).contains($0) }, "\(fast.skipped)")
    }

    @Test func `A requested key frame codes every block, and the next frames go on`() throws {
        let stream = try Stream(Self.settings())
        for index in 0..<30 { try stream.send(try pictures.picture(index, noise: 1), isKeyFrame: index == 20) }
        #expect(stream.isKey[20] && stream.skipped[20] == 0 && stream.skipped[19] > 0)
        #expect(stream.skipped[29] > Self.count / 3, "\(stream.skipped)")
    }

    @Test func `Another scene is coded as a whole`() throws {
        let stream = try Stream(Self.settings())
        for index in 0..<50 { try stream.send(try pictures.picture(index, noise: 1, shift: index < 20 ? 0 : 47)) }
        #expect(stream.skipped[19] > Self.count / 2, "\(stream.skipped)")
        // Until it is refined, but for blocks that are nearly the same in both scenes.
        #expect(stream.skipped[20..<36].allSatisfy { $0 < Self.count / 10 }, "\(stream.skipped)")
        #expect(stream.skipped[49] > Self.count / 2, "\(stream.skipped)")
    }

    @Test func `A new bitrate continues, a restart resets`() throws {
        let stream = try Stream(Self.settings())
        for index in 0..<60 {
            if index == 20 { try stream.encoder.setBitrate(.kilobits(300)) }
            if index == 30 { try stream.encoder.restart() }
            try stream.send(try pictures.picture(index, noise: 1))
        }
        #expect(stream.skipped[20] > Self.count / 2, "\(stream.skipped)")
        #expect(stream.isKey[30] && stream.skipped[30] == 0, "\(stream.skipped)")
        #expect(stream.skipped[59] > Self.count / 2, "\(stream.skipped)")
    }

    @Test func `A new size restarts`() throws {
        let settings = Self.settings()
        let encoder = try VPXEncoder(
            settings, layer: StreamLayer(rid: .high), resolution: StillPictures.resolution, frameRate: 30,
            bitrate: .kilobits(400))
        for index in 0..<10 { try encoder.encode(try pictures.picture(index, noise: 1)) { _, _ in } }
        #expect(encoder.statistics.stillBlocksSkipped > 0)
        let small = Resolution(width: 200, height: 104)
        try encoder.change(to: settings, resolution: small, frameRate: 30, bitrate: .kilobits(200))
        let smaller = try TestPictures(small)
        for index in 10..<20 {
            let before = encoder.statistics.stillBlocksSkipped
            try encoder.encode(smaller.picture(index)) { frame, _ in #expect(frame.isKey == (index == 10)) }
            #expect(encoder.statistics.stillBlocksSkipped - before <= 13 * 7)
        }
    }

    /// The light changes with the switch: a map that libvpx kept would show.
    @Test func `It can be switched while the encoder runs, and content switches it`() throws {
        let stream = try Stream(Self.settings())
        let off = Self.settings(false)
        let usual = try Stream(off)
        let screen = Self.settings { $0.content = .screen }
        for index in 0..<80 {
            let settings = [20: off, 40: Self.settings(), 60: screen][index]
            if let settings {
                try stream.encoder.change(
                    to: settings, resolution: StillPictures.resolution, frameRate: 30, bitrate: .kilobits(400))
            }
            let picture = try pictures.picture(index, noise: 1, light: index < 20 ? 0 : 12)
            try stream.send(picture)
            try usual.send(picture)
        }
        #expect(stream.skipped[20..<40].allSatisfy { $0 == 0 } && stream.skipped[60...].allSatisfy { $0 == 0 })
        #expect(stream.skipped[19] > Self.count / 2 && stream.skipped[59] > Self.count / 2, "\(stream.skipped)")
        #expect(stream.isKey.filter { $0 }.count == 1)
        for (index, (with, without)) in zip(stream.psnr, usual.psnr).enumerated() where (20..<40).contains(index) {
            #expect(with > without - 1, "\(index): \(with) and \(without) dB")
        }
    }

    @Test func `The denoiser switches it off while it runs, and on again`() throws {
        let stream = try Stream(Self.settings())
        for index in 0..<60 {
            if let isDenoising = [20: true, 40: false][index] {
                try stream.encoder.change(
                    to: Self.settings { $0.isDenoising = isDenoising }, resolution: StillPictures.resolution,
                    frameRate: 30, bitrate: .kilobits(400))
            }
            try stream.send(try pictures.picture(index, noise: 1))
        }
        #expect(stream.skipped[20..<40].allSatisfy { $0 == 0 })
        #expect(stream.skipped[19] > Self.count / 2 && stream.skipped[59] > Self.count / 2, "\(stream.skipped)")
        #expect(stream.isKey.filter { $0 }.count == 1)
    }

    /// The reference of a frame after one of an upper layer is a picture that libvpx does not show: such frames are
    /// coded as a whole.
    @Test(arguments: [TemporalPattern.l1t2, .l1t3])
    func `Only frames that follow their reference leave blocks out`(pattern: TemporalPattern) throws {
        let stream = try Stream(Self.settings { $0.temporalPattern = pattern })
        for index in 0..<32 { try stream.send(try pictures.picture(index, noise: 1)) }
        for (index, skipped) in stream.skipped.enumerated() {
            let followsBase = index % pattern.period == 1
            #expect(followsBase || skipped == 0, "\(index): \(skipped)")
            if followsBase, index > 16 { #expect(skipped > Self.count / 2, "\(index): \(skipped)") }
        }
        #expect(stream.psnr.suffix(16).allSatisfy { $0 > 34 }, "\(stream.psnr)")
    }

    /// A fader of the beauty filter, and light: the picture is never further from the source than without still blocks,
    /// but for a little.
    @Test func `Ramps leave no trail`() throws {
        let (on, off) = (try Stream(Self.settings()), try Stream(Self.settings(false)))
        for index in 0..<60 {
            let picture = try pictures.picture(index, noise: 1, light: Double(max(0, min(index - 20, 20))) / 2)
            try on.send(picture)
            try off.send(picture)
        }
        for (index, (with, without)) in zip(on.psnr, off.psnr).enumerated() {
            #expect(with > without - 1, "\(index): \(with) and \(without) dB")
        }
    }

    /// A frame that libvpx drops changes no reference: the frame after it skips the blocks that are still since the
    /// last coded one.
    @Test func `After dropped frames still blocks are found as before`() throws {
        let stream = try Stream(
            Self.settings {
                $0.dropThreshold = 90
                $0.quantizers = 10...30
                // At a slow speed few still blocks would be none.
                $0.speed = -6
            })
        // While much is coded at a bitrate that is far too low, frames are dropped.
        for index in 0..<120 {
            if let kilobits = [40: 10, 80: 400][index] { try stream.encoder.setBitrate(.kilobits(kilobits)) }
            let isLively = (40..<80).contains(index)
            try stream.send(try pictures.picture(index, noise: isLively ? 4 : 1))
        }
        let isDropped = stream.isDropped
        let followers = isDropped.indices.dropFirst().filter { isDropped[$0 - 1] && !isDropped[$0] }
        #expect(!followers.isEmpty)
        for index in followers { #expect(stream.skipped[index] > 0, "\(index): \(stream.skipped)") }
        #expect(isDropped.indices.allSatisfy { !isDropped[$0] || stream.skipped[$0] == 0 })
        // With another reference than the decoder's it would be 20 dB less.
        #expect(stream.psnr.suffix(10).allSatisfy { $0 > 40 }, "\(stream.psnr.suffix(10))")
    }

    @Test func `A layer that was off starts with a key frame, and skips blocks again`() throws {
        var layer = LayerSettings.high(StillPictures.resolution, bitrate: .kilobits(400))
        layer.encoder = Self.settings()
        let encoder = try SimulcastEncoder(layers: [layer])
        var skipped: [Int] = []
        for index in 0..<60 {
            if index == 20 { encoder.plan.setActive(false, layer: 0) }
            if index == 30 { encoder.plan.setActive(true, layer: 0) }
            let before = encoder.layers[0].statistics.stillBlocksSkipped
            try encoder.encode(try pictures.picture(index, noise: 1)) { frame, _ in
                #expect(frame.isKey == (index == 0 || index == 30))
            }
            skipped.append(encoder.layers[0].statistics.stillBlocksSkipped - before)
        }
        #expect(skipped[19] > Self.count / 2 && skipped[30] == 0 && skipped[59] > Self.count / 2, "\(skipped)")
    }
}
