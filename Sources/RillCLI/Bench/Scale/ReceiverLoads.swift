import Rill
import RillCore

/// Runs processes that receive and decode the streams of any number of participants, and says what they take.
final class ReceiverLoads {
    private let clip: BenchClip
    private let work: String
    private let folder: BenchFolder
    private let seconds: Double
    private let threads: Int
    private var recordings: [SenderLoads.Low: ParticipantStreams] = [:]

    /// How long is received before the measurement begins, and how long after it packets still come.
    private static let (warmUp, rest) = (2.0, 0.5)

    /// How long packets come: for each two seconds that are timed, instructions are counted for one.
    private var length: Double { ReceiverLoads.warmUp + seconds * 1.5 + ReceiverLoads.rest }

    init(_ clip: BenchClip, work: String, seconds: Double, threads: Int, in folder: BenchFolder) {
        (self.clip, self.work, self.seconds, self.threads, self.folder) = (clip, work, seconds, threads, folder)
    }

    /// Streams at the clip's size, and thumbnails.
    func measure(high: Int, low: Int, _ kind: SenderLoads.Low = .plain) throws -> LoadMeasurement {
        let packets = folder.path("participants.rtpdump")
        try recording(kind).write(high: high, low: low, to: packets)
        let address = try freeAddress()
        let output = "receivers"
        let receivers = try folder.start(
            Invocation(words: [work, "receivers", "\(address)", "\(high)", "\(low)", "\(seconds)", "\(threads)"]),
            output: output)
        var feeder: ChildProcess?
        let limit = seconds + 120
        let turn = try receivers.wait(limit: limit) {
            guard feeder == nil, try TextFile.read(folder.path(output)).hasPrefix("ready") else { return }
            feeder = try folder.start(
                Invocation(words: [work, "replay", packets, "\(address)"]), output: "feeder")
        }
        let fed = try feeder?.wait(limit: limit)
        return try measurement(turn, fed, high, low, kind)
    }

    private func measurement(
        _ turn: Turn, _ fed: Turn?, _ high: Int, _ low: Int, _ kind: SenderLoads.Low
    ) throws -> LoadMeasurement {
        let printed = PrintedPairs(turn.output)
        let wall = try printed.value("wall")
        let (highPictures, lowPictures) = (try printed.value("high"), try printed.value("low"))
        let due = Double(high * BenchClip.framesPerSecond + low * kind.framesPerSecond) * wall
        return LoadMeasurement(
            load: StreamLoad(
                highLayers: Double(high), lowLayers: Double(low), packets: try printed.value("packets") / wall,
                highPixels: highPictures * Double(clip.resolution.pixelCount) / wall,
                lowPixels: lowPictures * Double(Resolution.qqvga.pixelCount) / wall),
            cpu: try printed.value("cpu"), instructions: printed["instructions"],
            feederCPU: (fed?.cpuSeconds ?? 0) / (length + ParticipantStreams.entry.seconds),
            memoryBytes: turn.peakBytes,
            inTime: max(0, min(1, (highPictures + lowPictures - (try printed.value("late"))) / due)))
    }

    private func recording(_ kind: SenderLoads.Low) throws -> ParticipantStreams {
        if let recording = recordings[kind] { return recording }
        let (high, low) = (folder.path("high.rtpdump"), folder.path("low.rtpdump"))
        let command = Invocation(words: [
            work, "record", clip.y4m, high, low, "\(clip.bitrate)", kind.rawValue, "\(length)",
        ])
        _ = try folder.start(command).wait(limit: 600)
        let recording = try ParticipantStreams(high: high, low: low)
        recordings[kind] = recording
        return recording
    }

    /// A port that nobody has just now; another may take it before it is used, and then the measurement fails, and says so.
    private func freeAddress() throws -> UDPAddress {
        try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)).localAddress
    }
}
