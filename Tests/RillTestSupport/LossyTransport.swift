package import RillCore
package import RillTransport

/// A socket behind a network that loses datagrams on their way out, and remembers what it was given.
package final class LossyTransport: DatagramTransport {
    private let socket: UDPSocket
    private let state: Monitor<State>

    private struct State: ~Copyable {
        var random: SeededGenerator
        var loss: Double
        var kept = OutgoingDatagrams(capacity: 64, datagramByteCount: 2048)
        var lost = 0
    }

    package init(_ socket: UDPSocket, loss: Double, seed: UInt64) {
        self.socket = socket
        state = Monitor(State(random: SeededGenerator(seed: seed), loss: loss))
    }

    package var localAddress: UDPAddress { socket.localAddress }
    package var statistics: TransportStatistics { socket.statistics }
    /// Datagrams lost so far.
    package var lost: Int { state.withLock { $0.lost } }

    package func setLoss(_ loss: Double) { state.withLock { $0.loss = loss } }

    package func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome {
        state.withLock { state in
            for index in 0..<datagrams.count {
                guard Double.random(in: 0..<1, using: &state.random) >= state.loss else {
                    state.lost += 1
                    continue
                }
                state.kept.append(to: datagrams.destination(at: index)) {
                    $0.append(copying: datagrams.bytes(at: index))
                }
            }
            datagrams.removeAll()
            return state.kept.isEmpty ? .sent : socket.send(&state.kept)
        }
    }

    package func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome {
        try socket.receive(into: &datagrams, within: timeout)
    }

    package func close() { socket.close() }
}
