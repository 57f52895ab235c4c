/// What an object with one owner works on, in a place of its own.
///
///     final class StreamReceiver {
///         private let cell: StateCell<StreamReceiverCore>
///         func insert(_ datagram: Span<UInt8>, at now: MediaTime) { cell.state.insert(datagram, at: now) }
///
/// Of a class's stored properties the runtime checks each access that lasts, by a list of those that are open: some eighty
/// instructions, and a packet's way makes twenty of them. A flag does here: who comes while the state is being changed, which takes
/// a call from within a call, violates a precondition, as with Rust's `RefCell`.
@safe
public struct StateCell<State: ~Copyable>: ~Copyable {
    @usableFromInline let place: UnsafeMutablePointer<State>
    @usableFromInline let isChanging: UnsafeMutablePointer<Bool>

    /// A place with `state` in it.
    @inlinable
    public init(_ state: consuming State) {
        unsafe place = .allocate(capacity: 1)
        unsafe place.initialize(to: state)
        unsafe isChanging = .allocate(capacity: 1)
        unsafe isChanging.initialize(to: false)
    }

    deinit {
        unsafe place.deinitialize(count: 1)
        unsafe place.deallocate()
        unsafe isChanging.deallocate()
    }

    /// The state, for as long as one call takes.
    @inlinable
    public var state: State {
        // An address: `_read` gives a copy of all of it (Swift 6.3).
        @inline(__always)
        unsafeAddress {
            precondition(unsafe !isChanging.pointee, "called from within a call")
            return unsafe UnsafePointer(place)
        }
        @inline(__always)
        nonmutating _modify {
            precondition(unsafe !isChanging.pointee, "called from within a call")
            unsafe isChanging.pointee = true
            defer { unsafe isChanging.pointee = false }
            // It is there as long as the cell, and the flag keeps everybody else out.
            yield unsafe &place.pointee
        }
    }
}
