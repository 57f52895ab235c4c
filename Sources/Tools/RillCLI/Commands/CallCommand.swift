import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillSecurity
import RillThreads

/// `rill call`: a call between two machines.
struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call another machine: send your camera or clip, and receive its pictures.",
        usage: "rill call [<source>] --to <host:port> --listen <port> --key-file <file> [<options>]",
        discussion: """
            Sends a camera (/dev/video0, camera:NAME), a clip (repeated until the call ends), or without a source the \
            portrait scene. Two streams are sent: the high one, and a low one of 160x120 at 5 frames a second. Both \
            streams of the other side are received; --output writes its high one. Start the two sides in any order: \
            each waits for the other.

            The key file holds the base64 of 28 or 44 bytes, key and salt for AES-128-GCM or AES-256-GCM. Both sides \
            use the same file; `rill key` makes one. Use a key for one call only: a second call would repeat the \
            keystream, and an eavesdropper could decrypt both. Without a key file the call is not encrypted, and is \
            possible on this machine only.

            Ctrl-C ends the call and notifies the other side.

            Examples:
              rill key call.key
              rill call /dev/video0 --to 192.0.2.7:5004 --listen 5004 --key-file call.key
              rill call clip.y4m --to example.org:5004 --listen 5004 --key-file call.key
              rill call --to 127.0.0.1:5005 --listen 5004 --duration 8s --output theirs.y4m
            """)

    @Argument(help: "What to send: a camera or a clip. Without one, the portrait scene is drawn.", completion: .sources)
    var source: String?

    @Option(help: "Address of the other side, as HOST:PORT or [V6]:PORT.")
    var to: String

    @Option(help: "The port to listen on.")
    var listen: UInt16

    @Option(help: "The file with the call's key.", completion: .file())
    var keyFile: String?

    @Option(
        help: "Length of the call (default: until Ctrl-C, or until the other side leaves).",
        transform: durationNotation)
    var duration: MediaDuration?

    @Option(
        help: "Write the shown pictures of the other side's high stream, as Y4M; each is repeated until the next one.",
        completion: .files(.y4m))
    var output: String?

    @OptionGroup
    var reporting: ReportOptions

    @OptionGroup
    var video: SentVideoOptions

    func run() throws {
        let interruption = Interruption()
        let key = try keyFile.map(KeyFile.read)
        let address = try readAddress()
        let opened = try video.open(source, atEnd: .loop)
        let resolution = video.size ?? opened.format.resolution
        let settings = try video.callSettings([video.high(of: resolution), video.low])
        let files = OutputFiles()
        let recording = try output.map { CallRecording(path: try files.openPart(of: $0), name: $0) }
        let socket = try UDPSocket(
            boundTo: UDPAddress(address.ip.listening(isProtected: key != nil), port: listen))
        // The only reference to the source moves to the call.
        nonisolated(unsafe) let source = opened
        let call = try unsafe VideoCall(settings, source: source)
        let them = try call.add(ParticipantSettings("\(to)", at: address, key: key), over: socket)
        if let recording { try them.show(.high, on: recording) } else { try them.show(.high, on: FrameTap { _ in }) }
        try them.show(.low, on: FrameTap { _ in })
        say(address, socket.localAddress, settings.send.layers, key)
        let monitor = CallMonitor(
            CallLog(.both, layers: settings.send.layers.map(\.rid.description)), CallMonitor.Ending(limit: duration))
        monitor.follow(call) {
            monitor.note(recording?.takeNotice(), at: call.clock.now)
            return interruption.isRequested
        }
        monitor.note(recording?.summary, at: call.clock.now)
        let log = monitor.log
        if let failure = recording?.failure { throw files.keepParts(after: failure) }
        guard recording == nil || recording?.framesWritten ?? 0 > 0 else {
            throw CommandError("no picture of the other side was shown: no output was written", .partialResult)
        }
        try files.commit()
        try reporting.writePage("Call", log, facts: facts(address, settings.send.layers, key))
        try reporting.print(log)
        if let failure = log.failure { throw CommandError(failure) }
        if !log.hasMet { throw CommandError("no answer from \(address)", .partialResult) }
        if log.framesDecoded == 0 { throw CommandError.nothingDecoded(isProtected: key != nil) }
    }

    func validate() throws {
        try requirePositive("--duration", duration)
        if let output, VideoFileFormat(path: output) != .y4m {
            throw ValidationError("--output \(output): the name must end in .y4m")
        }
        try requireDistinct(input: source, outputs: [output, reporting.report])
    }

    // MARK: Arguments

    private func readAddress() throws -> UDPAddress {
        let address = try resolve(to, of: "--to")
        guard keyFile != nil || address.ip.isLoopback else {
            throw ValidationError(
                "without --key-file the call to \(address) would not be encrypted, which is allowed on this machine "
                    + "only; `rill key` makes a key")
        }
        return address
    }

    private func say(_ address: UDPAddress, _ local: UDPAddress, _ layers: [LayerSettings], _ key: SRTPKey?) {
        let streams = layers.map { "\($0.rid) \($0.resolution)" }.joined(separator: " and ")
        StandardError.print("calling \(address) from port \(local.port): \(streams)")
        StandardError.print(
            key.map { "protected by \($0.profile.suite.rawValue)" } ?? "no key: not encrypted, on this machine only")
    }

    private func facts(_ address: UDPAddress, _ layers: [LayerSettings], _ key: SRTPKey?) -> [[String]] {
        [
            ["source", source ?? "the portrait scene"], ["other side", "\(address)"],
            ["protection", key?.profile.suite.rawValue ?? "none: not encrypted, on this machine only"],
        ]
            + layers.map(\.fact)
    }
}
