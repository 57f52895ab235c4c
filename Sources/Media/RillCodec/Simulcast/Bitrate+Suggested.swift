import Glibc
public import RillCore
public import RillRTP

extension Bitrate {
    /// Returns a default bitrate for real time, for pictures of that size at 30 frames per second.
    ///
    /// With VP8: 800 kbit/s at 640x480, 1500 kbit/s at 1280x720, and other sizes by the number of pixels to the power
    /// of 0.57. With VP9: three quarters of that. Rounded to whole kbit/s, and at least 30 kbit/s.
    public static func suggested(for resolution: Resolution, codec: VideoCodec = .vp8) -> Bitrate {
        // The exponent matches both given sizes: log(1500/800) / log(3) = 0.572.
        let ratio = Double(resolution.pixelCount) / Double(640 * 480)
        let share = codec == .vp9 ? 0.75 : 1
        return .kilobits(max(30, Int((800 * share * pow(ratio, 0.5722)).rounded())))
    }
}
