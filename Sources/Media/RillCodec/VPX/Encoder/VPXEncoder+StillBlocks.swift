internal import CVPX
import RillCore

/// The state with which a VP8 encoder leaves out still blocks.
///
/// While much stands still, libvpx also searches less for motion in the rest, which costs a part of the quality that
/// still blocks gain.
struct StillBlockControl {
    fileprivate var blocks: StillBlocks
    /// The quantizer index of the picture that the next frame refers to, while it is the one that libvpx coded last;
    /// otherwise `nil`.
    private var referenceIndex: Int?
    /// Whether libvpx has a map.
    private var hasMap = false
    /// libvpx's speed while much moves; `nil` if it must not change.
    private var usualSpeed: Int?
    private var usage: Usage
    /// Frames in a row of which much stands still; no more than ``calm`` less two if something new shows.
    private var calmCount = 0
    /// Whether libvpx has the speed for such frames.
    private var isFast = false

    /// libvpx's speed when enough frames in a row are so calm. Below -8 it loses far more than it saves.
    private static let calm = (speed: -8, frames: 4, share: 0.28)

    init(_ settings: EncoderSettings, _ resolution: Resolution) {
        blocks = StillBlocks(resolution)
        usualSpeed = Self.usualSpeed(settings, resolution)
        usage = Usage(settings, resolution)
    }

    private static func usualSpeed(_ settings: EncoderSettings, _ resolution: Resolution) -> Int? {
        let speed = settings.effectiveSpeed(for: resolution)
        // Small pictures have slow speeds, and settings may have one of their own.
        return settings.speed == nil && speed <= -6 ? speed : nil
    }

    /// How the map is used at a speed of libvpx.
    struct Usage: Equatable {
        /// The references that a frame with a map does without.
        let ignored: VPXFrameFlags
        /// The share of the blocks that must stand still.
        let leastShare: Double

        /// At its slow speeds, those of small pictures, libvpx finds much in the golden frame: 0.02 dB at 320x240, 0.04
        /// dB at 160x120. A map of few blocks then costs more than it saves.
        init(_ settings: EncoderSettings, _ resolution: Resolution) {
            let isFast = settings.effectiveSpeed(for: resolution) <= -6
            ignored = isFast ? [.ignoresGolden, .ignoresAlternate] : .ignoresAlternate
            leastShare = isFast ? 0 : 0.1
        }
    }

    /// Whether an encoder with these settings skips still blocks.
    ///
    /// libvpx's denoiser changes the coded picture, so that the source does not predict it. Screens have no noise,
    /// and libvpx has modes for them.
    static func isPossible(_ settings: EncoderSettings) -> Bool {
        settings.skipsStillBlocks && settings.vpx == .vp8 && settings.effort == .realtime && settings.content == .camera
            && !settings.isDenoising
    }

    /// The flags of the current frame. A still background needs fewer references, unless a person reappears whom they
    /// show.
    var flags: VPXFrameFlags { hasMap && !blocks.showsNews ? usage.ignored : [] }

    /// The map that libvpx has; empty without one.
    var activeMap: [UInt8] { hasMap ? blocks.map : [] }

    /// The macroblocks that the current frame leaves out.
    var skipCount: Int { hasMap ? blocks.stillCount : 0 }

    private var stillShare: Double { Double(blocks.stillCount) / Double(blocks.map.count) }

    /// Gives libvpx the map for the next frame.
    mutating func mark(
        _ frame: VideoFrame, isKeyFrame: Bool, for context: borrowing VPXContext
    ) throws(CodecError) {
        var isUsed = false
        // It stays the same if libvpx drops the frame.
        if let index = referenceIndex, !isKeyFrame, let reference = unsafe context.preview() {
            // libvpx does not touch its picture before the next one.
            isUsed = unsafe blocks.compare(
                PicturePlanes(y: frame.y, u: frame.u, v: frame.v), with: PicturePlanes(reference),
                step: VP8Step.of(index))
            isUsed = isUsed && stillShare >= usage.leastShare
        }
        try chooseSpeed(
            isCalm: isUsed && stillShare > Self.calm.share, context)
        guard isUsed || hasMap else { return }
        try context.setActiveMap(isUsed ? blocks.map : nil, columns: blocks.columns, rows: blocks.rows)
        hasMap = isUsed
    }

    private mutating func chooseSpeed(isCalm: Bool, _ context: borrowing VPXContext) throws(CodecError) {
        guard let usualSpeed else { return }
        // Somebody who moves fast is news for a picture. Two frames later it is as calm as before.
        calmCount = isCalm ? min(calmCount + 1, blocks.showsNews ? Self.calm.frames - 2 : .max) : 0
        guard isFast != (calmCount >= Self.calm.frames) else { return }
        isFast.toggle()
        try context.control(VP8E_SET_CPUUSED, to: isFast ? Self.calm.speed : usualSpeed)
    }

    /// Records a coded frame.
    ///
    /// - Parameters:
    ///   - quantizer: its quantizer index.
    ///   - isReference: whether the next frame refers to it. Frames of upper temporal layers are not references, and
    ///     libvpx shows no older picture, so the frame after one is coded as a whole.
    mutating func add(quantizer: Int, isReference: Bool) { referenceIndex = isReference ? quantizer : nil }
}

extension StillBlockControl {
    fileprivate mutating func follow(_ settings: EncoderSettings, _ resolution: Resolution) {
        (usualSpeed, isFast) = (Self.usualSpeed(settings, resolution), false)
        usage = Usage(settings, resolution)
    }
}

extension StillBlockControl? {
    /// Follows new settings of a running encoder, which has the usual speed by now.
    mutating func update(
        _ settings: EncoderSettings, _ resolution: Resolution, for context: borrowing VPXContext
    ) throws(CodecError) {
        let isPossible = StillBlockControl.isPossible(settings)
        guard isPossible != (self != nil) else {
            self?.follow(settings, resolution)
            return
        }
        if let blocks = self?.blocks { try context.setActiveMap(nil, columns: blocks.columns, rows: blocks.rows) }
        self = isPossible ? StillBlockControl(settings, resolution) : nil
    }
}

extension PicturePlanes {
    /// The planes of a picture of libvpx, which must outlive them.
    @unsafe
    @_lifetime(immortal)
    fileprivate init(_ image: vpx_image_t) {
        let (width, height) = (Int(unsafe image.d_w), Int(unsafe image.d_h))
        unsafe self.init(
            y: Plane(image.planes.0, image.stride.0, width, height),
            u: Plane(image.planes.1, image.stride.1, (width + 1) / 2, (height + 1) / 2),
            v: Plane(image.planes.2, image.stride.2, (width + 1) / 2, (height + 1) / 2))
    }
}

extension Plane {
    /// A plane of libvpx, which must outlive this.
    @unsafe
    @_lifetime(immortal)
    fileprivate init(_ start: UnsafeMutablePointer<UInt8>?, _ stride: Int32, _ width: Int, _ height: Int) {
        // libvpx's planes have at least this size, with a border around.
        let bytes = unsafe Span<UInt8>(_unsafeStart: start!, count: (height - 1) * Int(stride) + width)
        let plane = Plane(bytes: bytes, stride: Int(stride), width: width, height: height)
        self = unsafe _overrideLifetime(plane, copying: ())
    }
}
