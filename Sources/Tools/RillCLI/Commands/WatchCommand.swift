#if Server
import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillThreads
import RillWHIP
import RillPeer

/// `rill watch`: a stream at a URL.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch the stream at a URL (WHEP).",
        usage: "rill watch <url> [--output <file> | --preview] [<options>]",
        discussion: """
            Receives the video of an endpoint of WHEP: \(codecNames), encrypted and repaired by WebRTC. --layer asks \
            for one of the stream's encodings, where the server lets viewers select one; otherwise the server decides.

            A stream that nobody publishes yet is waited for. A path that is lost is looked for again, and a server that \
            was restarted is asked again, within --wait. Ends after --duration, or with Ctrl-C.

            Output: .y4m holds pictures, 30 per second, each repeated until the next one; .ivf, .webm and .mkv hold \
            the encoded frames as they arrived. --preview shows the pictures in a window instead (see `rill preview`); \
            closing it ends the command.

            Examples:
              rill watch https://example.org/whep/stage --output shown.y4m --duration 10s
              rill watch http://127.0.0.1:8080/whep/me --layer low --report page.html
            """)

    @Argument(help: "The endpoint, as https://HOST/PATH.")
    var url: String

    @OptionGroup
    var endpoint: EndpointOptions

    @Option(
        help: "The encoding to get, by its name (default: the server decides).", completion: .list(["high", "low"]))
    var layer: String?

    @OptionGroup
    var recordingOptions: RecordingOptions

    @Flag(help: "Show the stream in a window.")
    var preview = false

    @Option(
        help: "How long to watch, from the first packet on (default: until Ctrl-C).", transform: durationNotation)
    var duration: MediaDuration?

    @OptionGroup
    var reporting: ReportOptions

    func run() throws {
        let interruption = Interruption()
        let clock = LiveClock()
        var client = try endpoint.client(.watch, at: url, from: clock.now)
        if let layer { client.select(layer, at: clock.now) }
        let files = OutputFiles()
        try reporting.requirePlace()
        let window = preview ? try PreviewWindow(url) : nil
        defer { window?.close() }
        let recording = try recordingOptions.open(files)
        var settings = VideoCallSettings(layers: [])
        settings.statisticsInterval = CallMonitor.interval
        let call = try VideoCall(settings, source: nil, clock: clock)
        let port = try WebRTCPort(for: call)
        // A stream without a RID is the high one for the call, whatever it shows.
        let shown = StreamLayer.RID.high
        let monitor = CallMonitor(
            CallLog(.receiving, layers: [shown.description]),
            CallMonitor.Ending(limitOnceMet: duration, survivesLeaving: true))
        StandardError.print("watching \(url)")
        var observers = EndpointDriver.Observers { monitor.note($0, at: clock.now) }
        observers.layerSelected = { name in monitor.rename([name ?? shown.description]) }
        observers.answered = { peer in
            guard let them = peer.participant, let layer = them.layers.first else {
                throw CommandError("the server sends no video that Rill reads", .unreadableInput)
            }
            if let recording {
                try recording.show(layer, of: them, on: clock)
            } else if let window {
                try them.show(layer, on: window.tile)
            } else {
                try them.show(layer, on: FrameTap { _ in })
            }
        }
        let driver = try EndpointDriver(
            client, over: port, .ofClient, clock: clock, by: try endpoint.http(), observers)
        monitor.follow(call, beforeEnd: driver.close) {
            monitor.note(recording?.takeNotice(), at: clock.now)
            return interruption.isRequested || driver.hasEnded || recording?.failure != nil || window?.isClosed == true
        }
        monitor.note(recording?.summary, at: clock.now)
        if let failure = window?.failure { throw CommandError("\(failure)") }
        try finish(monitor.log, driver, recording, files, isInterrupted: interruption.isRequested)
    }

    // MARK: The end

    private func finish(
        _ log: CallLog, _ driver: EndpointDriver, _ recording: (any StreamRecording)?, _ files: OutputFiles,
        isInterrupted: Bool
    ) throws {
        try? recording?.finish()  // its failure is `failure`
        if let failure = recording?.failure { throw files.keepParts(after: failure) }
        guard log.hasMet else {
            if let failure = driver.failure as? CommandError { throw failure }
            if let failure = driver.failure { throw CommandError("\(failure)", .unreadableInput) }
            if isInterrupted { throw CommandError.interrupted }
            throw CommandError(log.failure ?? "nothing was received", .unreadableInput)
        }
        let hasOutput = recording.map { $0.framesWritten > 0 } ?? true
        if hasOutput { try files.commit() }
        try reporting.writePage("Watched stream", log, facts: [["at", url], ["protection", "DTLS-SRTP"]])
        try reporting.print(log)
        if let failure = log.failure { throw CommandError(failure) }
        if !hasOutput { throw CommandError("no picture was shown: no output was written", .partialResult) }
        // A stream that is over is no failure; whatever else happened is.
        switch driver.failure {
        case nil, WHIPClientError.gaveUp?: break
        case let failure?: throw CommandError("\(failure)", .partialResult)
        }
    }

    func validate() throws {
        guard EndpointOptions.isURL(url) else {
            throw ValidationError.notURL(url, like: "https://example.org/whep/stage")
        }
        try requirePositive("--duration", duration)
        if preview, recordingOptions.output != nil {
            throw ValidationError("--output and --preview contradict each other")
        }
        if let layer, !(1...64).contains(layer.utf8.count) {
            throw ValidationError("--layer must have from 1 to 64 characters")
        }
        try requireDistinct(input: endpoint.tokenFile, outputs: [recordingOptions.output, reporting.report])
    }
}
#endif
