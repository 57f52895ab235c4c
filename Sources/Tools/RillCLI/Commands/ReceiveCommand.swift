import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillRTP
import RillSecurity

/// `rill receive`: a stream from any sender of RTP.
struct ReceiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive",
        abstract: "Receive a stream of RTP or SRTP, from any sender.",
        usage: "rill receive <sdp> [--output <file>] [<options>]\nrill receive --port <port> [<options>]",
        discussion: """
            Listens on the port that a session description (SDP) names, and receives its video: \(codecNames), \
            decrypted with the key of a=crypto, repaired by NACK, RTX and FEC as described. Senders write a \
            description with ffmpeg -sdp_file or `rill send --sdp`. Without a description, --port gives the port, and \
            the stream must be what `rill send` sends by default: VP8 with payload type 96 (--codec vp9: 98), RTX with \
            97, no FEC.

            Waits for a sender. Ends when the sender leaves (BYE) or is silent for --timeout, or with Ctrl-C. Reports \
            and NACKs are sent to the source address of the packets.

            Without a key, anybody who reaches the port can send pictures. `rill receive` then listens on this machine \
            only, unless --listen names an address.

            Output: .y4m holds pictures, 30 per second, each repeated until the next one; .ivf, .webm and .mkv hold \
            the encoded frames as they arrived.

            Examples:
              rill receive in.sdp --output theirs.y4m
              rill receive out.sdp --layer low --output low.ivf
              rill receive --port 5004 --key-file stream.key --report page.html
              rill receive --port 5004 --listen 0.0.0.0 --duration 10s
            """)

    @Argument(help: "The session description; - is standard input.", completion: .named(["sdp"]))
    var sdp: String?

    @Option(help: "The port to listen on, instead of the description's.")
    var port: UInt16?

    @Option(
        help: "The local address to listen on (default: any address with a key, otherwise 127.0.0.1 or ::1).",
        completion: .list(["127.0.0.1", "0.0.0.0"]),
        transform: { text in
            guard let address = IPAddress(text) else {
                throw ValidationError("\"\(text)\" is not an address: expected one like 0.0.0.0, 192.0.2.7 or ::")
            }
            return address
        })
    var listen: IPAddress?

    @Option(help: "The file with the key, if the description has none.", completion: .file())
    var keyFile: String?

    @Option(
        help: "Without a description: the codec, \(codecValues) (default: vp8).", completion: .codecs,
        transform: codecNotation)
    var codec: VideoCodec?

    @Option(
        help: "The stream to receive, by its RID (default: the first, which is the high one).",
        completion: .list(["high", "low"]))
    var layer: String?

    @OptionGroup
    var recordingOptions: RecordingOptions

    @Option(
        help: "How long to receive, from the first packet on (default: until the sender ends).",
        transform: durationNotation)
    var duration: MediaDuration?

    @Option(help: "How long to wait for the first packet (default: 60s).", transform: durationNotation)
    var wait: MediaDuration = .seconds(60)

    @Option(help: "Time without packets after which the sender is lost (default: 10s).", transform: durationNotation)
    var timeout: MediaDuration = .seconds(10)

    @OptionGroup
    var reporting: ReportOptions

    func run() throws {
        let interruption = Interruption()
        let incoming = try readIncoming()
        for remark in incoming.remarks { StandardError.print(remark) }
        let files = OutputFiles()
        try reporting.requirePlace()
        let recording = try recordingOptions.open(files)
        let address = try listeningAddress(incoming)
        let socket = try UDPSocket(boundTo: address)
        let call = try VideoCall(settings, source: nil)
        var shown = StreamLayer.RID.high
        try call.add(incoming.them, over: transport(socket, incoming)) { them in
            shown = try choose(them)
            if let recording {
                try recording.show(shown, of: them)
            } else {
                try them.show(shown, on: FrameTap { _ in })
            }
        }
        say(incoming, at: socket.localAddress, shown)
        let monitor = CallMonitor(
            CallLog(.receiving, layers: [shown.description]),
            CallMonitor.Ending(
                limitOnceMet: duration, meetingLimit: wait, whenLost: true,
                // The frames in the buffer are still shown.
                afterLeaving: .seconds(1)))
        monitor.follow(call) {
            monitor.note(recording?.takeNotice(), at: call.clock.now)
            return interruption.isRequested || recording?.failure != nil
        }
        monitor.note(recording?.summary, at: call.clock.now)
        try finish(monitor.log, recording, files, incoming, isInterrupted: interruption.isRequested)
    }

    /// The socket, and one for RTCP if the description has a port for it. Without that the stream is received all the
    /// same, as it was sent.
    private func transport(_ socket: UDPSocket, _ incoming: IncomingStream) -> any DatagramTransport {
        guard let port = incoming.reportPort else { return socket }
        do throws(TransportError) {
            let pair = try UDPSocket.Pair(socket, reports: port)
            StandardError.print("RTCP on \(pair.localReportAddress)")
            return pair
        } catch {
            StandardError.print("RTCP is not received, and the sender gets no reports: \(error)")
            return socket
        }
    }

    private var settings: VideoCallSettings {
        var settings = VideoCallSettings(layers: [])
        settings.statisticsInterval = CallMonitor.interval
        settings.timeouts.lost = timeout
        settings.timeouts.interrupted = min(settings.timeouts.interrupted, timeout / 2)
        return settings
    }

    private func choose(_ them: CallParticipant) throws -> StreamLayer.RID {
        guard let layer else { return them.layers.first ?? .high }
        guard let found = them.layers.first(where: { $0.description == layer }) else {
            let names = them.layers.map(\.description).joined(separator: ", ")
            throw ValidationError("--layer \(layer): no such stream; the description has \(names)")
        }
        return found
    }

    private func say(_ incoming: IncomingStream, at address: UDPAddress, _ layer: StreamLayer.RID) {
        let streams = incoming.them.streams ?? []
        let stream = streams.first { $0.rid == layer.description } ?? streams[0]
        let name = streams.count > 1 ? "\(layer) of \(streams.count) streams, " : ""
        StandardError.print(
            "listening on \(address): \(name)\(stream.encoding.name), payload type \(stream.payloadType)")
        StandardError.print(
            incoming.them.receivingKey.map { "protected by \($0.profile.suite.rawValue)" } ?? "no key: not encrypted")
    }

    // MARK: The end

    private func finish(
        _ log: CallLog, _ recording: (any StreamRecording)?, _ files: OutputFiles, _ incoming: IncomingStream,
        isInterrupted: Bool
    ) throws {
        try? recording?.finish()  // its failure is `failure`
        if let failure = recording?.failure { throw files.keepParts(after: failure) }
        guard log.hasMet else { throw nothing(log, incoming, isInterrupted: isInterrupted) }
        let hasOutput = recording.map { $0.framesWritten > 0 } ?? true
        if hasOutput { try files.commit() }
        try reporting.writePage("Received stream", log, facts: facts(incoming))
        try reporting.print(log)
        if let failure = log.failure { throw CommandError(failure) }
        guard log.framesDecoded ?? 0 > 0, hasOutput else {
            let other = log.framesDecoded == nil ? undescribed(log, incoming) : nil
            throw other ?? CommandError.nothingDecoded(isProtected: incoming.them.receivingKey != nil)
        }
    }

    /// The error that names what came instead of what was described; `nil` if nothing did.
    private func undescribed(_ log: CallLog, _ incoming: IncomingStream) -> CommandError? {
        let unknown = log.last?.participants.first?.session.unknown ?? []
        guard !unknown.isEmpty else { return nil }
        let described = (incoming.them.streams ?? []).map { "\($0.encoding.name) as payload type \($0.payloadType)" }
        let came = unknown.map { source in
            let name = source.payloadType.staticName.map { " (\($0))" } ?? ""
            let count = "\(source.packetCount) packet\(source.packetCount == 1 ? "" : "s")"
            return "\(count) of payload type \(source.payloadType)\(name) from SSRC \(source.ssrc)"
        }
        return CommandError(
            "packets arrived on port \(incoming.address.port), but none of the described stream. "
                + "Described: \(described.joined(separator: ", ")). Arrived: \(came.joined(separator: ", "))",
            .unreadableInput)
    }

    /// The reason why no stream was received.
    private func nothing(_ log: CallLog, _ incoming: IncomingStream, isInterrupted: Bool) -> CommandError {
        if let failure = log.failure { return CommandError(failure) }
        if log.isUnreadable {
            return CommandError("packets arrived, but none could be decrypted: the keys differ", .unreadableInput)
        }
        if let other = undescribed(log, incoming) { return other }
        if isInterrupted { return CommandError.interrupted }
        return CommandError("no packet arrived on port \(incoming.address.port) within \(wait)", .unreadableInput)
    }

    private func facts(_ incoming: IncomingStream) -> [[String]] {
        [
            ["description", sdp ?? "none: the defaults of rill send"], ["port", "\(incoming.address.port)"],
            ["protection", incoming.them.receivingKey?.profile.suite.rawValue ?? "none: not encrypted"],
        ]
    }

    // MARK: Arguments

    private func readIncoming() throws -> IncomingStream {
        let key = try keyFile.map(KeyFile.read)
        guard let sdp else { return IncomingStream(codec ?? .default, port: port ?? 0, key: key) }
        return try IncomingStream(describedIn: sdp, port: port, key: key)
    }

    private func listeningAddress(_ incoming: IncomingStream) throws -> UDPAddress {
        let (ip, isProtected) = (incoming.address.ip, incoming.them.receivingKey != nil)
        if let listen { return UDPAddress(listen, port: incoming.address.port) }
        let isAnywhere = ip == .v4(0) || ip == .v6(0, zone: 0)
        guard isProtected || ip.isLoopback || isAnywhere else {
            throw ValidationError(
                "the description sends to \(ip) without encryption, where anybody who reaches the port can send: "
                    + "--listen \(ip), or --listen 0.0.0.0, allows this")
        }
        return UDPAddress(ip.listening(isProtected: isProtected), port: incoming.address.port)
    }

    func validate() throws {
        guard sdp != nil || port != nil else {
            throw ValidationError("give a session description, or --port")
        }
        guard port != 0 else { throw ValidationError("--port must be from 1 to 65535") }
        if sdp != nil, codec != nil { throw ValidationError("the description names the codec: leave --codec out") }
        for (name, time) in [("--duration", duration), ("--wait", wait), ("--timeout", timeout)] {
            try requirePositive(name, time)
        }
        let outputs = [recordingOptions.output, reporting.report]
        try requireDistinct(input: sdp, outputs: outputs)
        try requireDistinct(input: keyFile, outputs: outputs)
    }
}

extension PayloadType {
    /// The codec of a static payload type that senders still use (RFC 3551 §6).
    fileprivate var staticName: String? {
        switch rawValue {
        case 0: "PCMU"
        case 8: "PCMA"
        case 10, 11: "L16"
        case 14: "MPEG audio"
        case 26: "JPEG"
        case 31: "H.261"
        case 32: "MPEG video"
        case 33: "MPEG transport stream"
        case 34: "H.263"
        default: nil
        }
    }
}
