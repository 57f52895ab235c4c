internal import CFFmpeg
import RillCore

/// libavcodec's decoder for a track. Single owner.
@safe
final class TrackDecoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let picture: UnsafeMutablePointer<AVFrame>
    let codecName: String
    private let isVP8: Bool
    /// What the container says of the colours.
    private let range: AVColorRange
    private let matrix: AVColorSpace

    /// Pictures above this are refused: 8K and a little more. Files come from strangers.
    static let maximumPixelCount: Int64 = 8192 * 4608

    /// What is done about damage.
    enum Manner: Equatable {
        /// It is refused where it is noticed, as far as the decoder can. 0 threads are one for each core.
        case strict(threadCount: Int)
        /// It is patched up. With more than one thread libavcodec patches by what the others have happened to do.
        case tolerant
    }

    init(_ input: ContainerInput, _ manner: Manner) throws(ContainerError) {
        let parameters = unsafe input.parameters
        let identifier = unsafe parameters.pointee.codec_id
        isVP8 = identifier == AV_CODEC_ID_VP8
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
                // Threads that share out the parts of a picture, not the pictures: patches do not depend on them.
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

    /// Whether a decoder can be told to refuse what is damaged. Those of MPEG-4 part 2 and its relatives end the process by
    /// an assertion then.
    private static func refusesDamage(_ codec: AVCodecID) -> Bool {
        let codecs = [
            AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1,
            AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MJPEG,
        ]
        return codecs.contains(codec)
    }

    deinit {
        var picture: UnsafeMutablePointer<AVFrame>? = unsafe picture
        unsafe av_frame_free(&picture)
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
    }

    /// What became of a packet, or of a wish for a picture.
    enum Outcome: Equatable {
        case done
        /// The decoder wants another packet first.
        case needsMore
        /// It has given its last picture.
        case end
        case failed(String)
    }

    /// Gives it a packet; `nil` behind the last, so that it gives what it has kept back.
    @unsafe
    func send(_ packet: UnsafeMutablePointer<AVPacket>?) -> Outcome {
        outcome(unsafe avcodec_send_packet(context, packet))
    }

    /// Takes a picture, which `body` gets when there is one.
    @unsafe
    func receive(_ body: (UnsafeMutablePointer<AVFrame>) -> Void) -> Outcome {
        let result = outcome(unsafe avcodec_receive_frame(context, picture))
        guard result == .done else { return result }
        if isVP8 { colorAsContained() }
        unsafe body(picture)
        unsafe av_frame_unref(picture)
        return .done
    }

    /// VP8 has no bits for it: the decoder says BT.601 in limited range of every picture, and what the container says is gone.
    private func colorAsContained() {
        if range != AVCOL_RANGE_UNSPECIFIED { unsafe picture.pointee.color_range = range }
        if matrix != AVCOL_SPC_UNSPECIFIED { unsafe picture.pointee.colorspace = matrix }
    }

    /// Whether a packet is to give a picture: hidden frames of VP8 do not, nor does what an edit list cuts away.
    @unsafe
    func shows(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
        guard unsafe packet.pointee.flags & AV_PKT_FLAG_DISCARD == 0 else { return false }
        guard isVP8, unsafe packet.pointee.size > 0, let data = unsafe packet.pointee.data else { return true }
        return unsafe data[0] & 0x10 != 0
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
