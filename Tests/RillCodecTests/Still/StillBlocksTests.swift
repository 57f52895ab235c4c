import RillCore
import RillTestSupport
import Testing

@testable import RillCodec

/// The detection of still blocks without libvpx: the test chooses the reference picture.
struct StillBlocksTests {
    private let pictures: StillPictures
    private var blocks = StillBlocks(StillPictures.resolution)
    /// A usual quantizer's step.
    private let step = 20.0
    private static let count = 20 * 15
    /// The macroblock with the spot.
    private static let spot = 6 * 20 + 6

    init() throws { pictures = try StillPictures() }

    private mutating func compare(_ source: VideoFrame, _ reference: VideoFrame, step: Double? = nil) -> Bool {
        blocks.compare(
            PicturePlanes(y: source.y, u: source.u, v: source.v),
            with: PicturePlanes(y: reference.y, u: reference.u, v: reference.v), step: step ?? self.step)
    }

    @Test mutating func `The same picture stands still, with noise and without`() throws {
        let reference = try pictures.picture(0)
        let isUsed = compare(reference, reference)
        #expect(isUsed)
        #expect(blocks.stillCount == Self.count)
        for index in 1..<40 {
            let isUsed = compare(try pictures.picture(index, noise: 3), reference)
            #expect(isUsed, "picture \(index)")
        }
        #expect(blocks.stillCount > Self.count * 97 / 100, "\(blocks.stillCount) of \(Self.count) are still")
    }

    @Test mutating func `A change within one block is coded, of luma and of chroma`() throws {
        let reference = try pictures.picture(0)
        _ = compare(try pictures.picture(1, spot: 12), reference)
        #expect(blocks.map[Self.spot] == 1 && blocks.stillCount == Self.count - 1)
        _ = compare(try pictures.picture(2, u: 4), reference)
        #expect(blocks.stillCount == 0)
    }

    @Test mutating func `Rows that one picture omits are in the next one`() throws {
        let reference = try pictures.picture(0)
        var isCoded: [Bool] = []
        let pool = try FramePool(resolution: StillPictures.resolution, capacity: 1)
        for index in 1...2 {
            // A line in every second row of one macroblock, of which the first comparison sees none.
            guard var frame = pool.makeFrame() else { throw TestFailure("no memory") }
            var planes = frame.planes
            for y in 0..<planes.y.height {
                var row = planes.y.row(y)
                for x in row.indices { row[x] = reference.y.row(y)[x] }
                if y >= 32, y < 48, y % 2 == 1 { for x in 32..<48 { row[x] &+= 40 } }
            }
            planes.u.fill(120)
            planes.v.fill(130)
            _ = compare(frame.finish(captureTime: FrameRate(30).time(ofFrame: index)), reference)
            isCoded.append(blocks.map[2 * 20 + 2] == 1)
        }
        #expect(isCoded == [false, true])
    }

    @Test mutating func `Blocks that changed with all others are coded until an encoder has refined them`() throws {
        let reference = try pictures.picture(0)
        for index in 1...60 {
            // The light of one picture, and later a spot in one.
            _ = compare(
                try pictures.picture(index, noise: 1, light: index == 10 ? 30 : 0, spot: index == 40 ? 60 : 0),
                reference)
            switch index {
            case 10..<26: #expect(blocks.stillCount == 0, "picture \(index)")
            case 40: #expect(blocks.map[Self.spot] == 1)
            default:
                #expect(blocks.stillCount > Self.count * 9 / 10 && blocks.map[Self.spot] == 0, "picture \(index)")
            }
        }
    }

    /// Slides: an encoder gains more from refining them than the map saves. Noise makes the same picture a camera's.
    @Test mutating func `A source that repeats its pictures is coded as a whole`() throws {
        let reference = try pictures.picture(0)
        var isUsed: [Bool] = []
        for index in 1...60 {
            let isNoisy = index > 30
            isUsed.append(compare(try pictures.picture(isNoisy ? index : 0, noise: isNoisy ? 1 : 0), reference))
        }
        #expect(!isUsed[1..<30].contains(true), "\(isUsed)")
        #expect(isUsed[40...].allSatisfy { $0 }, "\(isUsed)")
    }

    /// A camera of half the frame rate, whose pictures come twice, has noise all the same.
    @Test mutating func `A source that shows each picture twice is a camera`() throws {
        let reference = try pictures.picture(0)
        for index in 1...40 {
            let isUsed = compare(try pictures.picture(index / 2, noise: 2), reference)
            #expect(isUsed, "picture \(index)")
        }
    }

    @Test mutating func `Another scene is news, and noise is not`() throws {
        let reference = try pictures.picture(0)
        for index in 1...30 {
            let isOther = index == 20
            _ = compare(try pictures.picture(index, noise: 2, shift: isOther ? 47 : 0), reference)
            #expect(blocks.showsNews == isOther, "picture \(index)")
        }
    }

    /// However slow the change, the error does not grow: there is no memory that could hide it.
    @Test mutating func `A slow drift from the reference is coded before it shows`() throws {
        let reference = try pictures.picture(0)
        var coded: Double?
        for index in 1...100 where coded == nil {
            let drift = Double(index) * 0.05
            _ = compare(try pictures.picture(index, noise: 1, spot: drift * 4), reference)
            if blocks.map[Self.spot] == 1 { coded = drift }
        }
        #expect((coded ?? 9) < 2, "coded when a quarter of a block was off by \((coded ?? 9) * 4)")
    }

    @Test mutating func `A finer quantizer leaves less`() throws {
        let reference = try pictures.picture(0)
        _ = compare(try pictures.picture(1, light: 0.6), reference, step: 30)
        #expect(blocks.stillCount > Self.count * 9 / 10)
        blocks = StillBlocks(StillPictures.resolution)
        _ = compare(try pictures.picture(1, light: 0.6), reference, step: 3)
        #expect(blocks.stillCount < Self.count / 10)
    }

    @Test mutating func `A moving camera turns it off, and rest turns it on again`() throws {
        var last = try pictures.picture(0)
        var isUsed: [Bool] = []
        for index in 1...100 {
            // At rest, then a pan by half a pixel a picture, then at rest again.
            let shift = Double(min(max(index - 30, 0), 30)) / 2
            // Without noise, a picture at rest would repeat the one before.
            let isMoving = (31...60).contains(index)
            let next = try pictures.picture(index, noise: isMoving ? 0 : 1, shift: shift)
            isUsed.append(compare(next, last, step: 60))
            last = next
        }
        #expect(isUsed[..<30].allSatisfy { $0 })
        #expect(isUsed[45..<60].allSatisfy { !$0 }, "\(isUsed)")
        #expect(isUsed[90...].allSatisfy { $0 }, "\(isUsed)")
    }

    @Test mutating func `A ramp of the light turns it off`() throws {
        var last = try pictures.picture(0)
        var isUsed = true
        for index in 1...40 {
            let next = try pictures.picture(index, noise: 2, light: Double(index) / 2)
            isUsed = compare(next, last, step: 40)
            last = next
        }
        #expect(!isUsed)
    }

    @Test func `Blocks that the edge cuts are coded`() throws {
        let resolution = Resolution(width: 72, height: 40)
        let frames = try noiseFrames(1, resolution)
        var blocks = StillBlocks(resolution)
        let planes = PicturePlanes(y: frames[0].y, u: frames[0].u, v: frames[0].v)
        let isUsed = blocks.compare(planes, with: planes, step: 20)
        #expect(isUsed)
        #expect(blocks.columns == 5 && blocks.rows == 3)
        #expect(blocks.map == [0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    }
}
