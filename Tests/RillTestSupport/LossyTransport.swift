package import RillCore
package import RillTransport

/// A socket behind a network that loses datagrams on their way out. It can move: from then on it is another socket, at another port.
package final class LossyTransport: DatagramTransport {
    private let state: Monitor<State>

    private struct State: ~Copyable {
        var random: SeededGenerator
        var loss: Double
        var kept = OutgoingDatagrams(capacity: 64, datagramByteCount: 2048)
        var lost = 0
        var socket: UDPSocket
        var isClosed = false
    }

    package init(_ socket: UDPSocket, loss: Double, seed: UInt64) {
        state = Monitor(State(random: SeededGenerator(seed: seed), loss: loss, socket: socket))
    }

    private var socket: UDPSocket { state.withLock { $0.socket } }

    /// Goes on at another port; what is sent to the one before is lost.
    package func move() throws {
        let next = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        state.withLock { state in
            state.socket.close()
            state.socket = next
        }
    }

    /// Puts a datagram on its way as it is.
    package func send(_ datagram: Span<UInt8>, to address: UDPAddress) throws { try socket.send(datagram, to: address) }

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
            return state.kept.isEmpty ? .sent : state.socket.send(&state.kept)
        }
    }

    package func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome {
        let outcome = try socket.receive(into: &datagrams, within: timeout)
        // Of a socket that was left for another one that is no end.
        return outcome == .closed && !state.withLock { $0.isClosed } ? .nothing : outcome
    }

    package func close() {
        state.withLock { state in
            state.isClosed = true
            state.socket.close()
        }
    }
}
