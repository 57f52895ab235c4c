import RillCodec
public import RillCore
import RillFiles
import RillRTP

/// A picture for a page.
public struct Thumbnail: Sendable {
    /// When the picture was shown.
    public var time: MediaTime
    /// Its size here.
    public var resolution: Resolution
    /// A file that browsers show: ``RillFiles/WebPPicture``.
    public var webP: [UInt8]
}

extension Thumbnail {
    /// Codes a picture.
    ///
    /// - Parameters:
    ///   - picture: an I420 picture of any size.
    ///   - time: when it was shown.
    ///   - quantizer: libvpx's quantizer, 0 (best) to 63.
    package init(of picture: VideoFrame, at time: MediaTime, quantizer: Int) throws {
        var settings = EncoderSettings(.default)
        settings.quantizers = quantizer...quantizer
        let encoder = try VPXEncoder(
            settings, layer: StreamLayer(rid: "thumbnail"), resolution: picture.resolution, frameRate: 1,
            bitrate: .megabits(1))
        var file: [UInt8] = []
        try encoder.encode(picture, isKeyFrame: true) { _, payload in file = WebPPicture.bytes(ofKeyFrame: payload) }
        self.init(time: time, resolution: picture.resolution, webP: file)
    }
}
