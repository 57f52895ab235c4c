internal import CFFmpeg
import RillCore
import RillRTP

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
