import Glibc
import RillCore
import RillTestSupport

/// Pictures of scenes: each is a soft random texture that moves past the camera and bends, by parts of a pixel, with a
/// little noise. So an encoder has something to code at every quantizer.
struct ScenePictures {
    let resolution: Resolution
    private let pool: FramePool
    /// The texture of each scene, wider than a picture.
    private let scenes: [[UInt8]]
    private let width: Int

    private static let cell = 12
    private static let maximumShift = 96

    init(_ resolution: Resolution, scenes count: Int) throws {
        self.resolution = resolution
        pool = try FramePool(resolution: resolution, capacity: 4)
        let width = resolution.width + ScenePictures.maximumShift
        self.width = width
        scenes = (0..<count).map { scene in
            ScenePictures.texture(width: width, height: resolution.height, seed: UInt64(scene + 1))
        }
    }

    /// A lattice of random values, with straight lines between them.
    private static func texture(width: Int, height: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        let (columns, rows) = (width / cell + 2, height / cell + 2)
        let lattice = (0..<columns * rows).map { _ in Int.random(in: 30...220, using: &random) }
        return (0..<width * height).map { index in
            let (x, y) = (index % width, index / width)
            let (column, row, dx, dy) = (x / cell, y / cell, x % cell, y % cell)
            let first = lattice[row * columns + column] * (cell - dx) + lattice[row * columns + column + 1] * dx
            let second =
                lattice[(row + 1) * columns + column] * (cell - dx) + lattice[(row + 1) * columns + column + 1] * dx
            return UInt8((first * (cell - dy) + second * dy) / (cell * cell))
        }
    }

    /// Picture `index` of a stream at 30 frames per second, showing `scene`, moving or at rest.
    func picture(_ index: Int, scene: Int, isStill: Bool = false) throws -> VideoFrame {
        guard var frame = pool.makeFrame() else { throw TestFailure("the pool is dry") }
        var planes = frame.planes
        let phase = isStill ? 0 : Double(index)
        var random = SeededGenerator(seed: UInt64(phase) &* 7919 &+ 1)
        for y in 0..<planes.y.height {
            var row = planes.y.row(y)
            var noise = random.next()
            // In sixteenths of a pixel: to and fro in three seconds, and a wave down the picture.
            let shift = 45 + 30 * sin(phase / 15) + 8 * sin(Double(y) / 20 + phase / 4)
            let (whole, part) = Int(shift * 16).quotientAndRemainder(dividingBy: 16)
            for x in row.indices {
                if x % 16 == 0 { noise = random.next() }
                let place = y * width + x + whole
                let sample = Int(scenes[scene][place]) * (16 - part) + Int(scenes[scene][place + 1]) * part
                row[x] = UInt8(sample / 16) &+ UInt8(noise >> UInt64(x % 16 * 4) & 3)
            }
        }
        planes.u.fill(120)
        planes.v.fill(130)
        return frame.finish(captureTime: FrameRate(30).time(ofFrame: index))
    }
}
