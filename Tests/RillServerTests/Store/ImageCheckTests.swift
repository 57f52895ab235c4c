#if Server
import Foundation
import RillRooms
import RillTestSupport
import Testing

@testable import RillServer

@Suite struct ImageCheckTests {
    private static func check(_ bytes: [UInt8], _ change: (inout ImageLimits) -> Void = { _ in }) -> Outcome {
        var limits = ImageLimits()
        change(&limits)
        do throws(ImageRefusal) { return .taken(try ImageCheck(bytes, limits)) } catch { return .refused(error) }
    }

    private enum Outcome: Equatable {
        case taken(ImageCheck)
        case refused(ImageRefusal)
    }

    @Test(arguments: ImageSample.allCases)
    func `Each kind of image is taken, with its size`(_ sample: ImageSample) throws {
        let image = try ImageCheck(sample.bytes)
        #expect(sample.rawValue.hasPrefix(image.format.rawValue))
        #expect(image.width == 24 && image.height == 16)
        let isTransparent = ["pngAlpha", "pngPalette", "webpLossless", "webpAlpha", "gifAnimated"]
            .contains(sample.rawValue)
        #expect(image.thumbnailFormat == (isTransparent ? .png : .jpeg))
        // The thumbnail is an image itself, as small as this one is.
        let thumbnail = try ImageCheck(image.thumbnail)
        #expect(thumbnail.format == image.thumbnailFormat && thumbnail.width == 24 && thumbnail.height == 16)
        // A smaller thumbnail keeps the ratio, and is never larger than its bound.
        let small = try ImageCheck(sample.bytes, Self.limits(side: 6))
        let smaller = try ImageCheck(small.thumbnail)
        #expect(smaller.width == 6 && smaller.height == 4)
    }

    private static func limits(side: Int) -> ImageLimits {
        var limits = ImageLimits()
        limits.thumbnailSide = side
        return limits
    }

    @Test(arguments: ImageSample.allCases) func `No image that is cut short is taken`(_ sample: ImageSample) {
        let bytes = sample.bytes
        for count in 0..<bytes.count {
            let outcome = Self.check(Array(bytes[..<count]))
            #expect(outcome == .refused(.damaged) || outcome == .refused(.unknownFormat), "\(count) bytes")
        }
    }

