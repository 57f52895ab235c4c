import Glibc

/// A value that one thread at a time uses, without a lock held meanwhile: a running encoder, or an app's sink.
///
/// ```swift
/// let tap = ExclusiveUse(sink)
/// try tap.use { try $0.consume(frame) }
/// ```
///
/// A thread that calls `use` while the value is in use waits until it is free. The body of `use` may call anything
/// except this `use`: the thread would wait for itself forever, so the call traps.
package final class ExclusiveUse<Value>: Sendable {
    private let place: Monitor<Place>

    private struct Place: ~Copyable {
        /// `nil` while a thread uses it.
        var value: Value?
        var user: pthread_t?
    }

    package init(_ value: consuming sending Value) {
        place = Monitor(Place(value: value))
    }

    /// Runs `body` with the value, which no other thread can use meanwhile.
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
            if place.user == thread { fatalError("this thread already uses the value: a sink must not call itself") }
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
