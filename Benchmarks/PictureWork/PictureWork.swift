import Glibc
import Rill
import Turns

/// One piece of work on pictures of 1280x720, again and again, and nothing else.
///
///     picture-work same --pictures 1000 --turns 11
///
/// prints the nanoseconds that a picture took, one line a turn.
@main
struct PictureWork {
    static func main() throws {
        let bench = try Bench()
        Turns<Work>(counting: "pictures", 1000).run { work, count in
            for _ in 0..<count {
                guard bench.run(work) else { preconditionFailure("\(work.rawValue) went wrong") }
            }
        }
    }
}

/// What can be measured.
private enum Work: String, CaseIterable {
    /// Compare a picture with one in another buffer that is the same.
    case same
    /// Compare a picture with one of which every sample is noise.
    case changed
    /// Compare as many bytes with `memcmp`, and nothing else.
    case memcmp
    /// Turn it by a quarter.
    case turn
    /// Mirror it.
    case mirror
    /// Copy it: the least that a stage with a picture of its own can cost.
    case copy
    /// Scale it to 640x360.
    case scale
    /// The same, between bars, in a picture of 640x480.
    case letterbox
}

/// Pictures to work on, and pools for what becomes of them.
private struct Bench {
    private let picture: VideoFrame
    private let same: VideoFrame
    private let noise: VideoFrame
    private let bytes: [UInt8]
    private let sameBytes: [UInt8]
    private let pool: FramePool
    private let turned: FramePool
    private let scaled: FramePool
    private let boxed: FramePool
    private let fit = PictureFit(.hd720, into: .vga, .letterbox)

    init() throws {
        var random = SeededGenerator(seed: 1)
        let pictures = try FramePool(resolution: .hd720, capacity: 3)
        pool = try FramePool(resolution: .hd720, capacity: 1)
        turned = try FramePool(resolution: Rotation.clockwise90.applied(to: .hd720), capacity: 1)
        scaled = try FramePool(resolution: Resolution(width: 640, height: 360), capacity: 1)
        boxed = try FramePool(resolution: .vga, capacity: 1)
        picture = try Bench.noise(from: pictures, using: &random)
        noise = try Bench.noise(from: pictures, using: &random)
        guard let copy = picture.copied(into: pictures) else { throw Dry() }
        same = copy
        bytes = [UInt8](repeating: 7, count: pictures.layout.byteCount)
        sameBytes = bytes.map { $0 }
    }

    private struct Dry: Error {}

    private static func noise(
        from pool: FramePool, using random: inout SeededGenerator
    ) throws -> VideoFrame {
        guard var frame = pool.makeFrame() else { throw Dry() }
        var planes = frame.planes
        for index in planes.y.bytes.indices { planes.y.bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        planes.u.fill(100)
        planes.v.fill(150)
        return frame.finish(captureTime: .zero)
    }

    /// Does the work once; `false` when its outcome is not what it has to be.
    func run(_ work: Work) -> Bool {
        switch work {
        case .same: picture.hasSamePixels(as: same)
        case .changed: !picture.hasSamePixels(as: noise)
        case .memcmp: Glibc.memcmp(bytes, sameBytes, bytes.count) == 0
        case .turn: picture.rotated(by: .clockwise90, into: turned) != nil
        case .mirror: picture.mirrored(into: pool) != nil
        case .copy: picture.copied(into: pool) != nil
        case .scale: picture.scaled(into: scaled) != nil
        case .letterbox: picture.scaled(fit, into: boxed) != nil
        }
    }
}
