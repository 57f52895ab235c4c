import Arguments
import Glibc
import Rill
import RillLab
import RillRTP
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
        let call = try VideoCall(source: nil)
        let shown = Tally()
        // The sender's address and SSRC are those of its first packet.
        var them = ParticipantSettings(at: nil, key: nil)
        them.streams = [.withoutRepair(nil)]
        try call.add(them, over: try UDPSocket(boundTo: address, settings: .large)) { them in
            try them.show(.high, on: FrameTap { _ in shown.add() }) { settings in
                settings.jitterBuffer.nack = nil
                settings.maximumPixelCount = Resolution.maximumDimension * Resolution.maximumDimension
            }
        }
        // If packets were lost, the parent process ends this one.
        while shown.count < frameCount { usleep(2000) }
        call.waitForEnd()
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

extension StreamDescription {
    /// A stream whose sender does not retransmit, so that NACKs are not sent either.
    static func withoutRepair(_ ssrc: SSRC?) -> StreamDescription {
        var stream = StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))
        stream.ssrc = ssrc
        return stream
    }
}
