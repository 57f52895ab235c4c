import Glibc
import Machine

/// Counts what the processor does for this process and the threads that it starts from here on.
///
/// Virtual machines often give no counters, and a kernel may forbid them (`perf_event_paranoid` 3).
public final class ProcessorCounter {
    private let descriptor: CInt

    /// Counts from here on in user mode, and in the kernel's where that is asked for and allowed.
    public init(_ event: CPerfEvents_event, withKernel: Bool = false) {
        let whole = withKernel ? CPerfEvents_open(event, 1) : -1
        descriptor = whole >= 0 ? whole : CPerfEvents_open(event, 0)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// What was counted so far; `nil` where nothing is, or not all the time.
    public var count: Int64? {
        let count = CPerfEvents_count(descriptor)
        return count >= 0 ? count : nil
    }

    /// Lets it rest; whether it does.
    public func pause() -> Bool { CPerfEvents_pause(descriptor) == 0 }

    /// Lets it count again; whether it does.
    public func resume() -> Bool { CPerfEvents_resume(descriptor) == 0 }
}
