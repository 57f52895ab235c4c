import Glibc

/// Programs on this machine.
enum Tool {
    /// Where the program of that name is, by the `PATH`; `nil` where it is not installed.
    static func path(of name: String) -> String? {
        // Nobody sets the environment while this reads it: there is one thread.
        let folders = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        return folders.split(separator: ":").map { "\($0)/\(name)" }.first { unsafe access($0, X_OK) == 0 }
    }

    /// This very program.
    static let rill = ownPath

    /// What does Rill's work in a process of its own; `nil` where it was not built.
    static var benchWork: String? {
        let folder = ownPath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let path = folder + "/rill-bench-work"
        return unsafe access(path, X_OK) == 0 ? path : nil
    }

    private static var ownPath: String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        // The system writes at most as many bytes as there are, and says how many.
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// What a program prints when it is asked for its version; its first line that holds `pattern`.
    static func firstLine(of words: [String], holding pattern: String, in folder: BenchFolder) -> String? {
        // A program that says nothing of itself is measured all the same.
        guard let child = try? folder.start(Invocation(words: words), output: "version"),
            let turn = try? child.wait(limit: 20)
        else { return nil }
        return turn.output.split(separator: "\n").first { $0.contains(pattern) }
            .map { $0.split(separator: " ").joined(separator: " ") }
    }
}
