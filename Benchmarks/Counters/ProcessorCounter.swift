import Glibc
import Machine

/// A hardware counter for this process and the threads that it starts later.
///
/// Virtual machines often have no counters, and a kernel may forbid them (`perf_event_paranoid` 3).
public final class ProcessorCounter {
    private let descriptor: CInt

    /// Starts counting in user mode, and in kernel mode if requested and permitted.
    public init(_ event: CPerfEvents_event, withKernel: Bool = false) {
        let whole = withKernel ? CPerfEvents_open(event, 1) : -1
        descriptor = whole >= 0 ? whole : CPerfEvents_open(event, 0)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The count so far; `nil` if the counter is missing or did not run all the time.
    public var count: Int64? {
        let count = CPerfEvents_count(descriptor)
        return count >= 0 ? count : nil
    }

    /// Pauses the counter; returns whether that succeeded.
    public func pause() -> Bool { CPerfEvents_pause(descriptor) == 0 }

    /// Resumes the counter; returns whether that succeeded.
    public func resume() -> Bool { CPerfEvents_resume(descriptor) == 0 }
}
