import Glibc
import Rill
import RillCore

/// Any number of live senders in one process, each with a camera, encoders and a socket of its own.
struct SendersWork {
    var clip: String
    /// Size of the high layers; `nil`: the clip's.
    var resolution: Resolution?
    var count: Int
    var layers: Layers
    var bitrate: Bitrate
    var low: LowStream
    /// How long is timed, after ``warmUp``; see ``LoadMeter``.
    var seconds: Double
    /// Where all packets go to.
    var address: UDPAddress

    /// Which layers each sends.
    enum Layers: String {
        case high, low, both
    }

    /// What happens before the measurement, and is no part of it: first pictures are key frames.
    private static let warmUp = 1.0

    func run() throws {
        let clip = try HeldClip(path: clip, resolution: resolution)
        let counter = InstructionCounter()
        let senders = try (0..<count).map { index in
            // No two take their pictures at the same moment.
            usleep(UInt32(33_333 / count))
            return try start(index, clip)
        }
        sleep(SendersWork.warmUp)
        let before = Tally(senders)
        let taken = LoadMeter(counter).measure(seconds: seconds, sleep)
        let work = Tally(senders) - before
        for sender in senders { try sender.live.stop() }
        print(
            "\(taken) held=\(clip.byteCount) captured=\(work.captured) "
                + "high=\(work.high) low=\(work.low) dropped=\(work.dropped) packets=\(work.packets)")
    }

    private struct Sender {
        let live: LiveSender
        let socket: ConnectedUDPSocket
    }

    private func start(_ index: Int, _ clip: HeldClip) throws -> Sender {
        var settings = SendSettings(layers: layerSettings(clip.resolution), seed: UInt64(index) + 1)
        // What does not fit has to show, not be made to fit.
        settings.adaptation = nil
        let socket = try ConnectedUDPSocket(to: address)
        let live = LiveSender(
            try SendPipeline(settings), source: HeldClipSource(clip, from: index * 7), packets: socket)
        return Sender(live: live, socket: socket)
    }

    private func layerSettings(_ resolution: Resolution) -> [LayerSettings] {
        let high = LayerSettings.high(resolution, bitrate: bitrate)
        return switch layers {
        case .high: [high]
        case .low: [low.settings]
        case .both: [high, low.settings]
        }
    }

    private func sleep(_ seconds: Double) { usleep(UInt32(seconds * 1e6)) }

    /// What all senders have done since they began.
    private struct Tally {
        var captured = 0
        /// Pictures coded of each layer.
        var high = 0
        var low = 0
        var dropped = 0
        var packets = 0

        init(_ senders: [Sender]) {
            for sender in senders {
                captured += sender.live.framesCaptured
                dropped += sender.live.framesDropped.reduce(0, +)
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

        static func - (end: Tally, start: Tally) -> Tally {
            var difference = end
            difference.captured -= start.captured
            difference.high -= start.high
            difference.low -= start.low
            difference.dropped -= start.dropped
            difference.packets -= start.packets
            return difference
        }
    }
}
