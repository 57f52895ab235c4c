import Glibc
import Machine
import Rill
import RillTransport
import Synchronization

/// Hands on what comes to a socket, on a thread of its own that keeps to all hardware threads but the large encoder's.
final class SocketListener: Sendable {
    private let state = State()
    private let thread: pthread_t

    private final class State: Sendable {
        let isOver = Atomic(false)
        let failure = Mutex<(any Error)?>(nil)
    }

    /// What the thread does.
    private final class Body {
        let run: () -> Void

        init(_ run: @escaping () -> Void) {
            self.run = run
        }
    }

    init(_ name: String, _ socket: any DatagramTransport, _ receive: @escaping (Span<UInt8>) -> Void) {
        let body = Body { [state] in
            _ = CThreads_set_timer_slack(1)
            _ = CThreads_set_turn(100_000)
            _ = CThreads_keep_to_last_cpu(0)
            var datagrams = IncomingDatagrams()
            do {
                while !state.isOver.load(ordering: .relaxed) {
                    _ = try socket.receive(into: &datagrams, within: .milliseconds(100))
                    for index in datagrams.indices { receive(datagrams.bytes(at: index)) }
                }
            } catch {
                state.failure.withLock { $0 = error }
            }
        }
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(body).toOpaque())
        precondition(result == 0, "the system gave no thread (error \(result))")
        pthread_setname_np(thread, name)
        self.thread = thread
    }

    /// Ends the thread.
    ///
    /// - Throws: what has ended it before.
    func stop() throws {
        state.isOver.store(true, ordering: .relaxed)
        pthread_join(thread, nil)
        if let failure = state.failure.withLock({ $0 }) { throw failure }
    }
}

/// A receiver's reports to its sender, from the socket at which its packets arrive.
final class FeedbackSocket: PacketSink, Sendable {
    private let socket: UDPSocket
    private let address: UDPAddress
    private let failures = Tally()

    init(_ socket: UDPSocket, to address: UDPAddress) {
        (self.socket, self.address) = (socket, address)
    }

    /// Reports that the system would not take.
    var failedCount: Int { failures.count }

    func send(_ packet: Span<UInt8>, at time: MediaTime) {
        do throws(TransportError) {
            try socket.send(packet, to: address)
        } catch {
            failures.add()
        }
    }
}
