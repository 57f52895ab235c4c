import RillCore
import RillMediaSupport
import RillRTP
import RillTestSupport
import RillTransport

@testable import Rill

/// A transport without a network: a test delivers what arrives, and sees what the call sends.
final class MemoryTransport: DatagramTransport {
    let localAddress = UDPAddress(.loopback, port: 1)
    let remoteAddress: UDPAddress? = UDPAddress(.loopback, port: 2)
    private let state = Monitor(State())
    private let sent: @Sendable (Span<UInt8>) -> Void

    private struct State {
        var arrived: [[UInt8]] = []
        var isClosed = false
    }

    /// - Parameter sent: is called with each datagram that the call sends, on the thread that sends it.
    init(_ sent: @escaping @Sendable (Span<UInt8>) -> Void = { _ in }) { self.sent = sent }

    /// Datagrams arrive, on any thread.
    func deliver(_ datagrams: [[UInt8]]) { state.change { $0.arrived += datagrams } }

    /// Adds the other end of this transport to a call, by the streams that it sends.
    func join(
        _ call: VideoCall, _ streams: [StreamDescription], _ prepare: (CallParticipant) throws -> Void
    ) throws -> CallParticipant {
        var them = ParticipantSettings("them", at: remoteAddress, key: nil)
        them.streams = streams
        return try call.add(them, over: self, prepare)
    }

    var statistics: TransportStatistics { TransportStatistics() }

    func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome {
        for index in 0..<datagrams.count { sent(datagrams.bytes(at: index)) }
        datagrams.removeAll()
        return .sent
    }

    func receive(into datagrams: inout IncomingDatagrams, within timeout: MediaDuration) -> ReceiveOutcome {
        datagrams.removeAll()
        let clock = LiveClock()
        let outcome: ReceiveOutcome? = state.wait(untilMonotonic: clock.monotonic(clock.now + timeout)) { state in
            guard !state.isClosed else { return .closed }
            let count = min(state.arrived.count, datagrams.capacity)
            for datagram in state.arrived.prefix(count) {
                _ = datagrams.append(copying: datagram.span, from: UDPAddress(.loopback, port: 2))
            }
            state.arrived.removeFirst(count)
            return count == 0 ? nil : .received(count)
        }
        return outcome ?? .nothing
    }

    func close() { state.change { $0.isClosed = true } }
}

extension CodedClip {
    /// Its stream, as its sender would describe it.
    static var stream: [StreamDescription] {
        var stream = StreamDescription(payloadType, RTPFormat.Encoding("VP8"))
        stream.ssrc = ssrc
        stream.feedback = [.nack, .pictureLossIndication]
        return [stream]
    }
}
