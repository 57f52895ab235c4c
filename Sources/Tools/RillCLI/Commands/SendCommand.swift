import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillSecurity
import RillSend
import RillThreads

/// `rill send`: a stream for players of RTP.
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a camera or clip as RTP or SRTP, for any player.",
        usage: "rill send [<source>] --to <host:port> [--sdp <file>] [<options>]",
        discussion: """
            Sends a camera (/dev/video0, camera:NAME), a clip in real time, or without a source the portrait scene, as \
            one stream of \(codecNames). Prints the commands of ffplay, ffmpeg, gst-launch-1.0 and `rill receive` that \
            show it. Sending ends with the clip, or when the receiver leaves (BYE). --delay leaves time to start a \
            player first; a player that starts later shows pictures from the next key frame on.

            --sdp writes a session description (SDP), which most players read. With a key, the description contains \
            the key, and only its owner can read the file.

            `rill key` makes the key file; use a key for one run only. FFmpeg does not support GCM: use `rill key \
            --suite cm-80`. Without a key file, anybody on the path can watch and change the stream; it is then sent \
            to this machine only, unless --clear allows other machines.

            Payload types:

            \(StreamPayloadTypes.table)

            RTCP (reports, NACK, PLI) is received on the port that packets are sent from, --listen; RTP and RTCP \
            share it (rtcp-mux). To a receiver that sends none, as ffplay and FFmpeg, sending stops after 15 s (RFC \
            8083), unless --no-reports says that none come: then the stream has its bitrate to the end, and nothing \
            follows the network.

            Examples:
              rill send clip.y4m --to 127.0.0.1:5004 --sdp out.sdp --delay 5s
              rill key stream.key --suite cm-80
              rill send /dev/video0 --to 192.0.2.7:5004 --key-file stream.key --sdp out.sdp
              rill send --to 127.0.0.1:5004 --fec 50% --duration 30s
            """)

    @Argument(help: "What to send: a camera or a clip. Without one, the portrait scene is drawn.", completion: .sources)
    var source: String?

    @Option(help: "The destination, as HOST:PORT or [V6]:PORT.")
    var to: String

    @Option(help: "Write the session description to this file; - is standard output.", completion: .named(["sdp"]))
    var sdp: String?

    @Option(help: "The file with the key.", completion: .file())
    var keyFile: String?

    @Flag(help: "Send to other machines without encryption: anybody on the path can watch.")
    var clear = false

    @Option(help: "The port to send from and to receive RTCP on (default: any).")
    var listen: UInt16?

    @Flag(help: "Repeat the clip.")
    var loop = false

    @Option(help: "Time before the first frame, to start a player in (default: 0s).", transform: durationNotation)
    var delay: MediaDuration = .zero

    @Option(help: "How long to send (default: to the end of the clip, or until Ctrl-C).", transform: durationNotation)
    var duration: MediaDuration?

    /// The values of `--layers`.
    enum Layers: String, ExpressibleByArgument, CaseIterable {
        case high
        case both = "high,low"
    }

    @Option(help: "The streams to send: high, or high,low, as a simulcast with RIDs.")
    var layers = Layers.high

    @Option(
        help: "Longest time between key frames, from which players can start (default: 2s).",
        transform: durationNotation)
    var keyFrameInterval: MediaDuration = .seconds(2)

    @Option(help: "Size of the largest RTP packet, 200 to 1400 bytes.")
    var packetSize = 1200

    @OptionGroup
    var protection: ProtectionOption

    @Flag(inversion: .prefixedNo, help: "Retransmit on a separate stream (RTX); otherwise on the original stream.")
    var rtx = true

    @Option(help: "Write the encoded high stream, as .ivf.", completion: .files(.ivf))
    var coded: String?

    @Flag(inversion: .prefixedNo, help: "Wait for the receiver's reports; ffplay and FFmpeg send none.")
    var reports = true

    @OptionGroup
    var reporting: ReportOptions

    @OptionGroup
    var video: SentVideoOptions

    func run() throws {
        let interruption = Interruption()
        let key = try keyFile.map(KeyFile.read)
        let address = try readAddress()
        let files = OutputFiles()
        if let sdp { try OutputFiles.requirePlace(for: sdp) }
        try reporting.requirePlace()
        let opened = try video.open(source, atEnd: loop ? .loop : .end)
        let settings = try settings(for: opened.format)
        let socket = try UDPSocket(
            boundTo: UDPAddress(address.ip.listening(isProtected: !address.ip.isLoopback), port: listen ?? 0))
        let clock = LiveClock()
        let start = DelayedSource.Start()
        let delayed = DelayedSource(opened, from: start, for: duration, on: clock)
        let call = try makeCall(settings, InterruptibleSource(delayed, interruption), files, clock)
        // A receiver that does not know a=rtcp-mux reports to the port behind that of the packets (RFC 3550 §11). Where
        // another program has that port, such reports are not heard.
        let transport: any DatagramTransport = (try? UDPSocket.Pair(socket)) ?? socket
        try call.add(participant(at: address, key), over: transport) { them in
            try describe(them, at: address, from: socket.localAddress, settings.send.layers, key)
        }
        start.set(clock.now + delay)
        let monitor = CallMonitor(
            CallLog(.sending, layers: settings.send.layers.map(\.rid.description)),
            // NACKs for the last packets arrive within a second.
            CallMonitor.Ending(afterSource: .seconds(1)))
        monitor.follow(call) { interruption.isRequested }
        try finish(monitor.log, files, address, settings.send.layers, key)
    }

    private func makeCall(
        _ settings: VideoCallSettings, _ opened: any FrameSource, _ files: OutputFiles, _ clock: LiveClock
    ) throws -> VideoCall {
        let tapped = try taps(settings.send.layers[0].resolution, files)
        // The only references to the source and the tap move to the call.
        nonisolated(unsafe) let source: (any FrameSource)? = opened
        nonisolated(unsafe) let taps = tapped
        return try unsafe VideoCall(settings, source: source, taps: taps, clock: clock)
    }

    private func participant(at address: UDPAddress, _ key: SRTPKey?) -> ParticipantSettings {
        var them = ParticipantSettings("\(to)", at: address, key: key)
        // Only RTCP is received.
        (them.streams, them.expectsReports) = ([], reports)
        return them
    }

    private func settings(for format: SourceFormat) throws -> VideoCallSettings {
        // Every frame of the source, at its own time: a clip in a container rarely keeps its rate to the nanosecond.
        let high = video.high(of: video.size ?? format.resolution).takingEveryFrame(of: format.frameRate)
        var layers = layers == .both ? [high, video.low] : [high]
        for index in layers.indices {
            let frames = keyFrameInterval.seconds * layers[index].frameRate.framesPerSecond
            layers[index].encoder.maximumKeyFrameInterval = Int(max(1, min(frames.rounded(), 1_000_000)))
        }
        var settings = try video.callSettings(layers)
        settings.send.maximumPacketSize = packetSize
        StreamPayloadTypes.apply(to: &settings.send, isSimulcast: layers.count > 1, rtx: rtx, fec: protection.fec)
        return settings
    }

    private func taps(_ resolution: Resolution, _ files: OutputFiles) throws -> SendTaps {
        guard let coded else { return SendTaps() }
        let file = try IVFWriter(path: files.part(of: coded), name: coded, codec: video.codec, resolution: resolution)
        return SendTaps(encoded: LayerFiles([.high: file]))
    }

    // MARK: Output

    /// Writes the description, and prints the commands that show the stream. Called before anything is sent.
    private func describe(
        _ them: CallParticipant, at address: UDPAddress, from local: UDPAddress, _ layers: [LayerSettings],
        _ key: SRTPKey?
    ) throws {
        let streams = layers.map { "\($0.rid) \($0.resolution)" }.joined(separator: " and ")
        StandardError.print("sending to \(address) from port \(local.port): \(streams)")
        StandardError.print(key.map { "protected by \($0.profile.suite.rawValue)" } ?? "no key: not encrypted")
        if let sdp {
            let text = try them.description(at: address).text
            if sdp == "-" {
                try StandardOutput.write(text)
                // `rill receive -` and others read to the end of input.
                StandardOutput.end()
            } else if key == nil {
                try OutputFile.write(Array(text.utf8), to: sdp)
            } else {
                try SecretFile.replace(sdp, with: text)
                StandardError.print("# \(sdp) contains the key: anybody who can read it can watch")
            }
        }
        StandardError.print(lines(them, address, key).text)
    }

    private func lines(_ them: CallParticipant, _ address: UDPAddress, _ key: SRTPKey?) -> PlayerLines {
        PlayerLines(
            address: address, codec: video.codec, sources: them.statistics.session.sending.map(\.ssrc), key: key,
            keyPath: keyFile, isInRED: protection.isOn, descriptionPath: sdp)
    }

    private func finish(
        _ log: CallLog, _ files: OutputFiles, _ address: UDPAddress, _ layers: [LayerSettings], _ key: SRTPKey?
    ) throws {
        try files.commit()
        try reporting.writePage("Sent stream", log, facts: facts(address, layers, key))
        // With `--sdp -`, standard output holds the description only.
        if sdp == "-" { StandardError.print(log.text(on: .standardError)) } else { try reporting.print(log) }
        if !log.hasMet, reports {
            StandardError.print(
                "no RTCP was received: the receiver sends no reports (--no-reports is for such), or there is none")
        }
        if let failure = log.failure { throw CommandError(failure) }
        if let failure = log.sourceFailure { throw CommandError("sending stopped early: \(failure)", .partialResult) }
    }

    private func facts(_ address: UDPAddress, _ layers: [LayerSettings], _ key: SRTPKey?) -> [[String]] {
        let fec = protection.isOn ? ", FEC \(protection.fec)" : ""
        return [
            ["source", source ?? "the portrait scene"], ["to", "\(address)"],
            ["protection", key?.profile.suite.rawValue ?? "none: not encrypted"],
            ["repair", (rtx ? "RTX" : "retransmission on the original stream") + fec],
        ]
            + layers.map(\.fact)
    }

    // MARK: Arguments

    private func readAddress() throws -> UDPAddress {
        let address = try resolve(to, of: "--to")
        guard address.port != 0 else { throw ValidationError("--to \(to): nothing can be sent to port 0") }
        guard keyFile != nil || clear || address.ip.isLoopback else {
            throw ValidationError(
                "without --key-file the stream to \(address) would not be encrypted, and anybody on the path could "
                    + "watch: `rill key` makes a key, and --clear sends without one")
        }
        return address
    }

    func validate() throws {
        try requirePositive("--duration", duration)
        guard (.zero ... .seconds(600)).contains(delay) else { throw ValidationError("--delay must be at most 600s") }
        guard keyFrameInterval > .zero else { throw ValidationError("--key-frame-interval must be greater than zero") }
        guard (200...1400).contains(packetSize) else { throw ValidationError("--packet-size must be from 200 to 1400") }
        try protection.validate(with: video.congestionOptions.settings(byDefault: true))
        if clear, keyFile != nil { throw ValidationError("--clear and --key-file contradict each other") }
        if reporting.json, sdp == "-" { throw ValidationError("--json and --sdp - would both go to standard output") }
        if let coded, VideoFileFormat(path: coded) != .ivf {
            throw ValidationError("--coded \(coded): the name must end in .ivf")
        }
        for input in [source, keyFile] {
            try requireDistinct(input: input, outputs: [sdp, coded, reporting.report])
        }
    }
}
