import ArgumentParser
import Rill
import RillFaces

/// `--faces`, wherever `--beauty` is.
struct FacesOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What finds the faces that tell --beauty what skin is: auto, off, or a cascade of OpenCV's as .xml; auto "
                + "takes the one of the package opencv-data, if it is installed.",
            valueName: "faces"),
        completion: .named(["xml"]))
    var faces = FacesChoice.automatic

    /// Reads the cascade for `beauty`, and says what keeps faces from being found.
    ///
    /// - Parameters:
    ///   - beauty: the options; without beauty nothing is read, unless a file was named.
    ///   - say: receives a line for the user.
    func detection(for beauty: BeautyOptions?, say: (String) -> Void) throws -> FaceDetection {
        switch faces {
        case .off: return .off
        case .file(let path): return .cascade(try readingInput { try FaceCascade(openCVFile: path) })
        case .automatic:
            guard let beauty, !beauty.isOff else { return .automatic }
            do throws(FaceCascadeError) { _ = try FaceDetection.automatic.cascade } catch {
                say("beauty without faces: \(error)")
                return .off
            }
            return .automatic
        }
    }
}

/// What is made of faces before they are sent: the options that `rill call`, `rill send` and `rill loopback` share.
struct SentFacesOptions: ParsableArguments {
    @Option(
        help: """
            Beautify faces before they are sent: natural, strong, or settings like \
            smoothness=0.7,lightening=0.3,contrast=high.
            """,
        completion: .beauty, transform: beautyNotation)
    var beauty: BeautyOptions = .off

    @OptionGroup
    var facesOptions: FacesOptions

    /// What finds the faces. Says on standard error if nothing can.
    func detection() throws -> FaceDetection { try facesOptions.detection(for: beauty) { StandardError.print($0) } }
}

/// The values of `--faces`.
enum FacesChoice: ExpressibleByArgument, Equatable {
    case automatic, off
    case file(String)

    init?(argument: String) {
        switch argument {
        case "": return nil
        case "auto": self = .automatic
        case "off": self = .off
        default: self = .file(argument)
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .automatic: "auto"
        case .off: "off"
        case .file(let path): path
        }
    }
}
