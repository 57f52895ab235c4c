import Rill
import RillCore
import Synchronization

/// Receives one stream live, as an app does, until so many pictures have been shown.
struct ReceiveWork {
    var address: UDPAddress
    var frameCount: Int

    func run() throws -> Int {
        var settings = UDPSocket.Settings()
        settings.receiveBufferByteCount = 4 << 20
        let socket = try UDPSocket(boundTo: address, settings: settings)
        // Nobody sends anything again: what is asked for is not sent either.
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { _, _ in })
        let shown = ShownPictures()
        var isKnown = false
        var datagram: [UInt8] = []
        // Whoever started this ends it where packets were lost.
        while shown.count < frameCount {
            guard try socket.receive(into: &datagram, within: .milliseconds(20)) != nil else { continue }
            if !isKnown, let ssrc = SSRC(ofSenderOf: datagram.span) {
                var stream = JitterBufferSettings(ssrc: ssrc, payloadType: PayloadType(96))
                stream.nack = nil
                var settings = ReceiveSettings(jitterBuffer: stream, ssrc: SSRC(1))
                settings.maximumPixelCount = Resolution.maximumDimension * Resolution.maximumDimension
                try receiver.add(settings, sink: shown.sink())
                isKnown = true
            }
            receiver.insert(datagram.span)
        }
        try receiver.stop()
        return shown.count
    }
}

/// Counts pictures on the decoding thread for the one that receives.
private final class ShownPictures: Sendable {
    private let counter = Atomic(0)

    var count: Int { counter.load(ordering: .relaxed) }

    func sink() -> FrameTap {
        FrameTap { [self] _ in counter.add(1, ordering: .relaxed) }
    }
}