    @Test func `Other files are refused, whatever they are called`() {
        let others: [[UInt8]] = [
            [], [0], Array("<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>".utf8),
            Array("<!DOCTYPE html><script>alert(1)</script>".utf8), Array("BM".utf8) + Array(repeating: 0, count: 60),
            Array("II*\0".utf8), Array("%PDF-1.7".utf8), Array("RIFF\u{10}\0\0\0WAVE".utf8),
            Array("\0\0\0\u{1C}ftypavif".utf8), Array("GIF88a".utf8), [0xFF, 0xD8], [0x89, 0x50, 0x4E, 0x47],
            Array("<?xml version=\"1.0\"?><svg/>".utf8), Array("\0\0\u{1}\0".utf8),
        ]
        for bytes in others { #expect(Self.check(bytes) == .refused(.unknownFormat)) }
    }

    @Test func `A GIF whose control extension is not one block of four bytes is damaged, as browsers have it`() throws {
        let bytes = ImageSample.gifAnimated.bytes
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x21, 0xF9, 4]) })
        let rest = Array(bytes[(place + 8)...])
        for blocks: [UInt8] in [
            [], [5, 1, 5, 0, 0, 0], [3, 1, 5, 0], [4, 1, 5, 0, 0, 1, 9], [12] + Array(repeating: 0, count: 12),
        ] {
            let other = Array(bytes[...(place + 1)]) + blocks + [0] + rest
            #expect(Self.check(other) == .refused(.damaged), "\(blocks)")
        }
        let whole = Array(bytes[...(place + 1)]) + [4, 1, 5, 0, 1, 0] + rest
        #expect(Self.check(whole) == Self.check(bytes))
    }

    @Test func `Dimensions are checked before anything is decoded`() {
        let limit = ImageLimits().pixelCount
        for bytes in Bombs.all { #expect(Self.check(bytes) == .refused(.tooManyPixels(limit: limit))) }
        // The limit is the last size that is taken.
        for sample in ImageSample.allCases {
            #expect(Self.check(sample.bytes) { $0.pixelCount = 24 * 16 - 1 } == .refused(.tooManyPixels(limit: 383)))
            if case .refused(let refusal) = Self.check(sample.bytes, { $0.pixelCount = 24 * 16 }) {
                Issue.record("\(sample): \(refusal)")
            }
            #expect(Self.check(sample.bytes) { $0.byteCount = 50 } == .refused(.tooLarge(limit: 50)))
        }
        for sample in [ImageSample.gifAnimated, .webpAnimated] {
            #expect(
                Self.check(sample.bytes) { $0.totalPixelCount = 500 }
                    == .refused(.tooManyPixels(limit: limit)))
            #expect(Self.check(sample.bytes) { $0.frameCount = 1 } == .refused(.tooManyPixels(limit: limit)))
        }
        for sample in [ImageSample.pngInterlaced, .webpLossless] {
            #expect(Self.check(sample.bytes) { $0.memory = 24 * 16 * 4 - 1 } == .refused(.tooManyPixels(limit: limit)))
        }
    }

    @Test(arguments: ImageOrientation.allCases, [true, false])
    func `Exif's orientation turns the size and the thumbnail`(
        _ orientation: ImageOrientation, _ isLittle: Bool
    ) throws {
        for sample in [ImageSample.jpeg, .jpegProgressive, .png, .pngInterlaced] {
            let bytes = Exif.add(orientation.rawValue, isLittle: isLittle, to: sample.bytes)
            let image = try ImageCheck(bytes)
            let size = orientation.isTransposed ? [16, 24] : [24, 16]
            #expect([image.width, image.height] == size, "\(sample)")
            let thumbnail = try ImageCheck(image.thumbnail)
            #expect([thumbnail.width, thumbnail.height] == size, "\(sample)")
        }
    }

    @Test func `Exif that cannot be read turns nothing`() throws {
        let bytes = ImageSample.jpeg.bytes
        let good = Exif.segment(orientation: 6, isLittle: true)
        for inputs in MutatedInputs(of: [good], count: 2000, using: SeededGenerator(seed: 3)) {
            // A damaged length may hide the rest of the file.
            guard let image = try? ImageCheck(Array(bytes[..<2]) + inputs + Array(bytes[2...])) else { continue }
            #expect(Set([image.width, image.height]) == [16, 24])
        }
        for value in [0, 9, 255, 65535] {
            let image = try ImageCheck(
                Array(bytes[..<2]) + Exif.segment(orientation: value, isLittle: false) + Array(bytes[2...]))
            #expect(image.width == 24)
        }
    }

    @Test func `A picture is turned as its orientation says`() {
        // 3x2: 1 2 3 / 4 5 6, as grey pixels.
        func picture(_ width: Int, _ height: Int, _ values: [UInt8]) -> Thumbnail {
            Thumbnail(width: width, height: height, pixels: values.flatMap { [$0, $0, $0, 255] })
        }
        let expected: [(ImageOrientation, Int, Int, [UInt8])] = [
            (.upright, 3, 2, [1, 2, 3, 4, 5, 6]), (.mirrored, 3, 2, [3, 2, 1, 6, 5, 4]),
            (.upsideDown, 3, 2, [6, 5, 4, 3, 2, 1]), (.flipped, 3, 2, [4, 5, 6, 1, 2, 3]),
            (.transposed, 2, 3, [1, 4, 2, 5, 3, 6]), (.clockwise, 2, 3, [4, 1, 5, 2, 6, 3]),
            (.transversed, 2, 3, [6, 3, 5, 2, 4, 1]), (.counterclockwise, 2, 3, [3, 6, 2, 5, 1, 4]),
        ]
        for (orientation, width, height, values) in expected {
            var turned = picture(3, 2, [1, 2, 3, 4, 5, 6])
            turned.apply(orientation)
            #expect(turned == picture(width, height, values), "\(orientation)")
        }
    }

    @Test func `A thumbnail's pixel is the mean of what it covers, by alpha`() {
        var scaler = ThumbnailScaler(width: 4, height: 2, side: 2)
        scaler.add([10, 0, 0, 255, 30, 0, 0, 255, 200, 0, 0, 0, 100, 0, 0, 255].span)
        scaler.add([10, 0, 0, 255, 30, 0, 0, 255, 200, 0, 0, 0, 200, 0, 0, 0].span)
        #expect(scaler.thumbnail.pixels == [20, 0, 0, 255, 100, 0, 0, 64])
        for (width, height) in [(1, 1), (1, 5000), (5000, 1), (321, 320), (639, 17), (3, 3)] {
            var scaler = ThumbnailScaler(width: width, height: height, side: 320)
            let row = [UInt8](repeating: 77, count: 4 * width)
            for _ in 0..<height { scaler.add(row.span) }
            let thumbnail = scaler.thumbnail
            #expect(max(thumbnail.width, thumbnail.height) == min(max(width, height), 320))
            #expect(thumbnail.pixels.allSatisfy { $0 == 77 })
        }
    }
}

