public import Rill
public import RillCore

/// A size, a rate and a bitrate of the high layer, by a name, as call SDKs list them.
///
/// ```swift
/// var settings = RoomSettings(room: "lobby", name: "Anna")
/// settings.call = VideoCallSettings(layers: [.high(.p1280x720), .low])
/// …
/// try room.setProfile(.p320x240)
/// ```
///
/// The bitrates are those that SDKs of this kind document for calls; they are the most that is sent. A camera of
/// another shape is cropped (``/RillCodec/LayerSettings/aspect``). The low layer is ``/RillCodec/LayerSettings/low``:
/// 160x120 at 5 frames a second and 45 kbit/s, whatever the profile.
public struct VideoProfile: Hashable, Sendable {
    /// The size of the pictures.
    public var resolution: Resolution
    /// The highest frame rate.
    public var frameRate: FrameRate
    /// The highest bitrate.
    public var bitrate: Bitrate

    /// A profile of an app's own.
    public init(_ resolution: Resolution, frameRate: FrameRate = 15, bitrate: Bitrate) {
        (self.resolution, self.frameRate, self.bitrate) = (resolution, frameRate, bitrate)
    }

    private init(_ width: Int, _ height: Int, _ framesPerSecond: Int, kilobits: Int) {
        self.init(
            Resolution(width: width, height: height), frameRate: FrameRate(framesPerSecond),
            bitrate: .kilobits(kilobits))
    }

    /// 160x120 at 15 frames a second, 65 kbit/s.
    public static let p160x120 = VideoProfile(160, 120, 15, kilobits: 65)
    /// 320x180 at 15 frames a second, 140 kbit/s.
    public static let p320x180 = VideoProfile(320, 180, 15, kilobits: 140)
    /// 320x240 at 15 frames a second, 200 kbit/s.
    public static let p320x240 = VideoProfile(320, 240, 15, kilobits: 200)
    /// 640x360 at 15 frames a second, 400 kbit/s: the usual one.
    public static let p640x360 = VideoProfile(640, 360, 15, kilobits: 400)
    /// 640x480 at 15 frames a second, 500 kbit/s.
    public static let p640x480 = VideoProfile(640, 480, 15, kilobits: 500)
    /// 1280x720 at 15 frames a second, 1,130 kbit/s.
    public static let p1280x720 = VideoProfile(1280, 720, 15, kilobits: 1130)
    /// 640x360 at 30 frames a second, 600 kbit/s.
    public static let p640x360at30 = VideoProfile(640, 360, 30, kilobits: 600)
    /// 640x480 at 30 frames a second, 750 kbit/s.
    public static let p640x480at30 = VideoProfile(640, 480, 30, kilobits: 750)
    /// 1280x720 at 30 frames a second, 1,710 kbit/s.
    public static let p1280x720at30 = VideoProfile(1280, 720, 30, kilobits: 1710)
    /// 1920x1080 at 15 frames a second, 2,080 kbit/s.
    public static let p1920x1080 = VideoProfile(1920, 1080, 15, kilobits: 2080)

    /// All named ones, the smallest first.
    public static let all: [VideoProfile] = [
        p160x120, p320x180, p320x240, p640x360, p640x360at30, p640x480, p640x480at30, p1280x720, p1280x720at30,
        p1920x1080,
    ]
}

extension VideoProfile: CustomStringConvertible {
    /// Size, rate and bitrate: `640x360, 15 fps, 400k`.
    public var description: String { "\(resolution), \(frameRate) fps, \(bitrate)" }
}

extension LayerSettings {
    /// Returns the high layer with a profile's size, rate and bitrate.
    public static func high(_ profile: VideoProfile, codec: VideoCodec = .default) -> LayerSettings {
        var layer = LayerSettings.high(profile.resolution, bitrate: profile.bitrate, codec: codec)
        layer.frameRate = profile.frameRate
        return layer
    }

    /// Changes size, rate and bitrate to those of a profile.
    public mutating func apply(_ profile: VideoProfile) {
        (resolution, frameRate, bitrate) = (profile.resolution, profile.frameRate, profile.bitrate)
    }
}
