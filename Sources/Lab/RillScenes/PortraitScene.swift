public import RillCore

/// A drawn person in front of a webcam, for tests, benchmarks and `rill generate`.
///
/// The head sways, tilts, turns, talks and blinks; the shoulders sway with it. The skin has pores and freckles. The
/// room has books, and a poster with print. Everything has the noise of a sensor. Any size and frame rate are possible.
///
/// ```swift
/// let scene = try PortraitScene(resolution: .hd720, frameRate: 30, frameCount: 300)
/// while case .frame(let frame) = scene.next() { try writer.consume(frame) }
/// ```
///
/// Frames are I420 in BT.601, limited range, with timestamps from zero at the frame rate. A frame depends only on its
/// number and the settings: it has the same bytes on every machine, whichever frames were drawn before.
///
/// Not thread-safe, like every ``/RillCore/FrameSource``. Cost: everything static is painted when the scene is
/// created. A frame is then a copy of the room, the shoulders, the head and the noise, and allocates only a lease.
public final class PortraitScene: FrameSource {
    /// The size, rate and, if it ends, length of the clip.
    public let format: SourceFormat
    /// The person and the camera.
    public let settings: Settings
    /// The number of the next frame.
    public private(set) var nextFrame = 0

    let framing: Framing
    private let painter: Head
    private var head: Sprite
    /// The expression in which the head is painted.
    private var expression = PortraitMotion.Expression()
    private let torso: Sprite
    private let torsoBox: Box
    private let room: VideoFrame
    private let noise: SensorNoise
    private let motion: PortraitMotion
    private let frameRate: FrameRate
    private let pool: FramePool

    /// Paints the scene.
    ///
    /// - Parameters:
    ///   - resolution: the size of the frames.
    ///   - frameRate: the frame rate, which determines timestamps and movements.
    ///   - frameCount: the number of frames, 0 or more; `nil` for an endless clip.
    ///   - settings: the person and the camera.
    ///   - poolCapacity: how many frames may be in use downstream at once.
    /// - Throws: ``/RillCore/FrameError`` if there is no memory.
    public init(
        resolution: Resolution, frameRate: FrameRate, frameCount: Int? = nil, settings: Settings = Settings(),
        poolCapacity: Int = 8
    ) throws(FrameError) {
        precondition(frameCount ?? 0 >= 0, "a clip cannot have \(frameCount ?? 0) frames")
        format = SourceFormat(resolution: resolution, frameRate: frameRate, frameCount: frameCount)
        self.settings = settings
        self.frameRate = frameRate
        pool = try FramePool(resolution: resolution, capacity: poolCapacity)

        let framing = Framing(resolution)
        self.framing = framing
        let seed = settings.seed
        painter = Head(settings.skinTone, seed: seed, pixel: framing.headPixel)
        head = Sprite(Face.visible.grown(by: 0.04), step: framing.headPixel) { [painter, expression] p in
            painter.paint(p, expression)
        }
        torsoBox = Torso.box(to: (1 - framing.headCentre.y) / framing.personSize)
        let shoulders = Torso(settings.skinTone, seed: seed, pixel: framing.personPixel)
        torso = Sprite(torsoBox, step: framing.personPixel, painter: shoulders.paint)
        room = try PortraitScene.painted(Room(framing, seed: seed), framing)
        noise = SensorNoise(
            resolution: resolution, luma: settings.noise, chroma: settings.noise * Settings.chromaNoiseShare, seed: seed
        )
        motion = PortraitMotion(seed: seed, framing: framing)
    }

    private static func painted(_ room: Room, _ framing: Framing) throws(FrameError) -> VideoFrame {
        let pool = try FramePool(resolution: framing.resolution, capacity: 1)
        guard var frame = pool.makeFrame() else { preconditionFailure("a new pool is dry") }
        var planes = frame.planes
        func paint(_ plane: inout MutablePlane, _ channel: Int, _ scale: Float) {
            for y in 0..<plane.height {
                var row = plane.row(y)
                for x in 0..<row.count {
                    let place = framing.scene(Point(Float(x) + 0.5, Float(y) + 0.5) * scale)
                    row[x] = UInt8(bounded(room.paint(place).codeValues[channel] + 0.5, 0, 255))
                }
            }
        }
        paint(&planes.y, 0, 1)
        paint(&planes.u, 1, 2)
        paint(&planes.v, 2, 2)
        return frame.finish(captureTime: .zero)
    }

    /// Returns the next frame. If the pool has no free buffer, it returns ``/RillCore/SourceOutput/noBuffer``, and
    /// the same frame follows later.
    public func next() -> SourceOutput {
        if let count = format.frameCount, nextFrame >= count { return .end }
        guard let picture = draw(frame: nextFrame) else { return .noBuffer }
        nextFrame += 1
        return .frame(picture)
    }

    /// Draws frame `index`, whichever was drawn before. Returns `nil` while all buffers are in use.
    package func draw(frame index: Int) -> VideoFrame? {
        guard var picture = pool.makeFrame() else { return nil }
        let pose = self.pose(frame: index)
        if pose.expression != expression {
            expression = pose.expression
            for part in Face.changing { head.paint(part) { painter.paint($0, expression) } }
        }
        var planes = picture.planes
        for y in 0..<room.y.height { planes.y.copyRow(y, from: room.y.row(y)) }
        for y in 0..<room.u.height {
            planes.u.copyRow(y, from: room.u.row(y))
            planes.v.copyRow(y, from: room.v.row(y))
        }
        let shoulders = pose.shoulders + framing.headCentre
        torso.draw(in: framing.pixels(touching: torsoBox.mapped { $0 * framing.personSize + shoulders }), of: &planes) {
            (framing.scene($0) - shoulders) / framing.personSize
        }
        let area = framing.pixels(touching: Face.visible.grown(by: 0.04).mapped(pose.scene))
        head.draw(in: area, of: &planes) { pose.head(framing.scene($0)) }
        noise.add(to: &planes, frame: index)
        return picture.finish(captureTime: frameRate.time(ofFrame: index))
    }

    /// Returns the person's pose in frame `index`.
    func pose(frame index: Int) -> PortraitMotion.Pose {
        motion.pose(at: frameRate.time(ofFrame: index).seconds)
    }
}

extension MutablePlane {
    fileprivate mutating func copyRow(_ y: Int, from other: Span<UInt8>) {
        var row = row(y)
        for x in row.indices { row[x] = other[x] }
    }
}

extension PortraitScene {
    /// The person in front of the camera, and the quality of the camera.
    public struct Settings: Hashable, Sendable {
        /// The seed of everything random: movements, skin, the order of the books, noise.
        public var seed: UInt64
        /// The color of the skin. Hair is brown, and black from the sixth swatch on.
        public var skinTone: SkinTone
        /// The sensor noise: its standard deviation in code values of luma, within ``noiseRange``. That of chroma is
        /// 0.6 times as much.
        public let noise: Double

        /// The valid range of the noise, in code values of luma.
        public static let noiseRange = 0.0...20.0
        static let chromaNoiseShare = 0.6

        /// Creates settings.
        ///
        /// - Parameters:
        ///   - seed: the seed of everything random.
        ///   - skinTone: the color of the skin.
        ///   - noise: the sensor noise in code values of luma. Traps outside of ``noiseRange``.
        public init(seed: UInt64 = 1, skinTone: SkinTone = .light, noise: Double = 2.5) {
            precondition(
                Settings.noiseRange.contains(noise), "the noise lies between 0 and 20 code values, not at \(noise)")
            self.seed = seed
            self.skinTone = skinTone
            self.noise = noise
        }
    }
}
