import Glibc
import RillCodec
import RillCore
import RillFiles
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillTranscode

struct ThumbnailSinkTests {
    private let folder = TemporaryFolder()

    private func size(_ name: String) -> (width: Int, height: Int)? {
        guard let file = unsafe fopen(folder.path("th/" + name), "r") else { return nil }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 24)
        guard unsafe fread(&bytes, 1, 24, file) == 24 else { return nil }
        // Width and height stand at byte 16 of a PNG, big-endian.
        func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        return (number(16), number(20))
    }

    @Test func `Pictures are named by their times and shown on one sheet`() throws {
        let source = try LoopedPictures(Resolution(width: 640, height: 362), frameRate: 10, frameCount: 80)
        let sink = try ThumbnailSink(folder: folder.path("th"))
        let layer = LayerSettings.thumbnails(of: source.format.resolution, every: .seconds(1))
        #expect(layer.resolution == Resolution(width: 320, height: 180))
        _ = try Transcoder(source: source, outputs: [.pictures(layer, sink)]).run()
        #expect(size("00-00-03.000.png") == nil)
        try sink.commit()
        #expect(sink.count == 8)
        for second in 0..<8 { #expect(size("00-00-0\(second).000.png") ?? (0, 0) == (320, 180), "\(second)") }
        // Six beside each other, in two rows, with gaps of four pixels around.
        #expect(size(ThumbnailSink.sheetName) ?? (0, 0) == (6 * 324 + 4, 2 * 184 + 4))
    }

    @Test func `The sheet of a long clip shows some`() throws {
        let source = try LoopedPictures(Resolution(width: 16, height: 16), frameRate: 1, frameCount: 150)
        let sink = try ThumbnailSink(folder: folder.path("th"))
        let layer = LayerSettings.thumbnails(of: source.format.resolution, every: .seconds(1))
        _ = try Transcoder(source: source, outputs: [.pictures(layer, sink)]).run()
        try sink.commit()
        #expect(sink.count == 150 && size("00-02-29.000.png") ?? (0, 0) == (16, 16))
        // Every fourth of 150 are 38, in seven rows of six.
        #expect(size(ThumbnailSink.sheetName) ?? (0, 0) == (6 * 20 + 4, 7 * 20 + 4))
    }

    @Test func `Without commit nothing stays`() throws {
        do {
            let sink = try ThumbnailSink(folder: folder.path("th"))
            try sink.consume(try TestPictures(.qqvga).picture(0))
            try sink.finish()
        }
        #expect(size("00-00-00.000.png") == nil && size(".00-00-00.000.png.part") == nil)
        #expect(size(ThumbnailSink.sheetName) == nil)
    }

    @Test func `Names sort as times do`() {
        #expect(ThumbnailSink.name(of: MediaTime(nanoseconds: 3_723_004_999_999)) == "01-02-03.004")
        #expect(ThumbnailSink.name(of: MediaTime(nanoseconds: -5)) == "00-00-00.000")
    }

    @Test func `A folder that cannot be created is reported`() {
        #expect(throws: FileError.openFailed(path: folder.path("no/th"), code: ENOENT)) {
            _ = try ThumbnailSink(folder: folder.path("no/th"))
        }
    }
}

struct LadderTests {
    private func ladder(_ width: Int, _ height: Int, _ bitrate: Int) -> [String] {
        let full = LayerSettings.high(Resolution(width: width, height: height), bitrate: .kilobits(bitrate))
        return [LayerSettings].ladder(full, low: .low).map { "\($0.rid) \($0.resolution) \($0.bitrate)" }
    }

    @Test func `Each step has half the sides and its share of bits`() {
        #expect(
            ladder(1280, 720, 1500) == [
                "high 1280x720 1500k", "half 640x360 679k", "quarter 320x180 307k", "low 160x120 45k",
            ])
        // Odd quotients become even; sizes not larger than the low layer are left out.
        #expect(ladder(638, 478, 400).map { $0.split(separator: " ")[1] } == ["638x478", "318x238", "160x120"])
        #expect(ladder(160, 120, 100) == ["high 160x120 100k", "low 160x120 45k"])
    }
}
