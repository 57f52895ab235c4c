import Glibc

/// A value that one thread at a time uses, with no lock held while it does: an encoder at work, or somebody else's sink.
///
///     let tap = ExclusiveUse(sink)
///     try tap.use { try $0.consume(frame) }
///
/// Who comes while it is in use waits until it is given back. What is called in `use` may call anything but this `use`: a
/// thread that asks for what it is using itself would wait for ever, and is told so with a trap.
package final class ExclusiveUse<Value>: Sendable {
    private let place: Monitor<Place>

    private struct Place: ~Copyable {
        /// Not there while somebody uses it.
        var value: Value?
        var user: pthread_t?
    }

    package init(_ value: consuming sending Value) {
        place = Monitor(Place(value: value))
    }

    /// Runs `body` with the value, which nobody else has meanwhile.
    package func use<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var value = take()
        defer { giveBack(value) }
        return try body(&value)
    }

    private func take() -> Value {
        let thread = pthread_self()
        return place.wait { place -> Value? in
            if place.user == thread { fatalError("this thread uses it already: a sink must not be called by itself") }
            guard let value = place.value.take() else { return nil }
            place.user = thread
            return value
        }
    }

    private func giveBack(_ value: Value) {
        place.change { place in
            place.value = value
            place.user = nil
        }
    }
}
