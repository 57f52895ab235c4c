internal import CFFmpeg
import RillCore
import RillRTP

/// libavcodec's decoder for a track. Single owner.
@safe
final class TrackDecoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let picture: UnsafeMutablePointer<AVFrame>
    let codecName: String
    /// What is known of the codec if Rill includes it.
    private let video: CodecTraits.Video?
    /// The container's declaration of the colors.
    private let range: AVColorRange
    private let matrix: AVColorSpace

    /// The largest picture: 8K and a little more. Files are untrusted.
    static let maximumPixelCount: Int64 = 8192 * 4608

    /// How damage is treated.
    enum Manner: Equatable {
        /// Damage is rejected as far as the decoder notices it. 0 threads means one per core.
        case strict(threadCount: Int)
        /// Damage is concealed. With several threads the result would depend on their timing.
        case tolerant
    }

    init(_ input: ContainerInput, _ manner: Manner) throws(ContainerError) {
        let parameters = unsafe input.parameters
        let identifier = unsafe parameters.pointee.codec_id
        video = CodecTraits.contained(identifier)
        range = unsafe parameters.pointee.color_range
        matrix = unsafe parameters.pointee.color_space
        codecName = unsafe String(cString: avcodec_get_name(identifier))
        guard let codec = unsafe avcodec_find_decoder(identifier) else {
            throw .unknownCodec(path: input.path, codec: codecName)
        }
        guard let context = unsafe avcodec_alloc_context3(codec), let picture = unsafe av_frame_alloc() else {
            throw .outOfMemory(path: input.path)
        }
        unsafe self.context = context
        unsafe self.picture = picture
        unsafe avcodec_parameters_to_context(context, parameters)
        unsafe context.pointee.pkt_timebase = input.track.timeBase
        switch manner {
        case .strict(let threadCount):
            unsafe context.pointee.thread_count = Int32(clamping: threadCount)
            if Self.refusesDamage(identifier) {
                unsafe context.pointee.err_recognition =
                    AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE
            } else {
                // Slice threads instead of frame threads: the concealment does not depend on their timing.
                unsafe context.pointee.thread_type = FF_THREAD_SLICE
            }
        case .tolerant:
            unsafe context.pointee.thread_count = 1
        }
        unsafe context.pointee.max_pixels = Self.maximumPixelCount
        let result = unsafe avcodec_open2(context, codec, nil)
        guard result >= 0 else {
            throw .cannotDecode(path: input.path, codec: codecName, reason: text(ofError: result))
        }
    }

    /// Whether a decoder can be set to reject damage. With that setting, the decoders of MPEG-4 part 2 and its
    /// relatives abort the process with an assertion.
    private static func refusesDamage(_ codec: AVCodecID) -> Bool {
        let codecs = [
            AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
            AV_CODEC_ID_MJPEG,
        ]
        return codecs.contains(codec) || CodecTraits.contained(codec) != nil
    }

    deinit {
        var picture: UnsafeMutablePointer<AVFrame>? = unsafe picture
        unsafe av_frame_free(&picture)
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
    }

    /// The outcome of sending a packet or receiving a picture.
    enum Outcome: Equatable {
        case done
        /// The decoder needs another packet first.
        case needsMore
        /// It has returned its last picture.
        case end
        case failed(String)
    }

    /// Sends a packet; `nil` after the last one flushes the decoder.
    @unsafe
    func send(_ packet: UnsafeMutablePointer<AVPacket>?) -> Outcome {
        outcome(unsafe avcodec_send_packet(context, packet))
    }

    /// Receives a picture and passes it to `body`, if there is one.
    @unsafe
    func receive(_ body: (UnsafeMutablePointer<AVFrame>) -> Void) -> Outcome {
        let result = outcome(unsafe avcodec_receive_frame(context, picture))
        guard result == .done else { return result }
        if video?.declaresColors == false { colorAsContained() }
        unsafe body(picture)
        unsafe av_frame_unref(picture)
        return .done
    }

    /// Restores the container's color declaration. If frames have no bits for it, the decoder sets BT.601 in limited
    /// range for every picture.
    private func colorAsContained() {
        if range != AVCOL_RANGE_UNSPECIFIED { unsafe picture.pointee.color_range = range }
        if matrix != AVCOL_SPC_UNSPECIFIED { unsafe picture.pointee.colorspace = matrix }
    }

    /// Whether a packet should yield a picture. Hidden frames do not, nor do packets that an edit list cuts away.
    @unsafe
    func shows(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
        guard unsafe packet.pointee.flags & AV_PKT_FLAG_DISCARD == 0 else { return false }
        guard let video, video.hasHiddenPackets, let data = unsafe packet.pointee.data else { return true }
        // The bytes outlive this call.
        return unsafe video.start(Span(_unsafeStart: data, count: Int(packet.pointee.size))).isShown
    }

    /// The number of pictures that a packet yields. All but the last are lower spatial layers of the same moment.
    @unsafe
    func pictureCount(_ packet: UnsafeMutablePointer<AVPacket>) -> Int {
        guard let video, let data = unsafe packet.pointee.data else { return 1 }
        // The bytes outlive this call.
        return unsafe video.shownFrameCount(Span(_unsafeStart: data, count: Int(packet.pointee.size)))
    }

    private func outcome(_ result: Int32) -> Outcome {
        switch result {
        case 0...: .done
        case CFFmpeg_again: .needsMore
        case CFFmpeg_end: .end
        default: .failed(text(ofError: result))
        }
    }
}

extension CodecTraits {
    /// What is known of FFmpeg's codec, if Rill includes it.
    static func contained(_ codec: AVCodecID) -> Video? {
        // A static text of FFmpeg's.
        contained(as: unsafe String(cString: avcodec_get_name(codec)))?.video
    }
}

extension VideoCodec {
    /// The codec as FFmpeg has it; none for an app's own.
    var contained: AVCodecID {
        guard let name = traits?.video?.containerName, let found = unsafe avcodec_descriptor_get_by_name(name) else {
            return AV_CODEC_ID_NONE
        }
        return unsafe found.pointee.id
    }
}
