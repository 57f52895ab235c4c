import CAOM
import Rill

/// Decodes AV1 with libaom into Rill's frames.
final class AV1Decoder: VideoDecoder {
    private(set) var statistics = DecoderStatistics()
    private let context = UnsafeMutablePointer<aom_codec_ctx_t>.allocate(capacity: 1)
    private let maximumPixelCount: Int
    private let pictureCapacity: Int
    private var pool: FramePool?
    private var isAwaitingKeyFrame = true

    /// Why a frame was not decoded.
    enum Refusal: Error { case damaged, tooLarge(width: Int, height: Int), notEightBits }

    init(_ settings: ReceiveSettings) throws {
        maximumPixelCount = settings.maximumPixelCount
        pictureCapacity = settings.pictureCapacity
        context.initialize(to: aom_codec_ctx_t())
        var configuration = aom_codec_dec_cfg_t(
            threads: UInt32(settings.decoderThreadCount), w: 0, h: 0, allow_lowbitdepth: 1)
        try AOMError.check(CAOM_dec_init(context, &configuration), "aom_codec_dec_init")
    }

    deinit {
        aom_codec_destroy(context)
        context.deallocate()
    }

    func decode(_ payload: Span<UInt8>, captureTime: MediaTime, isWanted: Bool) throws -> DecoderOutcome {
        // Check the size in the header before libaom allocates memory for it.
        var header = aom_codec_stream_info_t()
        payload.withUnsafeBufferPointer { bytes in
            _ = aom_codec_peek_stream_info(aom_codec_av1_dx(), bytes.baseAddress, bytes.count, &header)
        }
        guard Int(header.w) * Int(header.h) <= maximumPixelCount else {
            throw refuse(.tooLarge(width: Int(header.w), height: Int(header.h)))
        }
        let isKey = header.is_kf != 0
        guard isKey || !isAwaitingKeyFrame else {
            statistics.framesSkipped += 1
            return .awaitingKeyFrame
        }
        let result = payload.withUnsafeBufferPointer { aom_codec_decode(context, $0.baseAddress, $0.count, nil) }
        guard result == AOM_CODEC_OK else { throw refuse(.damaged) }
        statistics.framesDecoded += 1
        statistics.keyFramesDecoded += isKey ? 1 : 0
        isAwaitingKeyFrame = false

        var iterator: aom_codec_iter_t?
        guard let image = aom_codec_get_frame(context, &iterator), isWanted else { return .hidden }
        return try picture(of: image, captureTime)
    }

    /// Copies libaom's picture, whose memory libaom owns.
    private func picture(of image: UnsafeMutablePointer<aom_image_t>, _ time: MediaTime) throws -> DecoderOutcome {
        guard image.pointee.fmt == AOM_IMG_FMT_I420,
            let resolution = Resolution(
                validatingWidth: Int(image.pointee.d_w), height: Int(image.pointee.d_h))
        else { throw refuse(.notEightBits) }
        let pool =
            if let pool, pool.layout.resolution == resolution { pool } else {
                try FramePool(resolution: resolution, capacity: pictureCapacity)
            }
        self.pool = pool
        guard var frame = pool.makeFrame() else {
            statistics.picturesWithoutBuffer += 1
            return .noBuffer
        }
        var planes = frame.planes
        AV1Decoder.fill(&planes.y, image.pointee.planes.0, Int(image.pointee.stride.0))
        AV1Decoder.fill(&planes.u, image.pointee.planes.1, Int(image.pointee.stride.1))
        AV1Decoder.fill(&planes.v, image.pointee.planes.2, Int(image.pointee.stride.2))
        return .picture(frame.finish(captureTime: time))
    }

    private static func fill(_ plane: inout MutablePlane, _ source: UnsafeMutablePointer<UInt8>?, _ stride: Int) {
        guard let source else { return }
        for y in 0..<plane.height {
            var row = plane.row(y)
            for x in row.indices { row[x] = source[y * stride + x] }
        }
    }

    private func refuse(_ reason: Refusal) -> Refusal {
        statistics.framesCorrupted += 1
        isAwaitingKeyFrame = true
        return reason
    }
}
