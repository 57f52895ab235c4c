import FoundationEssentials
import Glibc

/// What this process takes of the machine's memory.
enum ResidentMemory {
    /// The bytes; `nil` where the system does not tell.
    static func byteCount() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
