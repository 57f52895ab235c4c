import Arguments
import Clips
import Glibc
import Rill

/// Runs any number of calls that send in one process, each with its own camera, encoders and socket.
///
///     senders --clip C --size WxH --count N --layers high|low|both --bitrate B --low-stream 45k@5
///             --seconds S --to ADDRESS
struct SendersWork {
    private let clip: HeldClip
    private let count: Int
    private let layers: [LayerSettings]
    /// The timed seconds after ``warmUp``; see ``LoadMeter``.
    private let seconds: Double
    /// The destination of all packets.
    private let address: UDPAddress

    /// The time before the measurement: the first pictures are key frames.
    private static let warmUp = 1.0

    init(_ arguments: Arguments) throws {
        clip = try HeldClip(path: arguments["clip"], resolution: Resolution(notation: arguments["size"]))
        count = try arguments.number("count") ?? 1
        let high = LayerSettings.high(clip.resolution, bitrate: try Bitrate(notation: arguments["bitrate"]))
        let low = try LayerSettings.low(notation: arguments["low-stream"])
        layers =
            switch try arguments["layers"] {
            case "high": [high]
            case "low": [low]
            default: [high, low]
            }
        seconds = try arguments.seconds()
        address = try UDPAddress.resolve(arguments["to"])
    }

    func run() throws {
        let meter = LoadMeter()
        let senders = try (0..<count).map { index in
            // No two senders capture at the same time.
            usleep(UInt32(33_333 / count))
            return try start(index)
        }
        sleep(SendersWork.warmUp)
        let before = Work(senders)
        let taken = meter.measure(seconds: seconds, sleep)
        let work = Work(senders)
        for sender in senders { sender.waitForEnd() }
        print(
            "\(taken) held=\(clip.byteCount) high=\(work.high - before.high) low=\(work.low - before.low) "
                + "packets=\(work.packets - before.packets)")
    }

    private func start(_ index: Int) throws -> VideoCall {
        var settings = VideoCallSettings(layers: layers)
        settings.send = SendSettings(layers: layers, seed: 0)
        // Overload must show as dropped pictures, not be adapted to.
        settings.send.adaptation = nil
        let call = try VideoCall(settings, source: Pendulum(clip.frames, from: index * 7))
        var them = ParticipantSettings(at: address, key: nil)
        them.streams = []
        try call.add(them, over: try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)))
        return call
    }

    private func sleep(_ seconds: Double) { usleep(UInt32(seconds * 1e6)) }

    /// The totals of all senders since they started: encoded pictures of each layer, and packets.
    private struct Work {
        var (high, low, packets) = (0, 0, 0)

        init(_ senders: [VideoCall]) {
            for statistics in senders.map(\.statistics) {
                packets += statistics.transports.reduce(0) { $0 + $1.sent }
                for layer in statistics.layers {
                    if layer.rid == .low {
                        low += layer.encoder.framesEncoded
                    } else {
                        high += layer.encoder.framesEncoded
                    }
                }
            }
        }
    }
}
