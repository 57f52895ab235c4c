import ArgumentParser
import Foundation
import Rill
import RillCore
import RillFiles
import RillPages
import RillRTP
import RillSecurity

/// `rill receive`: a stream from whoever sends RTP.
struct ReceiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive",
        abstract: "Receive a stream of RTP or SRTP, from senders of all kinds.",
        usage: "rill receive <sdp> [--output <file>] [<options>]\nrill receive --port <port> [<options>]",
        discussion: """
            Listens at the port that a session description (SDP) says, and receives its video: VP8 or VP9, with the key of \
            a=crypto, repaired as it says. Senders of all kinds write one: ffmpeg -sdp_file, `rill send --sdp`. Without one \
            --port says where, and what comes is taken for what `rill send` sends by default: VP8 under 96 (--codec vp9: \
            98), RTX under 97, no FEC.

            It waits for a sender, and ends when that leaves (BYE) or falls silent, or by Ctrl-C. Reports and requests go \
            back to where packets come from.

            In the clear anybody who reaches the port can send what is shown: without a key it listens on this machine \
            only, unless --listen says otherwise.

            Output: .y4m has pictures, 30 a second, each until the next one is shown; .ivf, .webm and .mkv have the coded \
            frames as they came.

            Examples:
              rill receive in.sdp --output theirs.y4m
              rill receive out.sdp --layer low --output low.ivf
              rill receive --port 5004 --key-file stream.key --report page.html
              rill receive --port 5004 --listen 0.0.0.0 --duration 10s
            """)

    @Argument(help: "The session description; - is standard input.", completion: .named(["sdp"]))
    var sdp: String?

    @Option(help: "The port to listen at, in place of the description's.")
    var port: UInt16?

    @Option(
        help: "The address of this machine to listen at (default: any with a key, else 127.0.0.1 or ::1).",
        completion: .list(["127.0.0.1", "0.0.0.0"]),
        transform: { text in
            guard let address = IPAddress(text) else {
                throw ValidationError("\"\(text)\" is no address: expected one like 0.0.0.0, 192.0.2.7 or ::")
            }
            return address
        })
    var listen: IPAddress?

    @Option(help: "The file with the key, where the description has none.", completion: .file())
    var keyFile: String?

    @Option(
        help: "Without a description: what is sent, vp8 or vp9 (default: vp8).", completion: .codecs,
        transform: codecNotation)
    var codec: VideoCodec?

    @Option(
        help: "Which of several streams, by its RID (default: the first, which is the high one).",
        completion: .list(["high", "low"]))
    var layer: String?

    @Option(
        help: "Write what comes, as .y4m, .ivf, .webm or .mkv.", completion: .files(.y4m, .ivf, more: ["webm", "mkv"]))
    var output: String?

    @Option(help: "How long from the first packet on (default: until the sender ends).", transform: durationNotation)
    var duration: MediaDuration?

    @Option(help: "How long to wait for the first packet (default: 60s).", transform: durationNotation)
    var wait: MediaDuration = .seconds(60)

    @Option(help: "The silence after which the sender is taken to be gone (default: 10s).", transform: durationNotation)
    var timeout: MediaDuration = .seconds(10)

    @Option(help: "Write a page of plots over time, as .html.", completion: .named(["html"]))
    var report: String?

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    func run() throws {
        let interruption = Interruption()
        let incoming = try readIncoming()
        for remark in incoming.remarks { StandardError.print(remark) }
        let files = OutputFiles()
        if let report { try OutputFiles.requirePlace(for: report) }
        let recording = try output.map { try StreamRecording(path: files.openPart(of: $0), name: $0) }
        let address = try listeningAddress(incoming)
        let socket = try UDPSocket(boundTo: address)
        let call = try VideoCall(settings, source: nil)
        var shown = StreamLayer.RID.high
        try call.add(incoming.them, over: socket) { them in
            shown = try choose(them)
            if let recording { try recording.show(shown, of: them) } else { try them.show(shown, on: UnseenPictures()) }
        }
        say(incoming, at: socket.localAddress, shown)
        let monitor = CallMonitor(
            CallLog(.receiving, layers: [shown.description]),
            CallMonitor.Ending(
                limitOnceMet: duration, meetingLimit: wait, whenLost: true,
                // What has come takes its time to be shown.
                afterLeaving: .seconds(1)))
        monitor.follow(call) { interruption.isWanted || recording?.failure != nil }
        try finish(monitor.log, recording, files, incoming, isInterrupted: interruption.isWanted)
    }

    private var settings: VideoCallSettings {
        var settings = VideoCallSettings(layers: [])
        settings.statisticsInterval = CallMonitor.interval
        settings.lostAfter = timeout
        settings.interruptedAfter = min(settings.interruptedAfter, timeout / 2)
        return settings
    }

    private func choose(_ them: CallParticipant) throws -> StreamLayer.RID {
        guard let layer else { return them.layers.first ?? .high }
        guard let found = them.layers.first(where: { $0.description == layer }) else {
            let names = them.layers.map(\.description).joined(separator: ", ")
            throw ValidationError("--layer \(layer): there is no such stream; the description has \(names)")
        }
        return found
    }

    private func say(_ incoming: IncomingStream, at address: UDPAddress, _ layer: StreamLayer.RID) {
        let streams = incoming.them.streams ?? []
        let stream = streams.first { $0.rid == layer.description } ?? streams[0]
        let name = streams.count > 1 ? "\(layer) of \(streams.count) streams, " : ""
        StandardError.print(
            "listening at \(address): \(name)\(stream.encoding.name), payload type \(stream.payloadType)")
        StandardError.print(
            incoming.them.receivingKey.map { "protected by \($0.profile.suite.rawValue)" } ?? "no key: in the clear")
    }

    // MARK: The end

    private func finish(
        _ log: CallLog, _ recording: StreamRecording?, _ files: OutputFiles, _ incoming: IncomingStream,
        isInterrupted: Bool
    ) throws {
        try recording?.finish()
        if let failure = recording?.failure { throw CommandError("\(output ?? ""): \(failure)") }
        guard log.hasMet else { throw nothing(log, incoming, isInterrupted: isInterrupted) }
        let decoded = log.last?.participants.first?.shown.first?.received.decoder.framesDecoded ?? 0
        let hasOutput = recording.map { $0.framesWritten > 0 } ?? true
        if hasOutput { try files.commit() }
        if let report {
            var page = CallPage(log: log, facts: facts(incoming))
            page.title = "A stream that was received"
            try OutputFile.write(page.page.bytes, to: report)
        }
        if json { try JSONOutput.print(log.summary) } else { try StandardOutput.print(log.text) }
        if let failure = log.failure { throw CommandError(failure) }
        guard decoded > 0, hasOutput else {
            let hint = incoming.them.receivingKey == nil ? ": perhaps they are encrypted, or of another kind" : ""
            throw CommandError("packets came, and no picture of them could be decoded\(hint)", .unreadableInput)
        }
    }

    /// Why there is nothing.
    private func nothing(_ log: CallLog, _ incoming: IncomingStream, isInterrupted: Bool) -> CommandError {
        if let failure = log.failure { return CommandError(failure) }
        if log.isUnreadable {
            return CommandError("packets came, and none could be opened: the keys differ", .unreadableInput)
        }
        if isInterrupted { return CommandError.interrupted }
        return CommandError("nothing came to port \(incoming.address.port) within \(wait)", .unreadableInput)
    }

    private func facts(_ incoming: IncomingStream) -> [(name: String, value: String)] {
        [
            ("described by", sdp ?? "nobody: what rill send sends by default"), ("port", "\(incoming.address.port)"),
            ("protection", incoming.them.receivingKey?.profile.suite.rawValue ?? "none: in the clear"),
            ("made by", Version.text),
        ]
    }

    // MARK: What is given

    private func readIncoming() throws -> IncomingStream {
        let key = try keyFile.map(KeyFile.read)
        guard let sdp else { return IncomingStream(codec ?? .vp8, port: port ?? 0, key: key) }
        let file = sdp == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: sdp)
        // Of a folder Foundation says "Error Domain=NSCocoaErrorDomain Code=256": these words say more.
        guard let file, let data = try? file.read(upToCount: SessionDescription.maximumByteCount + 1) else {
            throw CommandError("\(sdp): no such file or folder, or it cannot be read or is empty", .unreadableInput)
        }
        return try IncomingStream(describedBy: Array(data), name: sdp, port: port, key: key)
    }

    private func listeningAddress(_ incoming: IncomingStream) throws -> UDPAddress {
        let (ip, isProtected) = (incoming.address.ip, incoming.them.receivingKey != nil)
        if let listen { return UDPAddress(listen, port: incoming.address.port) }
        let isAnywhere = ip == .v4(0) || ip == .v6(0, zone: 0)
        guard isProtected || ip.isLoopback || isAnywhere else {
            throw ValidationError(
                "the description sends to \(ip) in the clear, where anybody who reaches the port can send: "
                    + "--listen \(ip), or --listen 0.0.0.0, says that this is as it should be")
        }
        return UDPAddress(ip.listening(isProtected: isProtected), port: incoming.address.port)
    }

    func validate() throws {
        guard sdp != nil || port != nil else {
            throw ValidationError("what is to be received? Give a session description, or --port")
        }
        guard port != 0 else { throw ValidationError("--port goes from 1 to 65535") }
        if sdp != nil, codec != nil { throw ValidationError("the description says the codec: leave --codec out") }
        for (name, time) in [("--duration", duration), ("--wait", wait), ("--timeout", timeout)] {
            if let time, time <= .zero { throw ValidationError("\(name) must be more than nothing") }
        }
        if let output, VideoFileFormat(path: output) != .y4m, !CodedRecording.writes(output) {
            throw ValidationError("--output \(output): the name must end in .y4m, .ivf, .webm or .mkv")
        }
        try requireDistinct(input: sdp, outputs: [output, report])
        try requireDistinct(input: keyFile, outputs: [output, report])
    }
}
