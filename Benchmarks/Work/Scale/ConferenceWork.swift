import Arguments
import Clips
import Glibc
import Rill
import RillRTP
import RillSecurity
import RillTransport

/// One end of a conference: it sends both layers, and watches some of the others at full size and the rest as
/// thumbnails.
///
///     conference --clip C --bitrate B --key K --at PORT --others PORT --high N --low N --seconds S
///     others     --clip C --bitrate B --key K --at PORT --ends PORT[,PORT…] --high N --low N
///
/// `others` runs all other ends in one process: number I listens on its port plus I, sends one layer, and runs until it
/// is stopped. They all talk to one end, or each to its own.
struct ConferenceWork {
    private let clip: HeldClip
    private let bitrate: Bitrate
    private let key: SRTPKey
    private let port: UInt16
    private let (high, low): (Int, Int)

    private static let warmUp = 3.0

    init(_ arguments: Arguments) throws {
        clip = try HeldClip(path: arguments["clip"])
        bitrate = try Bitrate(notation: arguments["bitrate"])
        key = try SRTPKey(base64: arguments["key"])
        port = try ConferenceWork.port(arguments["at"])
        high = try arguments.number("high", atLeast: 0) ?? 0
        low = try arguments.number("low", atLeast: 0) ?? 0
    }

    private static func port(_ text: some StringProtocol) throws -> UInt16 {
        guard let port = UInt16(text) else { throw WrongUse("\(text) is not a port") }
        return port
    }

    private var layers: [LayerSettings] { [.high(clip.resolution, bitrate: bitrate), .low] }

    private func socket(_ port: UInt16) throws -> UDPSocket {
        try UDPSocket(boundTo: UDPAddress(.loopback, port: port))
    }

    // MARK: One end

    func run(_ arguments: Arguments) throws {
        let others = try ConferenceWork.port(arguments["others"])
        let seconds = try arguments.seconds()
        let meter = LoadMeter()
        // An end that only watches a thumbnail sends nothing.
        let source = high > 0 ? Pendulum(clip.frames) : nil
        let call = try VideoCall(VideoCallSettings(layers: layers), source: source)
        let line = try socket(port)
        let (highShown, lowShown) = (Tally(), Tally())
        for index in 0..<high + low {
            let shown = index < high ? highShown : lowShown
            let them = UDPAddress(.loopback, port: others + UInt16(index))
            try call.add(ParticipantSettings("\(index)", at: them, key: key), over: line) { them in
                try them.show(index < high ? .high : .low, on: FrameTap { _ in shown.add() })
            }
        }
        print("ready")
        fflush(nil)
        func work(for seconds: Double) { usleep(UInt32(seconds * 1e6)) }
        work(for: ConferenceWork.warmUp)
        let before = [highShown.count, lowShown.count]
        let taken = meter.measure(seconds: seconds, work)
        let shown = zip([highShown.count, lowShown.count], before).map(-)
        call.waitForEnd()
        print("\(taken) high=\(shown[0]) low=\(shown[1])")
    }

    // MARK: The others

    func runOthers(_ arguments: Arguments) throws {
        let ends = try arguments["ends"].split(separator: ",").map { try ConferenceWork.port($0) }
        let small = try HeldClip(path: arguments["clip"], resolution: LayerSettings.low.resolution)
        let calls = try (0..<high + low).map { index in
            let isHigh = index < high
            let source = Pendulum(isHigh ? clip.frames : small.frames, from: index * 7)
            let call = try VideoCall(
                VideoCallSettings(layers: [isHigh ? layers[0] : layers[1]]), source: source)
            let end = UDPAddress(.loopback, port: ends[min(index, ends.count - 1)])
            try call.connect(to: end, over: try socket(port + UInt16(index)), key: key)
            return call
        }
        print("ready")
        fflush(nil)
        // Until they are stopped.
        withExtendedLifetime(calls) { while true { pause() } }
    }
}
