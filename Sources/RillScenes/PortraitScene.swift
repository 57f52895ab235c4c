public import RillCore

/// A drawn person before a webcam: the project's own test clip, and the source of its demonstrations.
///
/// A head that sways, turns, nods, talks, looks about and blinks; skin with pores, freckles and blemishes; a hand that
/// comes up and waves now and then; behind it a room with books, a poster with print, and a plant; and on everything the
/// noise of a sensor. Any size, any rate.
///
///     let scene = try PortraitScene(resolution: .hd720, frameRate: 30, frameCount: 300)
///     while case .frame(let frame) = scene.next() { try writer.consume(frame) }
///
/// Frames are I420 in BT.601, limited range, stamped from zero on at the frame rate. A frame follows from its number and
/// the settings alone: the same bytes on every machine, whichever frames were asked for before.
///
/// Not thread-safe, like every ``FrameSource``. Cost: what does not change is painted when the scene is made (half a
/// second for 1280x720); a frame is then a copy of the room, three sprites laid over it, and the noise (some 4 ms on one
/// core). A frame allocates nothing but the pool's lease.
public final class PortraitScene: FrameSource {
    /// Size, rate and, where it has an end, length of the clip.
    public let format: SourceFormat
    /// Who sits there, and before what camera.
    public let settings: Settings
    /// The number of the frame that comes next.
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
    ///   - resolution: size of the frames.
    ///   - frameRate: how they are stamped, and how far the person moves from one to the next.
    ///   - frameCount: after how many frames the clip ends, 0 or more; endless when `nil`.
    ///   - settings: who sits there, and before what camera.
    ///   - poolCapacity: how many frames may be in use downstream at once.
    public init(
        resolution: Resolution, frameRate: FrameRate, frameCount: Int? = nil, settings: Settings = Settings(),
        poolCapacity: Int = 8
    ) throws(FrameError) {
        precondition(frameCount ?? 0 >= 0, "a clip has no \(frameCount ?? 0) frames")
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

    /// The next frame. When the pool is dry the answer is ``SourceOutput/noBuffer``, and the same frame comes later.
    public func next() -> SourceOutput {
        if let count = format.frameCount, nextFrame >= count { return .end }
        guard let picture = draw(frame: nextFrame) else { return .noBuffer }
        nextFrame += 1
        return .frame(picture)
    }

    /// Frame `index`, whichever came before; `nil` while all buffers are in use.
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

    /// How the person is held in frame `index`.
    func pose(frame index: Int) -> PortraitMotion.Pose {
        motion.pose(at: frameRate.time(ofFrame: index).seconds)
    }
}
