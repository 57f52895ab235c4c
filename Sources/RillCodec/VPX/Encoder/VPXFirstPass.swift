internal import CVPX
public import RillCore

/// The first of two passes over a clip: looks at every picture and writes none, so that the second knows what comes.
///
///     let first = try VPXFirstPass(.good(.vp9), resolution: .vga, frameRate: 30, bitrate: .kilobits(600))
///     while case .frame(let frame) = try clip.next() { try first.add(frame) }
///     let encoder = try VPXEncoder(…, firstPass: try first.finish())
///
/// The second pass has to get the same pictures at the same stamps. One owner, one thread at a time. Cost: about a fifth of
/// the second pass; memory about 200 bytes a picture.
public final class VPXFirstPass {
    /// Size of the pictures that it takes.
    public let resolution: Resolution
    private let settings: EncoderSettings
    private let context: VPXEncoderContext
    private let image: VPXInputImage
    private var timeline: RateControlTimeline
    private var statistics = FirstPassStatistics()
    private var isFinished = false

    /// A first pass for an encoder of these settings.
    public init(
        _ settings: EncoderSettings, resolution: Resolution, frameRate: FrameRate, bitrate: Bitrate
    ) throws(CodecError) {
        precondition(settings.effort == .good, "two passes are made with .good alone")
        try settings.validate(with: bitrate)
        self.settings = settings
        self.resolution = resolution
        timeline = settings.timeline(at: frameRate)
        context = try unsafe VPXEncoderContext(
            settings.vpx, settings.configuration(for: resolution, bitrate, pass: .first))
        try settings.applyControls(to: context, resolution)
        image = VPXInputImage(resolution)
    }

    /// Looks at one I420 picture.
    public func add(_ frame: VideoFrame) throws(CodecError) {
        guard frame.format == .i420 else { throw .unsupportedFormat(frame.format) }
        guard frame.colorSpace.range == .limited else { throw .unsupportedRange(frame.colorSpace.range) }
        guard frame.resolution == resolution else {
            throw .wrongResolution(expected: resolution, actual: frame.resolution)
        }
        try unsafe context.encode(
            image.pointing(at: frame), over: timeline.span(at: frame.captureTime), flags: 0, .good)
        takePackets()
    }

    /// What was found. Called once, after the last picture.
    public func finish() throws(CodecError) -> FirstPassStatistics {
        // Without a picture there is nothing to sum up.
        guard !timeline.isEmpty else { return statistics }
        try end()
        takePackets()
        return statistics
    }

    deinit {
        // VP9 keeps some memory of a pass that nobody ends (libvpx 1.12), so that one that was given up is ended too. There is
        // nobody left to tell of a failure.
        if !timeline.isEmpty, !isFinished { try? end() }
    }

    private func end() throws(CodecError) {
        isFinished = true
        try context.flush(after: timeline)
    }

    private func takePackets() {
        var iterator: vpx_codec_iter_t?
        while let packet = unsafe context.nextPacket(VPX_CODEC_STATS_PKT, after: &iterator) {
            // libvpx's memory, which holds until the next picture; copied here.
            unsafe statistics.bytes.append(
                contentsOf: UnsafeRawBufferPointer(
                    start: CVPX_packet_stats(packet), count: CVPX_packet_stats_size(packet)))
        }
    }
}

/// What a ``VPXFirstPass`` found: for the encoder that makes the second.
public struct FirstPassStatistics: Sendable, Equatable {
    /// As libvpx writes them; only the same version of it, on the same kind of machine, reads them.
    var bytes: [UInt8] = []

    /// `nil` where there was no picture: libvpx takes no empty statistics, and there is nothing to be coded.
    package var nonempty: FirstPassStatistics? { bytes.isEmpty ? nil : self }
}

/// Statistics where libvpx reads them as long as it encodes. Single owner.
@safe
final class FirstPassBuffer {
    private let memory: UnsafeMutableRawBufferPointer

    init(_ statistics: FirstPassStatistics) {
        // libvpx reads numbers of 64 bits there.
        unsafe memory = .allocate(byteCount: max(1, statistics.bytes.count), alignment: 16)
        unsafe memory.copyBytes(from: statistics.bytes)
        count = statistics.bytes.count
    }

    private let count: Int

    deinit {
        unsafe memory.deallocate()
    }

    /// The same in libvpx's words; they hold as long as this object.
    @unsafe
    var bytes: vpx_fixed_buf_t { unsafe vpx_fixed_buf_t(buf: memory.baseAddress, sz: count) }
}
