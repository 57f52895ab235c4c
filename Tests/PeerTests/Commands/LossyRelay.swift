import Foundation
import RillCore
import RillTestSupport
import RillTransport

/// A network between two programs that loses datagrams, in both directions: one sends to ``port``, the other gets it,
/// and what that sends back to where it came from goes the way back.
final class LossyRelay: Sendable {
    private let near: UDPSocket
    private let far: UDPSocket
    private let target: UInt16
    private let loss: Double
    private let state: Monitor<State>

    private struct State: ~Copyable {
        var random: SeededGenerator
        /// The port of who sends.
        var sender: UInt16?
        var passages: [LossyTransport.Passage] = []
        var isOver = false
    }

    /// Between any sender and the listener on the port `target` of this machine.
    init(to target: UInt16, loss: Double, seed: UInt64) throws {
        near = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        far = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        (self.target, self.loss) = (target, loss)
        state = Monitor(State(random: SeededGenerator(seed: seed)))
        for isBack in [false, true] { Thread.detachNewThread { [self] in carry(isBack) } }
    }

    /// Where the sender sends to.
    var port: UInt16 { near.localAddress.port }
    /// Where the receiver sends to, who does not wait for a packet to know that.
    var returnPort: UInt16 { far.localAddress.port }

    /// All datagrams so far; those on their way back are the incoming ones.
    var passages: [LossyTransport.Passage] { state.withLock { $0.passages } }

    func stop() { state.withLock { $0.isOver = true } }

    private func carry(_ isBack: Bool) {
        var bytes: [UInt8] = []
        while !state.withLock({ $0.isOver }) {
            // The port is not open yet, or closed: the programs must notice that.
            guard let source = try? (isBack ? far : near).receive(into: &bytes, within: .milliseconds(100))?.source.port
            else {
                continue
            }
            let datagram = bytes
            let destination = state.withLock { state -> UInt16? in
                let isLost = Double.random(in: 0..<1, using: &state.random) < loss
                state.passages.append(LossyTransport.Passage(bytes: datagram, isIncoming: isBack, isLost: isLost))
                if !isBack { state.sender = source }
                return isLost ? nil : isBack ? state.sender : target
            }
            guard let destination else { continue }
            try? (isBack ? near : far).send(datagram.span, to: UDPAddress(.loopback, port: destination))
        }
    }
}
