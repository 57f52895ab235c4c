import Rill
import RillCore
import RillThreads
import Synchronization

/// Hands on what comes to a socket, on a thread of its own.
final class SocketListener: Sendable {
    private let isOver: OverFlag
    private let failure = Monitor<(any Error)?>(nil)
    private let thread: NamedThread

    /// Shared with the thread, which must not keep the listener.
    private final class OverFlag: Sendable {
        let isSet = Atomic(false)
    }

    init(
        _ name: String, _ socket: any DatagramTransport, on part: NamedThread.Part = .any,
        _ receive: @escaping @Sendable (Span<UInt8>) -> Void
    ) {
        let isOver = OverFlag()
        let failure = failure
        self.isOver = isOver
        thread = NamedThread(name, turn: .short, on: part) {
            var datagrams = IncomingDatagrams()
            do {
                while !isOver.isSet.load(ordering: .relaxed) {
                    _ = try socket.receive(into: &datagrams, within: .milliseconds(100))
                    for index in datagrams.indices { receive(datagrams.bytes(at: index)) }
                }
            } catch {
                failure.withLock { $0 = error }
            }
        }
    }

    /// Ends the thread.
    ///
    /// - Throws: what has ended it before.
    func stop() throws {
        isOver.isSet.store(true, ordering: .relaxed)
        thread.join()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

/// A receiver's reports to its sender, from the socket at which its packets arrive.
final class FeedbackSocket: PacketSink, Sendable {
    private let socket: UDPSocket
    private let address: UDPAddress
    private let failures = Atomic(0)

    init(_ socket: UDPSocket, to address: UDPAddress) {
        self.socket = socket
        self.address = address
    }

    /// Reports that the system would not take.
    var failedCount: Int { failures.load(ordering: .relaxed) }

    func send(_ packet: Span<UInt8>, at time: MediaTime) {
        do throws(TransportError) {
            try socket.send(packet, to: address)
        } catch {
            failures.add(1, ordering: .relaxed)
        }
    }
}
