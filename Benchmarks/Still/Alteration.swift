import Arguments
import Glibc
import RillCore
import RillFiles
import Scenes

/// Effects of a camera, a light or a hand on a clip. Deterministic: the same clip gives the same bytes.
enum Alteration: String, CaseIterable {
    case original
    /// Gaussian noise of a sensor, of that standard deviation in luma, half of it in chroma.
    case noise1, noise2 = "noise2.5", noise5
    /// Noise whose variance grows with the light.
    case poisson
    /// The exposure falls by a quarter over the clip, or rises by 15 % for its middle third.
    case ramp, step
    /// 3 % of the light of lamps at 50 Hz, as a rolling shutter sees it.
    case flicker
    /// The white balance drifts to and fro by 6 steps.
    case balance
    /// A hand holds the camera: motion by this many pixels to each side, between pixels too.
    case shake1, shake2, shake4
    /// The camera turns by two pixels a frame.
    case pan
    /// The person leaves the picture and comes back: a wipe to the wall and back.
    case leaves
    /// Eight slides, each a still picture.
    case slides
    /// The drawn portrait instead of the clip.
    case portrait

    func write(_ clip: Clip, to path: String) throws {
        let writer = try Y4MWriter(path: path, resolution: clip.resolution, frameRate: 30)
        if self == .portrait {
            let scene = try PortraitScene(resolution: clip.resolution, frameRate: 30, frameCount: 90)
            while case .frame(let frame) = scene.next() { try writer.consume(frame) }
        } else {
            let pool = try FramePool(resolution: clip.resolution, capacity: 2)
            var noise = Noise()
            for index in clip.frames.indices {
                guard var frame = pool.makeFrame() else { throw WrongUse("no memory") }
                fill(&frame, from: clip, index, &noise)
                try writer.consume(frame.finish(captureTime: FrameRate(30).time(ofFrame: index)))
            }
        }
        try writer.finish()
    }

    private func fill(_ frame: inout MutableFrame, from clip: Clip, _ index: Int, _ noise: inout Noise) {
        let count = clip.frames.count
        let source = self == .slides ? clip.frames[index * 8 / count * count / 8] : clip.frames[index]
        var planes = frame.planes
        transform(source.y, to: &planes.y, plane: 0, index, count, &noise)
        transform(source.u, to: &planes.u, plane: 1, index, count, &noise)
        transform(source.v, to: &planes.v, plane: 2, index, count, &noise)
    }

    private func transform(
        _ source: Plane, to target: inout MutablePlane, plane: Int, _ index: Int, _ count: Int, _ noise: inout Noise
    ) {
        let scale = plane == 0 ? 1.0 : 0.5
        for y in 0..<source.height {
            let input = source.row(y)
            var output = target.row(y)
            let gain = gain(index, count, y: Double(y) / Double(source.height))
            for x in 0..<source.width {
                var value = Double(input[x])
                switch self {
                case .original, .slides: break
                case .noise1: value += noise.next() * (plane == 0 ? 1 : 0.5)
                case .noise2: value += noise.next() * (plane == 0 ? 2.5 : 1.25)
                case .noise5: value += noise.next() * (plane == 0 ? 5 : 2.5)
                case .poisson:
                    value += noise.next() * (plane == 0 ? 2.5 * (max(0, value - 16) / 110).squareRoot() : 1.25)
                case .ramp, .step, .flicker:
                    value = plane == 0 ? 16 + (value - 16) * gain : 128 + (value - 128) * gain
                case .balance:
                    if plane > 0 { value += (plane == 1 ? 6 : -6) * sin(Double(index) / 20) }
                case .shake1, .shake2, .shake4, .pan:
                    let (dx, dy, zoom) = view(index, count, width: Double(source.width) / scale)
                    value = source.sample(dx * scale + Double(x) * zoom, dy * scale + Double(y) * zoom)
                case .leaves:
                    if Double(x) >= Double(source.width) * edge(index, count) {
                        value = Double(input[reflected(x, in: source.width / 8)])
                    }
                case .portrait: break
                }
                output[x] = UInt8(min(max((value + 0.5).rounded(.down), 0), 255))
            }
        }
    }

    private func gain(_ index: Int, _ count: Int, y: Double) -> Double {
        let time = Double(index) / Double(count)
        switch self {
        case .ramp: return 1 - time / 4
        case .step: return (1.0 / 3..<2.0 / 3).contains(time) ? 1.15 : 1
        // The lamp's 100 Hz beside 30 frames a second of 29.97, the rows one after the other.
        case .flicker: return 1 + 0.03 * sin(2 * .pi * 100 * (Double(index) / 29.97 + y / 30))
        default: return 1
        }
    }

    /// Where the camera looks.
    private func view(_ index: Int, _ count: Int, width: Double) -> (x: Double, y: Double, zoom: Double) {
        let time = Double(index)
        func shake(_ amount: Double) -> (Double, Double, Double) {
            (
                amount * (0.7 * sin(time / 3.7) + 0.3 * sin(time / 1.3)),
                amount * (0.7 * cos(time / 4.3) + 0.3 * sin(time / 1.7)), 1
            )
        }
        switch self {
        case .shake1: return shake(1)
        case .shake2: return shake(2)
        case .shake4: return shake(4)
        default: return (min(2 * time, width * 0.25), 10, 0.75)
        }
    }

    /// The share of the picture's width that the person's side has.
    private func edge(_ index: Int, _ count: Int) -> Double {
        let time = Double(index) / Double(count)
        return min(1, max(0, abs(time - 0.5) * 6 - 1))
    }

    /// A place in the leftmost part, which is continued by its mirror images.
    private func reflected(_ x: Int, in width: Int) -> Int {
        let place = x % (2 * width)
        return place < width ? place : 2 * width - 1 - place
    }
}

extension Plane {
    /// The value between samples; beyond the edge it is the edge's.
    fileprivate func sample(_ x: Double, _ y: Double) -> Double {
        let (x, y) = (min(max(x, 0), Double(width - 1)), min(max(y, 0), Double(height - 1)))
        let (left, top) = (Int(x), Int(y))
        let (right, bottom) = (min(left + 1, width - 1), min(top + 1, height - 1))
        let (a, b) = (x - Double(left), y - Double(top))
        let upper = row(top)
        let lower = row(bottom)
        return (Double(upper[left]) * (1 - a) + Double(upper[right]) * a) * (1 - b)
            + (Double(lower[left]) * (1 - a) + Double(lower[right]) * a) * b
    }
}

/// Gaussian numbers.
struct Noise {
    private var random = SeededGenerator(seed: 32)
    private let table: [Double]

    init() {
        var random = SeededGenerator(seed: 1)
        table = (0..<65536).map { _ in
            sqrt(-2 * log(1 - random.unitInterval())) * cos(2 * .pi * random.unitInterval())
        }
    }

    mutating func next() -> Double { table[Int(random.next() & 0xFFFF)] }
}
