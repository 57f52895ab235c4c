import ArgumentParser

/// `rill preview`: runs rill-preview, the program with the window, which is a package of its own.
struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show a camera, a clip, a stream or a call in a window.",
        discussion: """
            Runs rill-preview, found beside rill, in Preview/.build/release, or in PATH; `rill preview --help` shows \
            its help. It is built separately, so that rill itself does not need SDL:

              sudo apt install libsdl2-dev libsdl2-ttf-dev fonts-dejavu-core
              swift build -c release --package-path Preview
            """)

    @Argument(parsing: .captureForPassthrough, help: "Arguments for rill-preview.", completion: .sources)
    var words: [String] = []

    func run() throws { try SeparateProgram.preview.replaceProcess(for: "preview", words) }
}
