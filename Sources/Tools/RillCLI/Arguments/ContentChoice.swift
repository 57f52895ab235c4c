import ArgumentParser
import Rill
import RillCore

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
