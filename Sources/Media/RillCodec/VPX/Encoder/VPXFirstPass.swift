internal import CVPX
public import RillCore
import RillRTP

/// The first of two passes over a clip. It analyzes every picture without output, so that the second pass knows what
/// follows.
///
/// ```swift
/// let first = try VPXFirstPass(.good(.vp9), resolution: .vga, frameRate: 30, bitrate: .kilobits(600))
/// while case .frame(let frame) = try clip.next() { try first.add(frame) }
/// let encoder = try VPXEncoder(…, firstPass: try first.finish())
/// ```
///
/// The second pass must get the same pictures with the same timestamps. One owner, one thread at a time. Cost: about
/// a fifth of the second pass; about 200 bytes of memory per picture.
public final class VPXFirstPass {
    /// The size of the pictures that it accepts.
    public let resolution: Resolution
    private let settings: EncoderSettings
    private let context: VPXContext
    private let image: VPXInputImage
    private var timeline: RateControlTimeline
    private var statistics = FirstPassStatistics()
    private var isFinished = false

    /// Creates a first pass for an encoder with these settings. The effort must be
    /// ``RillCore/EncoderSettings/Effort/good``.
    public init(
        _ settings: EncoderSettings, resolution: Resolution, frameRate: FrameRate, bitrate: Bitrate
    ) throws(CodecError) {
        precondition(settings.effort == .good, "two passes require the effort .good")
        try settings.validate(with: bitrate)
        self.settings = settings
        self.resolution = resolution
        timeline = settings.timeline(at: frameRate)
        context = try unsafe VPXContext(
            settings.vpx, settings.configuration(for: resolution, bitrate, pass: .first))
        try settings.applyControls(to: context, resolution)
        image = VPXInputImage(resolution)
    }

    /// Analyzes one I420 picture.
    public func add(_ frame: VideoFrame) throws(CodecError) {
        try unsafe context.encode(
            image.pointing(at: frame), over: timeline.span(at: frame.captureTime), flags: 0, .good)
        takePackets()
    }

    /// Returns the statistics. Called once, after the last picture.
    public func finish() throws(CodecError) -> FirstPassStatistics {
        // Without a picture there is nothing to summarize.
        guard !timeline.isEmpty else { return statistics }
        try end()
        takePackets()
        return statistics
    }

    deinit {
        // VP9 leaks memory of a pass that is never finished (libvpx 1.12), so an abandoned pass is finished too. A
        // failure cannot be reported here.
        if !timeline.isEmpty, !isFinished { try? end() }
    }

    private func end() throws(CodecError) {
        isFinished = true
        try context.flush(after: timeline)
    }

    private func takePackets() {
        var iterator: vpx_codec_iter_t?
        while let packet = unsafe context.nextPacket(VPX_CODEC_STATS_PKT, after: &iterator) {
            // libvpx's memory, which is valid until the next picture; copied here.
            unsafe statistics.bytes.append(
                contentsOf: UnsafeRawBufferPointer(
                    start: CVPX_packet_stats(packet), count: CVPX_packet_stats_size(packet)))
        }
    }
}

/// The statistics of a ``VPXFirstPass``, for the encoder of the second pass.
public struct FirstPassStatistics: Sendable, Equatable {
    /// The bytes as libvpx writes them. Only the same version on the same kind of machine reads them.
    var bytes: [UInt8] = []

    /// `nil` without pictures: libvpx does not accept empty statistics, and there is nothing to encode.
    package var nonempty: FirstPassStatistics? { bytes.isEmpty ? nil : self }
}

/// Statistics in memory that libvpx reads while it encodes. Single owner.
@safe
final class FirstPassBuffer {
    private let memory: UnsafeMutableRawBufferPointer

    init(_ statistics: FirstPassStatistics) {
        // libvpx reads 64-bit numbers there.
        unsafe memory = .allocate(byteCount: max(1, statistics.bytes.count), alignment: 16)
        unsafe memory.copyBytes(from: statistics.bytes)
        count = statistics.bytes.count
    }

    private let count: Int

    deinit {
        unsafe memory.deallocate()
    }

    /// The statistics as libvpx's type, valid as long as this object.
    @unsafe
    var bytes: vpx_fixed_buf_t { unsafe vpx_fixed_buf_t(buf: memory.baseAddress, sz: count) }
}
