import CSockets
import Glibc
import RillCore

/// Sockets that one thread waits at together, until a moment that is given to the nanosecond: for drivers that hand on
/// datagrams of many sockets at set times.
///
///     try sockets.add(socket, key: 0)
///     try sockets.wait(untilMonotonic: deadline) { key in … }     // then `receive(into:within: .zero)`
///
/// A socket that was not read empty is told of again. One whose last reference is gone has left the set.
///
/// Threading: one thread waits and adds; ``wake()`` comes from any.
package final class SocketSet: Sendable {
    private let number: Int32
    private let event: Int32

    /// The key of what wakes; no socket has it.
    private static let wakeKey = UInt64.max

    /// A set without a socket.
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

    /// Adds a socket, of which ``wait(untilMonotonic:_:)`` tells by `key`, 0 or more.
    ///
    /// - Throws: `socketFailed`.
    package func add(_ socket: UDPSocket, key: Int) throws(TransportError) { try add(socket.descriptor, key) }

    /// The same for a socket that is connected.
    package func add(_ socket: ConnectedUDPSocket, key: Int) throws(TransportError) { try add(socket.descriptor, key) }

    private func add(_ descriptor: SocketDescriptor, _ key: Int) throws(TransportError) {
        guard CSockets_add_to_set(number, descriptor.number, UInt64(key)) == 0 else {
            throw .socketFailed(.configure, descriptor.localAddress, code: errno)
        }
    }

    /// Waits until a socket has something to be received, ``wake()`` was called, or `CLOCK_MONOTONIC` has reached `deadline`
    /// (nanoseconds); then calls `body` with the key of each socket that has something, up to 64.
    ///
    /// - Throws: `socketFailed`.
    package func wait(untilMonotonic deadline: Int64, _ body: (Int) -> Void) throws(TransportError) {
        let rest = deadline == .max ? 3_600_000_000_000 : max(0, deadline - monotonicNanoseconds())
        var keys = InlineArray<64, UInt64>(repeating: 0)
        var span = keys.mutableSpan
        let (count, code) = unsafe span.withUnsafeMutableBufferPointer { buffer in
            // The system writes as many as there is room for, before the call returns.
            let count = unsafe CSockets_wait(number, buffer.baseAddress, Int32(buffer.count), rest)
            return (count, errno)
        }
        guard count >= 0 else { throw .socketFailed(.receive, nil, code: code) }
        for index in 0..<Int(count) {
            if keys[index] == SocketSet.wakeKey { quieten() } else { body(Int(keys[index])) }
        }
    }

    /// Has the one who waits look up, now or at the next wait.
    package func wake() {
        var one: UInt64 = 1
        _ = unsafe write(event, &one, 8)
    }

    private func quieten() {
        var count: UInt64 = 0
        _ = unsafe read(event, &count, 8)
    }
}
