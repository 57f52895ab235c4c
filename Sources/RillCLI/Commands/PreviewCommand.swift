import ArgumentParser
import Foundation
import Glibc

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

    func run() throws {
        guard let program = Self.program else {
            throw CommandError(
                "rill preview needs rill-preview, which is built separately, in Rill's folder: "
                    + "swift build -c release --package-path Preview "
                    + "(needs SDL: sudo apt install libsdl2-dev libsdl2-ttf-dev fonts-dejavu-core)", .unreadableInput
            )
        }
        // It replaces this process: it handles signals, writes standard output, and sets the exit code.
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + words).map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        unsafe execv(program, pointers)
        throw CommandError("\(program): \(unsafe String(cString: strerror(errno)))")
    }

    /// The path of the program; `nil` if it is not built.
    private static var program: String? {
        let name = "rill-preview"
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
        let folder = URL(fileURLWithPath: own).deletingLastPathComponent()
        var candidates = [folder.appendingPathComponent(name).path]
        // If built in Rill's folder, this program is three or four folders below it.
        var above = folder
        for _ in 0..<4 {
            above = above.deletingLastPathComponent()
            candidates.append(above.appendingPathComponent("Preview/.build/release/\(name)").path)
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        candidates += path.split(separator: ":").map { "\($0)/\(name)" }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
