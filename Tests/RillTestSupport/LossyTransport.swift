package import RillCore
package import RillTransport

/// A socket behind a network that loses datagrams: on their way out, and on their way in where it is told to. It can
/// move: from then on it is another socket, at another port.
package final class LossyTransport: DatagramTransport {
    private let state: Monitor<State>

    /// A datagram that was given to the network.
    package struct Passage: Sendable {
        package var bytes: [UInt8]
        package var isIncoming: Bool
        package var isLost: Bool

        package init(bytes: [UInt8], isIncoming: Bool, isLost: Bool) {
            (self.bytes, self.isIncoming, self.isLost) = (bytes, isIncoming, isLost)
        }
    }

    private struct State: ~Copyable {
        var random: SeededGenerator
        /// Another one, so that what comes makes no difference to what goes.
        var incomingRandom: SeededGenerator
        var loss: Double
        let incomingLoss: Double
        var kept = OutgoingDatagrams(capacity: 64, datagramByteCount: 2048)
        var lost = 0
        /// `nil` where they are not kept.
        var passages: [Passage]?
        var socket: UDPSocket
        var isClosed = false

        mutating func note(_ bytes: Span<UInt8>, isIncoming: Bool, isLost: Bool) {
            passages?.append(Passage(bytes: bytes.array, isIncoming: isIncoming, isLost: isLost))
        }
    }

    /// - Parameters:
    ///   - loss: how many of those that go are lost, 0 to 1.
    ///   - incomingLoss: how many of those that come.
    ///   - keepsPassages: whether all datagrams are kept, to be looked at afterwards.
    package init(
        _ socket: UDPSocket, loss: Double, incomingLoss: Double = 0, seed: UInt64, keepsPassages: Bool = false
    ) {
        state = Monitor(
            State(
                random: SeededGenerator(seed: seed), incomingRandom: SeededGenerator(seed: ~seed), loss: loss,
                incomingLoss: incomingLoss, passages: keepsPassages ? [] : nil, socket: socket))
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
    /// Datagrams lost so far on their way out.
    package var lost: Int { state.withLock { $0.lost } }
    /// All datagrams so far, those that were lost too; of one direction they are in their order.
    package var passages: [Passage] { state.withLock { $0.passages ?? [] } }

    package func setLoss(_ loss: Double) { state.withLock { $0.loss = loss } }

    package func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome {
        state.withLock { state in
            for index in 0..<datagrams.count {
                let isLost = Double.random(in: 0..<1, using: &state.random) < state.loss
                state.note(datagrams.bytes(at: index), isIncoming: false, isLost: isLost)
                guard !isLost else {
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
        switch outcome {
        case .received: return lose(of: &datagrams)
        case .nothing: return outcome
        // For a socket that was replaced by another one this is not an end.
        case .closed: return state.withLock { $0.isClosed } ? outcome : .nothing
        }
    }

    /// Takes out those that were lost on their way here.
    private func lose(of datagrams: inout IncomingDatagrams) -> ReceiveOutcome {
        state.withLock { state in
            guard state.incomingLoss > 0 || state.passages != nil else { return .received(datagrams.count) }
            var kept: [(bytes: [UInt8], source: UDPAddress, trafficClass: TrafficClass)] = []
            for index in datagrams.indices {
                let isLost = Double.random(in: 0..<1, using: &state.incomingRandom) < state.incomingLoss
                state.note(datagrams.bytes(at: index), isIncoming: true, isLost: isLost)
                guard !isLost else { continue }
                kept.append(
                    (datagrams.bytes(at: index).array, datagrams.source(at: index), datagrams.trafficClass(at: index)))
            }
            datagrams.removeAll()
            for datagram in kept {
                let isThere = datagrams.append(
                    copying: datagram.bytes.span, from: datagram.source, trafficClass: datagram.trafficClass)
                precondition(isThere, "it was there before")
            }
            return kept.isEmpty ? .nothing : .received(kept.count)
        }
    }

    package func close() {
        state.withLock { state in
            state.isClosed = true
            state.socket.close()
        }
    }
}
