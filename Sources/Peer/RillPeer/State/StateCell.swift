/// The state of an object with one owner, in separately allocated memory.
///
/// ```swift
/// final class ICEPort {
///     private let cell: StateCell<ICEPortCore>
///     func insert(_ datagram: Span<UInt8>, at now: MediaTime) { cell.state.insert(datagram, at: now) }
/// }
/// ```
///
/// For a class's stored properties, the runtime checks each modifying access against a list of open accesses. That
/// costs about eighty instructions, and processing a packet makes twenty such accesses. A flag suffices here. An
/// access while the state is being modified, which requires a call from within a call, traps, as with Rust's
/// `RefCell`. Where no code of a caller runs during an access, `@exclusivity(unchecked)` costs nothing at all.
@safe
struct StateCell<State: ~Copyable>: ~Copyable {
    private let place: UnsafeMutablePointer<State>
    private let isChanging: UnsafeMutablePointer<Bool>

    /// Allocates a cell with the value `state`.
    init(_ state: consuming State) {
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

    /// The state, for the duration of one call. Traps if it is being modified by a call further up the stack.
    var state: State {
        // Uses an address, because `_read` yields a copy of the whole state (Swift 6.3).
        @inline(__always)
        unsafeAddress {
            precondition(unsafe !isChanging.pointee, "the state is accessed during a modification")
            return unsafe UnsafePointer(place)
        }
        @inline(__always)
        nonmutating _modify {
            precondition(unsafe !isChanging.pointee, "the state is accessed during a modification")
            unsafe isChanging.pointee = true
            defer { unsafe isChanging.pointee = false }
            // The memory lives as long as the cell, and the flag excludes all other accesses.
            yield unsafe &place.pointee
        }
    }
}
