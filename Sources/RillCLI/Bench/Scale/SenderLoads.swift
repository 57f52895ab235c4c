import Rill
import RillCore

/// Runs processes with any number of live senders, and says what they take.
struct SenderLoads {
    let clip: BenchClip
    let work: String
    let folder: BenchFolder
    let seconds: Double
    /// Takes all packets, and is never read: the system throws away what does not fit.
    private let abyss: UDPSocket

    /// The low layer as it is by itself, and other ones that tell apart what a pixel, a packet and a layer take.
    enum Low: String {
        case plain = "45k@5"
        case heavy = "200k@5"
        case fast = "45k@15"

        var framesPerSecond: Int { self == .fast ? 15 : 5 }
    }

    init(_ clip: BenchClip, work: String, seconds: Double, in folder: BenchFolder) throws {
        (self.clip, self.work, self.seconds, self.folder) = (clip, work, seconds, folder)
        abyss = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
    }

    /// Half as wide and high: another size by which the cost of a pixel shows; `nil` where the clip is too small for it.
    var half: Resolution? {
        let size = clip.resolution
        guard size.width >= 640, size.height >= 360 else { return nil }
        return Resolution(width: size.width / 4 * 2, height: size.height / 4 * 2)
    }

    func bitrate(_ size: Resolution) -> Bitrate { size == clip.resolution ? clip.bitrate : .suggested(for: size) }

    /// - Parameter layers: `high`, `low`, `both`.
    func measure(_ count: Int, _ layers: String, _ size: Resolution, _ low: Low = .plain) throws -> LoadMeasurement {
        let command = Invocation(words: [
            work, "senders", clip.y4m, "\(size)", "\(count)", layers, "\(bitrate(size))", low.rawValue, "\(seconds)",
            "\(abyss.localAddress)",
        ])
        let turn = try folder.start(command, output: "senders").wait(limit: seconds + 120)
        let printed = PrintedPairs(turn.output)
        let wall = try printed.value("wall")
        let (high, thumbnails) = (try printed.value("high"), try printed.value("low"))
        var due = 0.0
        if layers != "low" { due += Double(count * BenchClip.framesPerSecond) * wall }
        if layers != "high" { due += Double(count * low.framesPerSecond) * wall }
        return LoadMeasurement(
            load: StreamLoad(
                highLayers: layers == "low" ? 0 : Double(count), lowLayers: layers == "high" ? 0 : Double(count),
                packets: try printed.value("packets") / wall,
                highPixels: high * Double(size.pixelCount) / wall,
                lowPixels: thumbnails * Double(Resolution.qqvga.pixelCount) / wall),
            cpu: try printed.value("cpu"), instructions: printed["instructions"],
            memoryBytes: turn.peakBytes.map { $0 - Int(printed["held"] ?? 0) },
            inTime: min(1, (high + thumbnails) / due))
    }
}
