import CPerfEvents
import Glibc

/// Instructions of this process and the threads that it starts from here on, the kernel's for it among them where it may
/// count those.
final class InstructionCounter {
    private let descriptor: CInt

    init() {
        let whole = CPerfEvents_open(CPerfEvents_instructions, 1)
        descriptor = whole >= 0 ? whole : CPerfEvents_open(CPerfEvents_instructions, 0)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// `nil` where the machine counts none.
    var count: Int64? {
        guard descriptor >= 0 else { return nil }
        let count = CPerfEvents_count(descriptor)
        return count >= 0 ? count : nil
    }
}
