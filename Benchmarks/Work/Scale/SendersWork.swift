import Arguments
import Clips
import Glibc
import Rill

/// Any number of live senders in one process, each with a camera, encoders and a socket of its own.
///
///     senders --clip C --size WxH --count N --layers high|low|both --bitrate B --low-stream 45k@5 --seconds S --to ADDRESS
struct SendersWork {
    private let clip: HeldClip
    private let count: Int
    private let layers: [LayerSettings]
    /// How long is timed, after ``warmUp``; see ``LoadMeter``.
    private let seconds: Double
    /// Where all packets go to.
    private let address: UDPAddress

    /// What happens before the measurement, and is no part of it: first pictures are key frames.
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
            // No two take their pictures at the same moment.
            usleep(UInt32(33_333 / count))
            return try start(index)
        }
        sleep(SendersWork.warmUp)
        let before = Work(senders)
        let taken = meter.measure(seconds: seconds, sleep)
        let work = Work(senders)
        for sender in senders { try sender.live.stop() }
        print(
            "\(taken) held=\(clip.byteCount) high=\(work.high - before.high) low=\(work.low - before.low) "
                + "packets=\(work.packets - before.packets)")
    }

    private struct Sender {
        let live: LiveSender
        let socket: ConnectedUDPSocket
    }

    private func start(_ index: Int) throws -> Sender {
        var settings = SendSettings(layers: layers, seed: UInt64(index) + 1)
        // What does not fit has to show, not be made to fit.
        settings.adaptation = nil
        let socket = try ConnectedUDPSocket(to: address)
        let live = LiveSender(
            try SendPipeline(settings), source: Pendulum(clip.frames, from: index * 7), packets: socket)
        return Sender(live: live, socket: socket)
    }

    private func sleep(_ seconds: Double) { usleep(UInt32(seconds * 1e6)) }

    /// What all senders have done since they began: pictures coded of each layer, and packets.
    private struct Work {
        var (high, low, packets) = (0, 0, 0)

        init(_ senders: [Sender]) {
            for sender in senders {
                packets += sender.socket.statistics.sent
                for layer in sender.live.pipeline.statistics {
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
