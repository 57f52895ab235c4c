#if Window
import ArgumentParser
import Rill
import RillCore
import RillWindow

/// `rill preview`: shows pictures in a window.
struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show a camera, a clip, a stream or a call in a window.",
        usage: """
            rill preview [<source>] [<options>]
            rill preview <in.sdp> ... [--grid] [<options>]
            rill preview [<source>] --call --to <to> --listen <port> [<options>]
            """,
        discussion: """
            A source is a camera (/dev/video0, camera:NAME) or a clip, which is repeated; without a source, the \
            portrait scene is drawn. It is shown as it would be sent: rotated upright, in limited range, with beauty \
            applied.

            For each session description (.sdp), the stream is received on the port that it names, and shown in the \
            layer that fits its size in the window. A stream without a key is received from this machine only.

            --call does what `rill call` does, with the other side in the window and yourself in its corner.

            Keys:
              space   fit the picture, or fill the window  f   full screen
              m       mirrored                             b   beauty: off, natural, strong
              l       layer: by size, high, low, none      i   figures
              g       grid, or one large (or click)        q   quit (or Esc)

            Examples:
              rill preview /dev/video0
              rill preview clip.y4m --beauty natural
              rill preview bob.sdp carol.sdp --grid
              rill preview --call --to 192.0.2.7:5004 --listen 5004 --key-file call.key
            """)

    @Argument(help: "A camera, a clip, or session descriptions.", completion: .sources)
    var sources: [String] = []

    @Flag(help: "Show all pictures in one size; otherwise a click enlarges one of several.")
    var grid = false

    @Flag(help: "Call another machine.")
    var call = false

    @Option(help: "Address of the other side, as HOST:PORT or [V6]:PORT.")
    var to: String?

    @Option(help: "The port to listen on.")
    var listen: UInt16?

    @Option(help: "The file with the key of the call.", completion: .file())
    var keyFile: String?

    @Flag(help: "Fill the whole area with the picture, and crop it.")
    var fill = false

    @Flag(inversion: .prefixedNo, help: "Mirror your own picture (default: only a camera's).")
    var mirror: Bool?

    @Option(help: "Beautify faces: off, natural, strong.")
    var beauty: Beauty = .off

    @OptionGroup
    var facesOptions: FacesOptions

    @Option(help: "The layer to receive: size, high, low, none.")
    var layer: Layer = .size

    @Flag(help: "Start in full screen.")
    var fullScreen = false

    @Flag(help: "Start with figures on the pictures.")
    var figures = false

    @Option(help: "Size of the window (default: 960x720).", completion: .sizes, transform: resolutionNotation)
    var window = Resolution(width: 960, height: 720)

    @Option(
        help: "How long to show, as 8s or 500ms (default: until the window is closed).", transform: durationNotation)
    var duration: MediaDuration?

    @OptionGroup(title: "Raw clips")
    var clipOptions: ClipOptions

    @OptionGroup(title: "Cameras")
    var cameraOptions: CameraOptions

    enum Beauty: String, ExpressibleByArgument, CaseIterable {
        case off, natural, strong

        var options: BeautyOptions {
            switch self {
            case .off: .off
            case .natural: .natural
            case .strong: .strong
            }
        }

        var next: Beauty { self == .off ? .natural : self == .natural ? .strong : .off }
    }

    enum Layer: String, ExpressibleByArgument, CaseIterable {
        case size, high, low, none

        var next: Layer {
            let all = Layer.allCases
            return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
        }
    }

    /// Whether the arguments are session descriptions.
    var areDescriptions: Bool { !sources.isEmpty && sources.allSatisfy { $0.lowercased().hasSuffix(".sdp") } }

    func validate() throws {
        if call {
            guard to != nil, listen != nil else { throw ValidationError("--call needs --to and --listen") }
            guard !areDescriptions else { throw ValidationError("--call needs a camera or a clip, not a description") }
        } else if to != nil || listen != nil || keyFile != nil {
            throw ValidationError("--to, --listen and --key-file need --call")
        }
        try requirePositive("--duration", duration)
        guard window.width >= 64, window.height >= 64 else { throw ValidationError("--window must be at least 64x64") }
        if !areDescriptions, sources.count > 1 {
            throw ValidationError(
                "give one camera or clip, or any number of .sdp files, not \(sources.joined(separator: " "))")
        }
    }

    func run() throws {
        let title = sources.isEmpty ? "rill" : "rill: " + sources.joined(separator: ", ")
        let screen: Window
        do {
            screen = try Window(title, width: window.width, height: window.height)
        } catch {
            throw CommandError("\(error); is there a display?")
        }
        let show = try Show(self, on: screen)
        try show.run()
    }
}
#endif
