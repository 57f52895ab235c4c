#if Server
import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillThreads
import RillWHIP
import RillPeer

/// `rill publish`: a stream at a URL.
struct PublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish a camera or clip at a URL (WHIP), for browsers and other viewers.",
        usage: "rill publish [<source>] <url> [--token <token>] [<options>]",
        discussion: """
            Sends a camera (/dev/video0, camera:NAME), a clip in real time, or without a source the portrait scene, to \
            an endpoint of WHIP (RFC 9725). Two encodings are offered as a simulcast, high, and low with 160x120 at 5 \
            frames a second; a server that takes no simulcast gets the high one. Everything is encrypted by WebRTC, and \
            the bitrate follows the network.

            A path that is lost is looked for again, and a server that was restarted gets the stream again, within \
            --wait. Publishing ends with the clip, after --duration, or with Ctrl-C.

            Examples:
              rill publish clip.y4m https://example.org/whip/stage --token-file token
              rill publish /dev/video0 http://127.0.0.1:8080/whip/me --beauty natural
              rill publish http://127.0.0.1:8080/whip/me --duration 30s --report page.html
            """)

    @Argument(help: "What to send: a camera or a clip. Without one, the portrait scene is drawn.", completion: .sources)
    var source: String

    @Argument(help: "The endpoint, as https://HOST/PATH.")
    var url: String?

    @OptionGroup
    var endpoint: EndpointOptions

    @Flag(help: "Repeat the clip.")
    var loop = false

    @Option(
        help: "How long to send, from the first connection on (default: to the end of the clip, or until Ctrl-C).",
        transform: durationNotation)
    var duration: MediaDuration?

    @Option(help: "The encodings to offer: high, or high,low as a simulcast.")
    var layers = SendCommand.Layers.both

    @OptionGroup
    var reporting: ReportOptions

    @OptionGroup
    var video: SentVideoOptions

    func run() throws {
        let interruption = Interruption()
        let clock = LiveClock()
        let client = try endpoint.client(.publish, at: target, from: clock.now)
        try reporting.requirePlace()
        let opened = try video.open(input, atEnd: loop ? .loop : .end)
        let settings = try settings(for: opened.format)
        let start = DelayedSource.Start()
        // The only reference to the source moves to the call.
        nonisolated(unsafe) let source: (any FrameSource)? = InterruptibleSource(
            DelayedSource(opened, from: start, for: duration, on: clock), interruption)
        let call = try unsafe VideoCall(settings, source: source, clock: clock)
        let port = try WebRTCPort(for: call)
        let names = settings.send.layers.map(\.rid.description)
        let monitor = CallMonitor(
            CallLog(.sending, layers: names),
            // NACKs for the last packets arrive within a second.
            CallMonitor.Ending(afterSource: .seconds(1), survivesLeaving: true))
        let streams = settings.send.layers.map { "\($0.rid) \($0.resolution)" }.joined(separator: " and ")
        StandardError.print("publishing at \(target): \(streams)")
        var observers = EndpointDriver.Observers { monitor.note($0, at: clock.now) }
        observers.connected = { start.set(clock.now) }
        let driver = try EndpointDriver(
            client, over: port, webRTC, clock: clock, by: try endpoint.http(), observers)
        monitor.follow(call, beforeEnd: driver.close) { interruption.isRequested || driver.hasEnded }
        try finish(monitor.log, driver, settings.send.layers)
    }

    private var input: String? { url == nil ? nil : source }
    private var target: String { url ?? source }

    private func settings(for format: SourceFormat) throws -> VideoCallSettings {
        let high = video.high(of: video.size ?? format.resolution)
        return try video.callSettings(layers == .both ? [high, video.low] : [high])
    }

    private var webRTC: WebRTCSettings {
        var settings = WebRTCSettings.ofClient
        settings.receives = false
        return settings
    }

    // MARK: The end

    private func finish(_ log: CallLog, _ driver: EndpointDriver, _ layers: [LayerSettings]) throws {
        let facts = [["source", input ?? "the portrait scene"], ["at", target], ["protection", "DTLS-SRTP"]]
        try reporting.writePage("Published stream", log, facts: facts + layers.map(\.fact))
        if log.hasMet || driver.failure == nil { try reporting.print(log) }
        if let failure = driver.failure {
            throw CommandError("\(failure)", log.hasMet ? .partialResult : .failure)
        }
        if let failure = log.failure { throw CommandError(failure) }
        if let failure = log.sourceFailure { throw CommandError("sending stopped early: \(failure)", .partialResult) }
    }

    func validate() throws {
        try requirePositive("--duration", duration)
        guard EndpointOptions.isURL(target) else {
            throw ValidationError.notURL(target, like: "https://example.org/whip/stage")
        }
        if let input, EndpointOptions.isURL(input) {
            throw ValidationError("\(input) is a URL: give the source first, and then one URL")
        }
        try requireDistinct(input: input, outputs: [reporting.report])
        try requireDistinct(input: endpoint.tokenFile, outputs: [reporting.report])
    }
}
#endif
