import RillCore
import RillTestSupport

extension VideoCodec {
    /// The codec of these tests: what differs from the picture before, as runs.
    static let runLength: VideoCodec = "x-run-length"
}

/// Codes pictures without loss: a byte that says whether it is a key frame, width and height, then the difference of
/// each sample to the same one of the picture before (of a key frame: to 0), in runs of a length and a value.
///
/// It counts what it was told, so that tests can see that it was.
final class RunLengthEncoder: VideoEncoder {
    private(set) var statistics = EncoderStatistics()
    private let rid: StreamLayer.RID
    private var resolution: Resolution
    private var previous: [UInt8] = []
    private var number: Int64 = 0
    private var coded: [UInt8] = []
    let log: Log

    /// What was asked of an encoder.
    final class Log: @unchecked Sendable {
        // The tests' drivers run everything on one thread.
        var settings: [EncoderSettings] = []
        var bitrates: [Bitrate] = []
        var resolutions: [Resolution] = []
        var restarts = 0
    }

    init(_ rid: StreamLayer.RID, _ resolution: Resolution, log: Log = Log()) {
        self.rid = rid
        self.resolution = resolution
        self.log = log
    }

    func encode(
        _ frame: VideoFrame, isKeyFrame: Bool, _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws -> EncoderOutcome {
        guard frame.resolution == resolution else { throw Refusal.wrongSize }
        let samples = frame.samples
        let isKey = isKeyFrame || previous.count != samples.count
        coded = [isKey ? 1 : 0]
        for side in [frame.resolution.width, frame.resolution.height] {
            coded += [UInt8(side >> 8), UInt8(side & 255)]
        }
        var (run, value) = (0, UInt8(0))
        func flush() { if run > 0 { coded += [UInt8(run), value] } }
        for index in samples.indices {
            let difference = samples[index] &- (isKey ? 0 : previous[index])
            if run < 255, run > 0, difference == value {
                run += 1
            } else {
                flush()
                (run, value) = (1, difference)
            }
        }
        flush()
        previous = samples
        var told = EncodedFrame(
            codec: .runLength, layer: StreamLayer(rid: rid), number: number,
            references: isKey ? FrameReferences() : FrameReferences(number - 1), isKey: isKey,
            resolution: resolution, captureTime: frame.captureTime, byteCount: coded.count, timestamps: frame.timestamps
        )
        told.rotation = frame.rotation
        number += 1
        statistics.framesEncoded += 1
        statistics.keyFramesEncoded += isKey ? 1 : 0
        statistics.bytesEncoded += coded.count
        let bytes = coded
        try body(told, bytes.span)
        return .coded(quantizer: nil)
    }

    func change(
        to settings: EncoderSettings, resolution: Resolution, frameRate: FrameRate, bitrate: Bitrate
    ) throws {
        log.settings.append(settings)
        log.bitrates.append(bitrate)
        log.resolutions.append(resolution)
        self.resolution = resolution
    }

    func restart() {
        log.restarts += 1
        previous = []
    }

    enum Refusal: Error { case wrongSize, damaged }
}

/// Its other half.
final class RunLengthDecoder: VideoDecoder {
    private(set) var statistics = DecoderStatistics()
    private var samples: [UInt8] = []
    private var pools: [Resolution: FramePool] = [:]

    func decode(_ payload: Span<UInt8>, captureTime: MediaTime, isWanted: Bool) throws -> DecoderOutcome {
        guard payload.count >= 5, payload[0] <= 1,
            let resolution = Resolution(
                validatingWidth: Int(payload[1]) << 8 | Int(payload[2]), height: Int(payload[3]) << 8 | Int(payload[4]))
        else { throw damage() }
        let isKey = payload[0] == 1
        guard isKey || !samples.isEmpty else {
            statistics.framesSkipped += 1
            return .awaitingKeyFrame
        }
        let pool = try pools[resolution] ?? FramePool(resolution: resolution, capacity: 8)
        pools[resolution] = pool
        let count = resolution.pixelCount + 2 * resolution.chroma.pixelCount
        if isKey { samples = [UInt8](repeating: 0, count: count) }
        guard samples.count == count else { throw damage() }
        var position = 0
        for place in stride(from: 5, to: payload.count - 1, by: 2) {
            for _ in 0..<payload[place] {
                guard position < count else { throw damage() }
                samples[position] &+= payload[place + 1]
                position += 1
            }
        }
        guard position == count else { throw damage() }
        statistics.framesDecoded += 1
        statistics.keyFramesDecoded += isKey ? 1 : 0
        guard isWanted else { return .hidden }
        guard var frame = pool.makeFrame() else {
            statistics.picturesWithoutBuffer += 1
            return .noBuffer
        }
        var planes = frame.planes
        var next = 0
        RunLengthDecoder.fill(&planes.y, from: samples, &next)
        RunLengthDecoder.fill(&planes.u, from: samples, &next)
        RunLengthDecoder.fill(&planes.v, from: samples, &next)
        return .picture(frame.finish(captureTime: captureTime))
    }

    private static func fill(_ plane: inout MutablePlane, from samples: [UInt8], _ next: inout Int) {
        for y in 0..<plane.height {
            var row = plane.row(y)
            for x in row.indices {
                row[x] = samples[next]
                next += 1
            }
        }
    }

    private func damage() -> RunLengthEncoder.Refusal {
        statistics.framesCorrupted += 1
        samples = []
        return .damaged
    }
}
