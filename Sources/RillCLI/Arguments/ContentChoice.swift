import ArgumentParser
import Rill
import RillCore

/// What `--content` takes.
enum ContentChoice: String, ExpressibleByArgument, CaseIterable {
    case camera, screen

    var content: EncoderSettings.Content {
        switch self {
        case .camera: .camera
        case .screen: .screen
        }
    }
}
