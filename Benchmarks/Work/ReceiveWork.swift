import Arguments
import Rill
import RillLab
import Synchronization

/// Receives one live stream, as an app does, until a number of pictures have been shown.
///
///     receive --at ADDRESS --frames N
struct ReceiveWork {
    private let address: UDPAddress
    private let frameCount: Int

    init(_ arguments: Arguments) throws {
        address = try UDPAddress.resolve(arguments["at"])
        frameCount = try arguments.number("frames") ?? 1
    }

    func run() throws {
        let socket = try UDPSocket(boundTo: address, settings: .large)
        // The sender does not retransmit, so NACKs are not sent either.
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { _, _ in })
        let shown = Tally()
        var isKnown = false
        var datagram: [UInt8] = []
        // If packets were lost, the parent process ends this one.
        while shown.count < frameCount {
            guard try socket.receive(into: &datagram, within: .milliseconds(20)) != nil else { continue }
            if !isKnown, let ssrc = SSRC(ofSenderOf: datagram.span) {
                var settings = ReceiveSettings(jitterBuffer: .withoutNACK(ssrc), ssrc: SSRC(1))
                settings.maximumPixelCount = Resolution.maximumDimension * Resolution.maximumDimension
                try receiver.add(settings, sink: FrameTap { _ in shown.add() })
                isKnown = true
            }
            receiver.insert(datagram.span)
        }
        try receiver.stop()
        print("frames=\(shown.count)")
    }

    /// The other side: `replay --packets FILE --to ADDRESS`.
    static func replay(_ arguments: Arguments) throws {
        let socket = try ConnectedUDPSocket(to: UDPAddress.resolve(arguments["to"]))
        print("packets=\(try Replay(of: arguments["packets"]).run(to: socket).sent)")
    }
}

/// Counts on one thread for another.
final class Tally: Sendable {
    private let counter = Atomic(0)

    var count: Int { counter.load(ordering: .relaxed) }

    func add() { counter.add(1, ordering: .relaxed) }
}

extension UDPSocket.Settings {
    /// The buffer for packets that arrive while the thread is busy.
    static var large: UDPSocket.Settings {
        var settings = UDPSocket.Settings()
        settings.receiveBufferByteCount = 8 << 20
        return settings
    }
}

extension JitterBufferSettings {
    /// Settings for a stream without retransmission.
    static func withoutNACK(_ ssrc: SSRC) -> JitterBufferSettings {
        var settings = JitterBufferSettings(ssrc: ssrc, payloadType: PayloadType(96))
        settings.nack = nil
        return settings
    }
}
