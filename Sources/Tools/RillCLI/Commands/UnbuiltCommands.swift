import ArgumentParser

/// A command of a trait of Package.swift that this `rill` was built without. Help lists it, and it says how to get it.
protocol UnbuiltCommand: ParsableCommand {
    static var trait: Trait { get }
}

/// A trait that adds commands.
enum Trait: String {
    case server = "Server"
    case window = "Window"

    /// What `rill` is built with.
    private static var built: [String] {
        var traits = ["default"]
        #if Server
        traits.append(server.rawValue)
        #endif
        #if Window
        traits.append(window.rawValue)
        #endif
        return traits
    }

    /// The command that builds `rill` with this trait as well.
    var build: String {
        let packages = self == .window ? "sudo apt install libsdl2-dev libsdl2-ttf-dev fonts-dejavu-core\n  " : ""
        let traits = (Trait.built + [rawValue]).joined(separator: ",")
        return "\(packages)swift build -c release --traits \(traits) --product rill"
    }

    /// Why there is no such command.
    func isMissing(for command: String) -> CommandError {
        CommandError(
            "rill \(command) needs the trait \(rawValue), without which this rill was built. In Rill's folder:\n  \(build)",
            .unreadableInput)
    }
}

extension UnbuiltCommand {
    static func unbuilt(_ name: String, _ abstract: String) -> CommandConfiguration {
        CommandConfiguration(
            commandName: name, abstract: "\(abstract) (not built)",
            discussion: "This rill was built without the trait \(trait.rawValue). In Rill's folder:\n\n  \(trait.build)"
        )
    }

    func run() throws { throw Self.trait.isMissing(for: Self.configuration.commandName ?? "") }
}

#if !Server
struct PublishCommand: UnbuiltCommand {
    static let trait = Trait.server
    static let configuration = unbuilt("publish", "Publish a camera or clip at a URL (WHIP).")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct WatchCommand: UnbuiltCommand {
    static let trait = Trait.server
    static let configuration = unbuilt("watch", "Watch the stream at a URL (WHEP).")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct JoinCommand: UnbuiltCommand {
    static let trait = Trait.server
    static let configuration = unbuilt("join", "Join a room with bots that publish a clip.")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct ServeCommand: UnbuiltCommand {
    static let trait = Trait.server
    static let configuration = unbuilt("serve", "Serve streams by URL: WHIP and WHEP.")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct TokenCommand: UnbuiltCommand {
    static let trait = Trait.server
    static let configuration = unbuilt("token", "Print a token for a server's publishers and viewers.")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}
#endif

#if !Window
struct PreviewCommand: UnbuiltCommand {
    static let trait = Trait.window
    static let configuration = unbuilt("preview", "Show a camera, a clip, a stream or a call in a window.")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}
#endif
