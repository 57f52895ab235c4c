import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

/// Lips and eyes of a drawn face, filtered as part of a picture.
struct LipsAndEyesTests {
    /// A picture of each class of sizes: skin with two dark eyes and a red mouth.
    static let sizes = [
        Resolution(width: 240, height: 200), Resolution(width: 640, height: 480), Resolution(width: 960, height: 720),
    ]

    private struct Scene {
        let picture: VideoFrame
        let face: FaceRegion
        let pool: FramePool

        init(_ size: Resolution) throws {
            let side = size.height * 4 / 10 / 4 * 4
            face = FaceRegion(x: size.width / 4 / 4 * 4, y: size.height / 4 / 4 * 4, side: side)
            pool = try FramePool(resolution: size, capacity: 6)
            var frame = try existing(pool.makeFrame())
            var planes = frame.planes
            var random = SeededGenerator(seed: 5)
            for y in 0..<size.height {
                var row = planes.y.row(y)
                for x in 0..<size.width { row[x] = UInt8.random(in: 126...134, using: &random) }
            }
            for y in 0..<size.height / 2 {
                var u = planes.u.row(y)
                for x in 0..<size.width / 2 { u[x] = 112 }
                var v = planes.v.row(y)
                for x in 0..<size.width / 2 { v[x] = 148 }
            }
            for part in [Part.leftEye, .rightEye, .lips] {
                let (columns, rows) = part.area(of: face)
                for y in rows {
                    var row = planes.y.row(y)
                    for x in columns { row[x] -= part == .lips ? 20 : 40 }
                }
                guard part == .lips else { continue }
                for y in rows.lowerBound / 2..<rows.upperBound / 2 {
                    var v = planes.v.row(y)
                    for x in columns.lowerBound / 2..<columns.upperBound / 2 { v[x] += 6 }
                }
            }
            picture = frame.finish(captureTime: .zero)
        }

        /// The picture, filtered with the known face.
        func filtered(_ options: BeautyOptions, level: BeautyLevel = .full) throws -> VideoFrame {
            var filter = BeautyFilter(options)
            var result = picture
            for _ in 0..<150 {
                filter.giveFaces([face])
                result = try existing(try filter.apply(to: picture, into: pool, level: level))
            }
            return result
        }

        /// The mean change in the middle of a part: of luma, and of Cr.
        func change(_ result: VideoFrame, in part: Part) -> (luma: Double, red: Double) {
            let (columns, rows) = part.area(of: face)
            let (x, y) = ((columns.lowerBound + columns.upperBound) / 2, (rows.lowerBound + rows.upperBound) / 2)
            var (luma, red) = (0.0, 0.0)
            for (dx, dy) in [(-2, 0), (0, 0), (2, 0), (0, -2)] {
                luma += Double(result.y[x + dx, y + dy]) - Double(picture.y[x + dx, y + dy])
                red += Double(result.v[(x + dx) / 2, (y + dy) / 2]) - Double(picture.v[(x + dx) / 2, (y + dy) / 2])
            }
            return (luma / 4, red / 4)
        }
    }

    enum Part {
        case leftEye, rightEye, lips, cheek, wall

        func area(of face: FaceRegion) -> (columns: Range<Int>, rows: Range<Int>) {
            func part(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> (Range<Int>, Range<Int>) {
                let (left, top) = ((face.x + x * face.side / 100) / 4 * 4, (face.y + y * face.side / 100) / 4 * 4)
                return (left..<left + width * face.side / 400 * 4, top..<top + height * face.side / 400 * 4)
            }
            return switch self {
            case .leftEye: part(18, 36, 22, 12)
            case .rightEye: part(60, 36, 22, 12)
            case .lips: part(34, 79, 32, 12)
            case .cheek: part(20, 58, 10, 8)
            case .wall: part(-40, 58, 10, 8)
            }
        }
    }

    @Test(arguments: sizes)
    func `Lips and eyes are neither lightened nor reddened`(size: Resolution) throws {
        let scene = try Scene(size)
        var options = BeautyOptions.strong
        options.sharpness = 0
        let result = try scene.filtered(options)
        for part in [Part.leftEye, .rightEye, .lips] {
            let change = scene.change(result, in: part)
            #expect(abs(change.luma) < 2.5 && abs(change.red) < 1, "\(size), \(part): \(change)")
        }
        let cheek = scene.change(result, in: .cheek)
        #expect(cheek.luma > 15 && cheek.red > 3, "\(size): \(cheek)")
        // As long as no face is known they are: the test shows something.
        var filter = BeautyFilter(options)
        let plain = try existing(try filter.apply(to: scene.picture, into: scene.pool))
        #expect(scene.change(plain, in: .lips).luma > 10)
    }

    @Test(arguments: sizes)
    func `Lips get color and eyes get brighter, by amounts of their own`(size: Resolution) throws {
        let scene = try Scene(size)
        let colored = try scene.filtered(.only(\.lips, 1))
        #expect(scene.change(colored, in: .lips).red > 9 && scene.change(colored, in: .lips).luma == 0)
        let brightened = try scene.filtered(.only(\.eyes, 1))
        for eye in [Part.leftEye, .rightEye] { #expect(scene.change(brightened, in: eye).luma > 4) }
        for (result, parts) in [(colored, [Part.leftEye, .cheek, .wall]), (brightened, [Part.lips, .cheek, .wall])] {
            for part in parts {
                let change = scene.change(result, in: part)
                #expect(change.luma == 0 && change.red == 0, "\(size), \(part): \(change)")
            }
        }
        // At every level of the deadline.
        for level in BeautyLevel.allCases.dropFirst() {
            let isSearched = level < .halfStatistics
            let red = scene.change(try scene.filtered(.only(\.lips, 1), level: level), in: .lips).red
            #expect(isSearched ? red > 9 : red == 0, "\(size), \(level): \(red)")
        }
    }

    @Test func `A change takes eight frames`() throws {
        let scene = try Scene(Self.sizes[1])
        var filter = BeautyFilter(.only(\.lips, 0.1))
        var reds: [Double] = []
        for index in 0..<160 {
            filter.giveFaces([scene.face])
            if index == 150 { filter.options = .only(\.lips, 1) }
            let result = try existing(try filter.apply(to: scene.picture, into: scene.pool))
            if index >= 149 { reds.append(scene.change(result, in: .lips).red) }
        }
        #expect(reds[0] < 2 && reds[8] > 9 && reds[8] == reds[10], "\(reds)")
        #expect(zip(reds.dropFirst(), reds).allSatisfy { $0 - $1 <= 3 }, "\(reds)")
    }
}
