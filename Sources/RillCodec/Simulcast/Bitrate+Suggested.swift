import Glibc
public import RillCore

extension Bitrate {
    /// A bitrate for real time that suits a picture of that size at 30 frames a second, where nobody asked for another:
    /// with VP8 800 kbit/s at 640x480, 1500 kbit/s at 1280x720, in between and beyond by pixels to the power of 0.57;
    /// with VP9 three quarters of that.
    ///
    /// Rounded to whole kbit/s; from 30 kbit/s up.
    public static func suggested(for resolution: Resolution, codec: VideoCodec = .vp8) -> Bitrate {
        // The power makes both named sizes come out: log(1500/800) / log(3) = 0.572.
        let ratio = Double(resolution.pixelCount) / Double(640 * 480)
        let share = codec == .vp9 ? 0.75 : 1
        return .kilobits(max(30, Int((800 * share * pow(ratio, 0.5722)).rounded())))
    }
}
