#if Server
import Synchronization

/// Whether something happens for the first time.
final class FirstTime: Sendable {
    private let hasHappened = Atomic(false)

    /// `true` once.
    var isFirst: Bool { !hasHappened.exchange(true, ordering: .relaxed) }
}
#endif
