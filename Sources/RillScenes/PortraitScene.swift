public import RillCore

/// A drawn person in front of a webcam: the project's own test clip, and the source of its demonstrations.
///
/// The head sways, rotates, nods, talks, looks around and blinks. The skin has pores, freckles and blemishes. A hand
/// comes up and waves now and then. The room has books, a poster with print, and a plant. Everything has the noise of
/// a sensor. Any size and frame rate are possible.
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
/// created (half a second for 1280x720). A frame is then a copy of the room, three sprites and the noise (about 4 ms
/// on one core). A frame allocates only the pool's lease.
public final class PortraitScene: FrameSource {
    /// The size, rate and, if it ends, length of the clip.
    public let format: SourceFormat
    /// The person and the camera.
    public let settings: Settings
    /// The number of the next frame.
    public private(set) var nextFrame = 0

    let framing: Framing
    var head: Head
    let torso: Sprite
    let hand: Sprite
    private let room: Backdrop
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
        let seed = settings.seed
        let fabric = Fabric(color: RGB(srgb: 0x3F627C), seed: seed)
        let side = supersampling(texel: framing.texel)
        self.framing = framing
        room = Backdrop(framing, Room(framing: framing, seed: seed))
        head = Head(
            tone: settings.skinTone, hairColor: settings.hairColor, wearsGlasses: settings.wearsGlasses,
            seed: settings.seed, texel: framing.texel / Framing.headHeight, headHeight: Framing.headHeight)
        let shoulders = Torso(
            tone: settings.skinTone, fabric: fabric, seed: seed, bottom: framing.personBottom, texel: framing.texel)
        torso = Sprite(shoulders.box, texel: framing.texel, side: side, painter: shoulders.paint)
        let arm = Hand(tone: settings.skinTone, fabric: fabric, seed: seed, texel: framing.texel)
        hand = Sprite(Hand.box, texel: framing.texel, side: side, painter: arm.paint)
        noise = SensorNoise(
            resolution: resolution, luma: settings.noise, chroma: settings.noise * Settings.chromaNoiseShare, seed: seed
        )
        motion = PortraitMotion(settings: settings, framing: framing)
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
        var planes = picture.planes
        room.copy(to: &planes)
        putTorso(pose, into: &planes)
        putHead(pose, into: &planes)
        putHand(pose, into: &planes)
        noise.add(to: &planes, frame: index)
        return picture.finish(captureTime: frameRate.time(ofFrame: index))
    }

    /// Returns the person's pose in frame `index`.
    func pose(frame index: Int) -> PortraitMotion.Pose {
        motion.pose(at: frameRate.time(ofFrame: index).seconds)
    }
}
