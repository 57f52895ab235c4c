import Foundation
import Glibc

/// A program of Rill's that is built separately, in a package of its own, so that `rill` does not need its libraries.
struct SeparateProgram {
    /// The program's name.
    let name: String
    /// The folder of its package.
    let package: String
    /// What it needs besides Swift, as a clause for an error; empty for nothing.
    var needs = ""

    /// The window.
    static let preview = SeparateProgram(
        name: "rill-preview", package: "Preview",
        needs: " (needs SDL: sudo apt install libsdl2-dev libsdl2-ttf-dev fonts-dejavu-core)")
    /// The server of WHIP and WHEP.
    static let serve = SeparateProgram(name: "rill-serve", package: "Server")
    /// HTTP for clients of WHIP and WHEP.
    static let http = SeparateProgram(name: "rill-http", package: "Server")

    /// The program's path: beside rill, in its package if that is built in Rill's folder, or in PATH.
    ///
    /// - Parameter command: the command that needs it.
    /// - Throws: ``CommandError``, which says how to build it.
    func path(for command: String) throws -> String {
        guard let path else {
            throw CommandError(
                "rill \(command) needs \(name), which is built separately, in Rill's folder: "
                    + "swift build -c release --package-path \(package)\(needs)", .unreadableInput)
        }
        return path
    }

    /// Replaces this process by the program: it handles signals, writes standard output, and sets the exit code.
    func replaceProcess(for command: String, _ words: [String]) throws -> Never {
        let program = try path(for: command)
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + words).map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        unsafe execv(program, pointers)
        throw CommandError("\(program): \(unsafe String(cString: strerror(errno)))")
    }

    private var path: String? {
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
        let folder = URL(fileURLWithPath: own).deletingLastPathComponent()
        var candidates = [folder.appendingPathComponent(name).path]
        // If built in Rill's folder, this program is three or four folders below it.
        var above = folder
        for _ in 0..<4 {
            above = above.deletingLastPathComponent()
            candidates += built(below: above)
        }
        candidates += built(below: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        candidates += path.split(separator: ":").map { "\($0)/\(name)" }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private func built(below folder: URL) -> [String] {
        ["release", "debug"].map { folder.appendingPathComponent("\(package)/.build/\($0)/\(name)").path }
    }
}
