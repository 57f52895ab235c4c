import Glibc

/// A folder for clips and what is made of them, gone with all that is in it when nobody has it any more; what is measured
/// is started in it.
final class BenchFolder {
    /// Where it is.
    let root: String
    private let isWanted: () -> Bool

    /// Makes the folder where the system keeps temporary files (`TMPDIR`).
    ///
    /// - Parameter isWanted: whether anybody still waits for what is measured.
    init(whileWanted isWanted: @escaping () -> Bool) throws(BenchError) {
        self.isWanted = isWanted
        // Nobody sets the environment while this reads it: there is one thread.
        let place = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        root = "\(place)/rill-bench-\(getpid())"
        guard unsafe mkdir(root, 0o700) == 0 else { throw .fileFailed("making", path: root, code: errno) }
    }

    /// The path of a file of that name in it.
    func path(_ name: String) -> String { "\(root)/\(name)" }

    /// Starts a program, which prints into the file of that name here.
    func start(_ invocation: Invocation, output name: String = "output") throws(BenchError) -> ChildProcess {
        try ChildProcess(invocation, output: path(name), whileWanted: isWanted)
    }

    /// The names of the files that begin like this.
    func names(beginning prefix: String) -> [String] {
        guard let folder = unsafe opendir(root) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        // The entry lives until the next call, and its name ends with a zero.
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name.hasPrefix(prefix), name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    deinit {
        // What cannot be removed is the system's to clean up.
        for name in names(beginning: "") { unsafe unlink(path(name)) }
        unsafe rmdir(root)
    }
}
