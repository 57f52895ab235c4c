package import RillCore

/// Pictures made on the spot: a soft gradient with a bright square that wanders, and a little noise, so that an encoder
/// has both still and moving parts to code. Picture `n` depends on the seed, the size and `n` alone.
package struct TestPictures {
    package let resolution: Resolution
    package let frameRate: FrameRate
    private let seed: UInt64
    private let pool: FramePool

    package init(_ resolution: Resolution, frameRate: FrameRate = 30, seed: UInt64 = 1, capacity: Int = 8) throws {
        self.resolution = resolution
        self.frameRate = frameRate
        self.seed = seed
        self.pool = try FramePool(resolution: resolution, capacity: capacity)
    }

    /// Picture `index`, at its time in a stream of the frame rate.
    package func picture(_ index: Int) -> VideoFrame {
        guard var frame = pool.makeFrame() else { preconditionFailure("the test holds too many pictures") }
        var planes = frame.planes
        var random = SeededGenerator(seed: seed &+ UInt64(index) &* 7919)
        let side = max(2, resolution.height / 4)
        let left = index * 3 % max(1, resolution.width - side)
        let top = index * 2 % max(1, resolution.height - side)
        for y in 0..<planes.y.height {
            var noise = random.next()
            var row = planes.y.row(y)
            for x in row.indices {
                if x % 16 == 0 { noise = random.next() }
                let isInSquare = (left..<left + side).contains(x) && (top..<top + side).contains(y)
                let base = isInSquare ? 200 : 40 + 120 * x / resolution.width + 40 * y / resolution.height
                row[x] = UInt8(base + Int(noise >> UInt64(x % 16 * 4) & 3))
            }
        }
        for y in 0..<planes.u.height {
            var u = planes.u.row(y)
            for x in u.indices { u[x] = UInt8(110 + 40 * x / u.count) }
            var v = planes.v.row(y)
            for x in v.indices { v[x] = UInt8(150 - 40 * y / resolution.chroma.height) }
        }
        return frame.finish(captureTime: frameRate.time(ofFrame: index))
    }
}

extension VideoFrame {
    /// All samples, plane after plane without the bytes between rows: what two equal pictures have in common.
    package var samples: [UInt8] {
        var samples: [UInt8] = []
        samples.reserveCapacity(resolution.pixelCount * 3 / 2)
        for plane in 0..<format.planeCount {
            for y in 0..<self[plane: plane].height {
                let row = self[plane: plane].row(y)
                for x in row.indices { samples.append(row[x]) }
            }
        }
        return samples
    }
}
