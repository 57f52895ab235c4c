import CSockets
import Glibc
import RillCore

/// A set of sockets on which one thread waits, with a deadline in nanoseconds.
///
/// For drivers that pass on the datagrams of many sockets at set times.
///
/// ```swift
/// try sockets.add(socket, key: 0)
/// try sockets.wait(untilMonotonic: deadline) { key in ready.append(key) }     // then `receive(into:within: .zero)`
/// ```
///
/// A socket with unread datagrams is reported again. A socket leaves the set when its last reference is released.
///
/// Threading: one thread waits and adds sockets; ``wake()`` may be called from any thread.
package final class SocketSet: Sendable {
    private let number: Int32
    private let event: Int32

    /// The key of the wake-up event; no socket has it.
    private static let wakeKey = UInt64.max

    /// An empty set.
    ///
    /// - Throws: `socketFailed`.
    package init() throws(TransportError) {
        number = CSockets_open_set()
        guard number >= 0 else { throw .socketFailed(.open, nil, code: errno) }
        event = CSockets_open_event()
        guard event >= 0, CSockets_add_to_set(number, event, SocketSet.wakeKey) == 0 else {
            let code = errno
            Glibc.close(number)
            if event >= 0 { Glibc.close(event) }
            throw .socketFailed(.open, nil, code: code)
        }
    }

    deinit {
        Glibc.close(event)
        Glibc.close(number)
    }

    /// Adds a socket, which ``wait(untilMonotonic:_:)`` reports by its `key`, 0 or greater.
    ///
    /// - Throws: `socketFailed`.
    package func add(_ socket: UDPSocket, key: Int) throws(TransportError) { try add(socket.descriptor, key) }

    /// Adds a connected socket, which ``wait(untilMonotonic:_:)`` reports by its `key`, 0 or greater.
    package func add(_ socket: ConnectedUDPSocket, key: Int) throws(TransportError) { try add(socket.descriptor, key) }

    private func add(_ descriptor: SocketDescriptor, _ key: Int) throws(TransportError) {
        guard CSockets_add_to_set(number, descriptor.number, UInt64(key)) == 0 else {
            throw .socketFailed(.configure, descriptor.localAddress, code: errno)
        }
    }

    /// Waits until a socket has data, ``wake()`` is called, or `CLOCK_MONOTONIC` reaches `deadline` (in nanoseconds).
    ///
    /// Then calls `body` with the key of each socket that has data, up to 64.
    ///
    /// - Throws: `socketFailed`.
    package func wait(untilMonotonic deadline: Int64, _ body: (Int) -> Void) throws(TransportError) {
        let rest = deadline == .max ? 3_600_000_000_000 : max(0, deadline - monotonicNanoseconds())
        var keys = InlineArray<64, UInt64>(repeating: 0)
        var span = keys.mutableSpan
        let (count, code) = unsafe span.withUnsafeMutableBufferPointer { buffer in
            // The system writes as many as fit, before the call returns.
            let count = unsafe CSockets_wait(number, buffer.baseAddress, Int32(buffer.count), rest)
            return (count, errno)
        }
        guard count >= 0 else { throw .socketFailed(.receive, nil, code: code) }
        for index in 0..<Int(count) {
            if keys[index] == SocketSet.wakeKey { quieten() } else { body(Int(keys[index])) }
        }
    }

    /// Wakes the waiting thread, or makes its next wait return immediately.
    package func wake() {
        var one: UInt64 = 1
        _ = unsafe write(event, &one, 8)
    }

    private func quieten() {
        var count: UInt64 = 0
        _ = unsafe read(event, &count, 8)
    }
}