/// Small files that say they are large pictures.
private enum Bombs {
    static var all: [[UInt8]] { [png, jpeg, gif, webp] }

    /// 50,000 x 50,000 pixels.
    private static var png: [UInt8] {
        var bytes = ImageSample.png.bytes
        for (index, byte) in [0, 0, 0xC3, 0x50, 0, 0, 0xC3, 0x50].enumerated() { bytes[16 + index] = UInt8(byte) }
        return bytes.repairedPNG
    }

    /// 65,500 x 65,500 pixels, in the frame header.
    private static var jpeg: [UInt8] {
        var bytes = ImageSample.jpeg.bytes
        guard let start = bytes.indices.dropLast(9).first(where: { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 }) else {
            return []
        }
        for (index, byte) in [0xFF, 0xDC, 0xFF, 0xDC].enumerated() { bytes[start + 5 + index] = UInt8(byte) }
        return bytes
    }

    /// 65,535 x 65,535 pixels.
    private static var gif: [UInt8] {
        var bytes = ImageSample.gif.bytes
        for index in 6..<10 { bytes[index] = 0xFF }
        return bytes
    }

    /// 16,383 x 16,383 pixels, in the header of the lossy picture.
    private static var webp: [UInt8] {
        var bytes = ImageSample.webp.bytes
        for (index, byte) in [0xFF, 0x3F, 0xFF, 0x3F].enumerated() { bytes[26 + index] = UInt8(byte) }
        return bytes
    }
}

private enum Exif {
    /// An image with an orientation, behind the beginning of a JPEG or the header of a PNG.
    static func add(_ orientation: Int, isLittle: Bool, to bytes: [UInt8]) -> [UInt8] {
        guard ChatImage.Format(of: bytes) == .png else {
            return Array(bytes[..<2]) + segment(orientation: orientation, isLittle: isLittle) + Array(bytes[2...])
        }
        let exif = tiff(orientation: orientation, isLittle: isLittle)
        let chunk = [0, 0, 0, UInt8(exif.count)] + Array("eXIf".utf8) + exif + [0, 0, 0, 0]
        return Array(bytes[..<33] + chunk + bytes[33...]).repairedPNG
    }

    /// An APP1 segment with an orientation.
    static func segment(orientation: Int, isLittle: Bool) -> [UInt8] {
        let body = Array("Exif\0\0".utf8) + tiff(orientation: orientation, isLittle: isLittle)
        let count = body.count + 2
        return [0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 0xFF)] + body
    }

    /// A TIFF header with a directory of two entries.
    private static func tiff(orientation: Int, isLittle: Bool) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isLittle ? bytes : bytes.reversed()
        }
        let entries = [(0x010F, 2, 4, 0x4141_4141), (0x0112, 3, 1, 0)]
        var tiff = Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(entries.count, 2)
        for (tag, type, count, value) in entries {
            tiff += number(tag, 2) + number(type, 2) + number(count, 4)
            tiff += tag == 0x0112 ? number(orientation, 2) + [0, 0] : number(value, 4)
        }
        return tiff + number(0, 4)
    }
}

extension [UInt8] {
    /// A PNG with the checksums that its chunks should have; other bytes as they are.
    var repairedPNG: [UInt8] {
        guard ChatImage.Format(of: self) == .png else { return self }
        var bytes = self
        var position = 8
        while position + 12 <= bytes.count {
            let count = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            guard count <= bytes.count - position - 12 else { break }
            var sum: UInt32 = 0xFFFF_FFFF
            for byte in bytes[position + 4..<position + 8 + count] {
                sum ^= UInt32(byte)
                for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
            }
            for index in 0..<4 {
                bytes[position + 8 + count + index] = UInt8(truncatingIfNeeded: ~sum >> UInt32(24 - 8 * index))
            }
            position += 12 + count
        }
        return bytes
    }
}
#endif
