import ArgumentParser
import Rill
import RillCore
import RillSecurity

/// The values of `--content`.
enum ContentChoice: String, ExpressibleByArgument, CaseIterable {
    case camera, screen

    var content: EncoderSettings.Content {
        switch self {
        case .camera: .camera
        case .screen: .screen
        }
    }
}

/// The kind of content, for the encoder: the options that `rill loopback` and `rill transcode` share.
struct ContentOptions: ParsableArguments {
    @Option(help: "Kind of content; a still screen is encoded once a second.")
    var content = ContentChoice.camera

    @Option(help: "Do not code again what stands still, on or off; VP8 of a camera's pictures only.")
    var stillBlocks = StillBlocksChoice.on

    /// Sets the encoder's settings.
    func apply(to settings: inout EncoderSettings) {
        settings.content = content.content
        settings.skipsStillBlocks = stillBlocks == .on
    }
}

/// The values of `--still-blocks`.
enum StillBlocksChoice: String, ExpressibleByArgument, CaseIterable {
    case on, off
}

/// The SRTP suites of keys, by their names on the command line.
enum SuiteChoice: String, ExpressibleByArgument, CaseIterable {
    case gcm256 = "gcm-256"
    case gcm128 = "gcm-128"
    case cm80 = "cm-80"

    var profile: SRTPProfile {
        switch self {
        case .gcm256: .aeadAES256GCM
        case .gcm128: .aeadAES128GCM
        case .cm80: .aesCM128Tag80
        }
    }
}

/// The values of `--degradation`.
enum DegradationChoice: String, ExpressibleByArgument, CaseIterable {
    case balanced
    case maintainFramerate = "maintain-framerate"
    case maintainResolution = "maintain-resolution"
    case none

    var settings: AdaptationSettings? {
        guard let preference = DegradationPreference(rawValue: rawValue) else { return nil }
        var settings = AdaptationSettings()
        settings.preference = preference
        return settings
    }
}
