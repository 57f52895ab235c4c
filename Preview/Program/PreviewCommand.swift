import ArgumentParser
import Foundation
import Rill
import RillCore
import Screen

/// `rill preview`: pictures in a window.
@main
struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rill preview",
        abstract: "Show a camera, a clip, a stream or a call in a window.",
        usage: """
            rill preview [<source>] [<options>]
            rill preview <in.sdp> ... [--grid] [<options>]
            rill preview [<source>] --call --to <host:port> --listen <port> --key-file <file> [<options>]
            """,
        discussion: """
            A source is a camera (/dev/video0, camera:NAME) or a clip, which begins again; without one the portrait scene is \
            drawn. It is shown as it would be sent: turned upright, in limited range, with faces made beautiful.

            Session descriptions (.sdp) are received, each at the port that it names, and what they send is shown: the layer \
            that fits the size of its place in the window. A description without a key is received from this machine only.

            --call does what `rill call` does, with the other side in the window and yourself in its corner.

            Keys:
              space   all of the picture, or all of the window      f   full screen
              m       mirrored                                      b   beauty: off, natural, strong
              l       layer: by size, high, low, none               i   figures
              g       all of one size, or one large (or click)      q   end (or Esc)

            Examples:
              rill preview /dev/video0
              rill preview clip.y4m --beauty natural
              rill preview bob.sdp carol.sdp --grid
              rill preview /dev/video0 --call --to 192.0.2.7:5004 --listen 5004 --key-file call.key
            """)

    @Argument(help: "A camera, a clip, or session descriptions.")
    var sources: [String] = []

    @Flag(help: "All pictures of one size; else, where there are several, a click makes one large.")
    var grid = false

    @Flag(help: "Call another machine.")
    var call = false

    @Option(help: "Where the other side listens, as HOST:PORT or [V6]:PORT.")
    var to: String?

    @Option(help: "The port to listen at.")
    var listen: UInt16?

    @Option(help: "The file with the key of the call.")
    var keyFile: String?

    @Flag(help: "Cover the whole place with the picture, and cut off what does not fit.")
    var fill = false

    @Flag(inversion: .prefixedNo, help: "Show yourself as in a mirror (default: cameras are).")
    var mirror: Bool?

    @Option(help: "Make faces beautiful: off, natural, strong.")
    var beauty: Beauty = .off

    @Option(help: "Which layer of theirs is shown: size, high, low, none.")
    var layer: Layer = .size

    @Flag(help: "Begin on the full screen.")
    var fullScreen = false

    @Flag(help: "Begin with figures on the pictures.")
    var figures = false

    @Option(help: "Size of the window, as WIDTHxHEIGHT.")
    var window: WindowSize = WindowSize(width: 960, height: 720)

    @Option(help: "How long, as 8s or 500ms (default: until it is closed).")
    var duration: Time?

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

    /// A time with its unit, as everywhere in rill.
    struct Time: ExpressibleByArgument {
        var seconds: Double

        init?(argument: String) {
            let units = [("ms", 0.001), ("s", 1.0)]
            for (unit, factor) in units where argument.hasSuffix(unit) {
                guard let number = Double(argument.dropLast(unit.count)), number > 0, number < 1e9 else { return nil }
                seconds = number * factor
                return
            }
            return nil
        }
    }

    struct WindowSize: ExpressibleByArgument {
        var width: Int
        var height: Int

        init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

        init?(argument: String) {
            let parts = argument.lowercased().split(separator: "x").compactMap { Int($0) }
            guard parts.count == 2, parts.allSatisfy({ (64...16384).contains($0) }) else { return nil }
            self.init(width: parts[0], height: parts[1])
        }

        var defaultValueDescription: String { "\(width)x\(height)" }
    }

    /// Whether the arguments are descriptions of what others send.
    var areDescriptions: Bool { !sources.isEmpty && sources.allSatisfy { $0.lowercased().hasSuffix(".sdp") } }

    func validate() throws {
        if call {
            guard to != nil, listen != nil else { throw ValidationError("--call needs --to and --listen") }
            guard !areDescriptions else { throw ValidationError("--call sends a camera or a clip, no description") }
        } else if to != nil || listen != nil || keyFile != nil {
            throw ValidationError("--to, --listen and --key-file belong to --call")
        }
        if !areDescriptions, sources.count > 1 {
            throw ValidationError(
                "one camera or clip is shown, or any number of .sdp files: \(sources.joined(separator: " "))")
        }
    }

    func run() throws {
        let title = sources.isEmpty ? "rill" : "rill: " + sources.joined(separator: ", ")
        let screen: Window
        do {
            screen = try Window(title, width: window.width, height: window.height)
        } catch {
            throw PreviewError("\(error); is there a display?")
        }
        let show = try Show(self, on: screen)
        try show.run()
    }
}

/// What a person reads.
struct PreviewError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
