internal import CFFmpeg
import RillCore

/// libavcodec's decoder for a track. Its pictures do not depend on the threads that it takes. Single owner.
@safe
final class TrackDecoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let picture: UnsafeMutablePointer<AVFrame>
    let codecName: String

    /// Pictures above this are refused: 8K and a little more. Files come from strangers.
    static let maximumPixelCount: Int64 = 8192 * 4608

    init(_ input: ContainerInput) throws(ContainerError) {
        let parameters = unsafe input.parameters
        let identifier = unsafe parameters.pointee.codec_id
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
        unsafe context.pointee.thread_count = 0
        unsafe context.pointee.max_pixels = Self.maximumPixelCount
        let result = unsafe avcodec_open2(context, codec, nil)
        guard result >= 0 else {
            throw .cannotDecode(path: input.path, codec: codecName, reason: text(ofError: result))
        }
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
        unsafe body(picture)
        unsafe av_frame_unref(picture)
        return .done
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
