import ArgumentParser
import Rill
import RillContainers
import RillCore
import RillFiles
import RillLab
import RillLink
import RillTranscode

/// `rill loopback`: sends a clip or scene to itself through the whole pipeline.
struct LoopbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loopback",
        abstract: "Send a clip to yourself: two encoded layers, RTP, an emulated network, jitter buffer, decoding.",
        discussion: """
            Plays a clip (.y4m, .ivf, raw) as a camera, or draws the portrait scene if no clip is given. The report \
            shows for each layer what was sent, received, decoded, dropped and frozen, how close the shown pictures \
            are to the source, and the delay between stages. --duration plays only the start of a clip.

            Without --live the session runs in virtual time, as fast as possible: the same seed gives the same report. \
            With --live it runs in real time; Ctrl-C ends it, and the report covers the time until then. The network \
            is a list of settings in any order, all of them optional:

              loss=2%                  random loss, each packet independently
              burst=5%/3               loss in bursts: 5 % in total, 3 in a row on
                                       average; or as netem's gemodel,
                                       P/R/IN-BAD/IN-GOOD
              blackout=2s@30s          no packet gets through for 2 s, starting at 30 s;
                                       2s@30s+60s: repeated every 60 s
              delay=40ms               one-way delay
              jitter=10ms              standard deviation of the delay
              spikes=250ms/30s         at random, every 30 s on average, the delay
                                       rises by 250 ms and drains
              wifi=2ms/500ms           a wireless hop: shortest and longest wait for the
                                       channel; then all waiting packets leave at once
              order=by-delay           jitter reorders packets (or: kept)
              reorder=1%               packets held back, so that others overtake them
              reorder-delay=40ms       how long they are held back
              duplicate=0.5%           packets that arrive twice
              duplicate-delay=1ms      delay of the second copy
              corrupt=0.1%             packets with one to three bits flipped
              rate=2M                  bits per second of the bottleneck;
                                       2M/450k@40s/2M@80s: in steps, 0 for a pause
              trace=FILE               instead of a rate: a mahimahi trace; each line is
                                       the millisecond at which 1500 bytes get through
              queue=300ms              size of the bottleneck's queue, or in bytes: 64kB;
                                       drain/300ms: what takes longer at the present
                                       rate, itself included, is dropped
              headers=28               bytes that the bottleneck adds to each packet
              cross=110k               cross traffic through the bottleneck, in bits per
                                       second; 0/110k@10s/0@20s: in steps
              cross-size=1200          size of its packets
              cubic=50ms@10s           a TCP flow (CUBIC) through the bottleneck, with
                                       this round trip, from 10 s on; 50ms@10s-40s: until
                                       40 s; 50ms/20ms: two of them
              seed=7                   seed of the random numbers

            Times count from the start of the session. The return path has the same settings and its own random \
            numbers, unless --return-network is given. Without queue, the queue holds 300 ms or 64 kB, whichever is \
            more.

            Examples:
              rill loopback
              rill loopback clip.y4m --network loss=2%,delay=40ms,jitter=10ms,seed=7
              rill loopback --network rate=2M/450k@10s/2M@20s,queue=3s --duration 30s
              rill loopback --network burst=5%/3 --return-network delay=100ms
              rill loopback clip.y4m --bitrate 800k --output high.y4m --low-output low.y4m
              rill loopback clip.y4m --live --json
              rill loopback clip.y4m --beauty natural
              rill loopback --network loss=2%,seed=7 --capture call.pcap
              rill loopback --network loss=2%,delay=40ms,seed=7 --report call.html
              rill loopback --network loss=2%,delay=150ms --fec 20% --no-nack
              rill loopback clip.y4m --live --coded high.ivf --trace call.trace
            """)

    @Argument(help: "The clip to play as a camera. Without one, the portrait scene is drawn.", completion: .sources)
    var clip: String?

    @Option(
        help: "The network between sender and receiver; see above (default: a perfect one).",
        completion: .network, transform: networkNotation)
    var network: LinkSettings = .clean

    @Option(
        help: "The network of the return path, in the same notation (default: as --network).",
        completion: .network, transform: networkNotation)
    var returnNetwork: LinkSettings?

    @Flag(help: "Run in real time.")
    var live = false

    @Flag(help: "With --live: keep all CPUs out of deep sleep states, so that they wake at once.")
    var sleepless = false

    @Option(
        help: "Size of the high layer (default: the clip's own; 640x480 for the scene).", completion: .sizes,
        transform: resolutionNotation)
    var size: Resolution?

    @Option(
        help: "Bitrate of the high layer (default: depends on the size, 800k at 640x480).", transform: bitrateNotation)
    var bitrate: Bitrate?

    @Option(
        help: "Bitrate of the low layer, 160x120 at 5 frames a second (default: 45k).", transform: bitrateNotation)
    var lowBitrate: Bitrate = LayerSettings.low.bitrate

    @OptionGroup
    var faces: SentFacesOptions

    @Option(
        help: "Write the shown pictures of the high layer, as Y4M; each is repeated until the next one.",
        completion: .files(.y4m))
    var output: String?

    @Option(help: "The same for the low layer.", completion: .files(.y4m))
    var lowOutput: String?

    @Option(
        help: "Capture the packets that arrive, in both directions, as .pcap, .pcapng or .rtpdump.",
        completion: .files(.pcap, .pcapng, .rtpDump))
    var capture: String?

    @Option(
        help: "Write a page of plots over time, with pictures around freezes, as .html.", completion: .named(["html"]))
    var report: String?

    @Option(help: "Write the encoded high layer, as .ivf.", completion: .files(.ivf))
    var coded: String?

    @Option(help: "The same for the low layer.", completion: .files(.ivf))
    var lowCoded: String?

    @Option(help: "Write a trace of the encoders' inputs, for `rill reencode`.", completion: .file())
    var trace: String?

    @Option(help: "What a layer gives up first when CPU or bitrate do not suffice.")
    var degradation = DegradationChoice.balanced

    @OptionGroup
    var protection: ProtectionOption

    @Flag(inversion: .prefixedNo, help: "Request missing packets (NACK).")
    var nack = true

    @Flag(inversion: .prefixedNo, help: "Retransmit on a separate stream (RTX); otherwise on the original stream.")
    var rtx = true

    @Option(
        help: """
            Playout delay of the receiver: a fixed time like 100ms, or minimum and maximum like 50ms...500ms \
            (default: as low as the network allows).
            """,
        transform: playoutDelayNotation)
    var playoutDelay: PlayoutDelayBounds = .adaptive

    @Option(
        help: "In virtual time: encoding time of a frame (default: 0ms).", transform: durationNotation)
    var encodeTime: MediaDuration = .zero

    @Option(
        help: "In virtual time: decoding time of a frame (default: 5ms).", transform: durationNotation)
    var decodeTime: MediaDuration = .milliseconds(5)

    @Flag(inversion: .prefixedNo, help: "Compare the shown pictures with the source.")
    var compare = true

    @OptionGroup
    var content: ContentOptions

    @Flag(help: "Print one JSON object instead of tables.")
    var json = false

    @Flag(help: "Add CPU time, wall time and memory to the JSON; they differ from run to run.")
    var measured = false

    @OptionGroup
    var congestionOptions: CongestionOptions

    @OptionGroup(title: "Raw clips")
    var clipOptions: ClipOptions

    @OptionGroup(title: "Cameras")
    var cameraOptions: CameraOptions

    @OptionGroup(title: "The portrait scene")
    var sceneOptions: SceneOptions

    func run() throws {
        let start = Measurement.now
        let interruption = Interruption()
        let awake = sleepless ? try WakeLatencyRequest() : nil
        defer { withExtendedLifetime(awake) {} }
        let opened = try openSource()
        let source = timed(opened)
        let resolution = size ?? source.format.resolution
        if let refusal = refusal(of: resolution) { throw CommandError(refusal) }
        let settings = try settings(for: resolution)
        try checkBitrates(of: settings.layers, at: source.format.frameRate ?? 30)
        let files = OutputFiles()
        let sent = InputHealth(source, of: clip)
        // The opened source is sent. The comparison reads it a second time, to the end of what was sent.
        var isFirst = true
        let loopback = try Loopback(
            settings, taps: try taps(settings.layers, at: [coded, lowCoded, trace].map { $0.map(files.part(of:)) }),
            outputs: try outputs(opened, resolution, files)
        ) {
            defer { isFirst = false }
            return isFirst ? InterruptibleSource(source, interruption) : timed(try openSource())
        }
        if let capture {
            loopback.capture = try LinkCapture(
                path: files.part(of: capture), name: capture,
                start: live ? LinkCapture.wallClockNow : LinkCapture.virtualStart)
        }
        var report = try run(loopback, source.format)
        // An interrupted live call has a report. A session in virtual time was cut short, and has none.
        if interruption.isRequested, !live { throw CommandError.interrupted }
        report.missing = sent.failure(wasReadToItsEnd: !interruption.isRequested)
        guard report.framesCaptured > 0 || interruption.isRequested else {
            let reason = report.interruption ?? report.missing
            throw CommandError(reason ?? "\(clip ?? "the scene") has no picture", .unreadableInput)
        }
        if let clip, camera == nil { SourceVideo(clip, opened).noticesOfCall.forEach(StandardError.print) }
        if loopback.sender.framesConverted > 0 {
            StandardError.print("full to limited range: \(loopback.sender.framesConverted) frames")
        }
        try files.commit()
        try writePage(report, of: loopback)
        try show(report, Measurement.now.since(start))
        for remark in remarks(on: report, settings.layers) + sent.remarks { StandardError.print(remark) }
        let ending = report.interruption.map { "the clip ended early: \($0)" }
        guard let reason = report.missing ?? ending else { return }
        StandardError.print(reason)
        throw ExitCode.partialResult
    }

    private func run(_ loopback: Loopback, _ format: SourceFormat) throws -> LoopbackReport {
        let bar = ProgressBar(live ? "live" : "loopback", total: format.frameCount)
        defer { bar.finish() }
        let rate = format.frameRate ?? 30
        let update: (MediaTime) -> Void = { bar.update(Int($0.seconds * rate.framesPerSecond)) }
        return live ? try loopback.runLive(progress: update) : try loopback.runInVirtualTime(progress: update)
    }

    /// Refuses requested bitrates that are too low for the layer's size.
    private func checkBitrates(of layers: [LayerSettings], at rate: FrameRate) throws {
        if bitrate != nil { try layers[0].requireReachable("--bitrate", at: rate) }
        try layers[1].requireReachable("--low-bitrate", at: rate)
    }

    /// A remark on each layer whose bitrate is far from its target.
    private func remarks(on report: LoopbackReport, _ layers: [LayerSettings]) -> [String] {
        zip(layers, report.layers).compactMap { layer, result in
            BitrateRemark.text(
                of: "the layer \(result.rid)", layer, bytes: Int(result.sent.bitrate * report.duration / 8),
                seconds: report.duration, parts: result.sent.keyFramesEncoded,
                isRequested: result.rid == layers[0].rid.description && bitrate != nil)
        }
    }

    /// 8K: at this size the pictures in flight take about 1 GB.
    private static let maximumPixelCount = 8192 * 4320

    private func refusal(of size: Resolution) -> String? {
        guard size.pixelCount > Self.maximumPixelCount else { return nil }
        return "\(size) is above the limit of loopback, 8192x4320 pixels; give a smaller --size"
    }

    private func settings(for resolution: Resolution) throws -> LoopbackSettings {
        var low = LayerSettings.low
        low.bitrate = lowBitrate
        var layers = [LayerSettings.high(resolution, bitrate: bitrate ?? .suggested(for: resolution)), low]
        for index in layers.indices { content.apply(to: &layers[index].encoder) }
        var settings = LoopbackSettings(layers: layers, network: network)
        settings.returnNetwork = returnNetwork
        settings.playoutDelay = playoutDelay
        settings.fec = protection.fec.settings(
            payloadType: PayloadType(101), redPayloadType: PayloadType(100))
        settings.usesNACK = nack
        settings.usesRetransmissionStream = rtx
        settings.encodeTime = encodeTime
        settings.decodeTime = decodeTime
        settings.measuresQuality = compare && camera == nil
        settings.isRecorded = report != nil
        settings.adaptation = degradation.settings
        (settings.beauty, settings.faces) = (faces.beauty, try faces.detection())
        settings.congestion = congestionOptions.settings(byDefault: false)
        return settings
    }

    private func taps(_ layers: [LayerSettings], at parts: [String?]) throws -> SendTaps {
        var files: [StreamLayer.RID: any EncodedFrameSink] = [:]
        for (part, (path, layer)) in zip(parts, zip([coded, lowCoded], layers)) {
            guard let part, let path else { continue }
            files[layer.rid] = try IVFWriter(
                path: part, name: path, codec: layer.encoder.codec, resolution: layer.resolution)
        }
        return SendTaps(
            encoded: files.isEmpty ? nil : LayerFiles(files),
            trace: try parts[2].map { try SendTraceWriter(path: $0, name: trace) })
    }

    private func outputs(
        _ source: any FrameSource, _ resolution: Resolution, _ files: OutputFiles
    ) throws -> [FixedRateOutput?] {
        guard output != nil || lowOutput != nil else { return [nil, nil] }
        let container = source is ContainerSource ? clip : nil
        let typicalRate = try container.map { try ContainerSource.typicalFrameRate(ofFile: $0) }
        let sourceRate = (typicalRate ?? source.format.frameRate) ?? 30
        func file(_ path: String?, _ resolution: Resolution, _ fastest: FrameRate) throws -> FixedRateOutput? {
            guard let path else { return nil }
            let rate = FrameRate.slower(fastest, sourceRate)
            let writer = try Y4MWriter(
                path: files.part(of: path), name: path, resolution: resolution, frameRate: rate)
            return FixedRateOutput(writer, frameRate: rate)
        }
        let low = LayerSettings.low
        return [try file(output, resolution, 30), try file(lowOutput, low.resolution, low.frameRate)]
    }

    private func show(_ report: LoopbackReport, _ measurement: Measurement) throws {
        StandardError.print(measurement.text)
        guard json else { return try StandardOutput.print(report.text) }
        let added = measured ? ["measured": measurement] : [:]
        try JSONOutput.print(JoinedObject(first: report, second: added))
    }

    private func openSource() throws -> any FrameSource {
        if let camera { return try readingInput { try cameraOptions.open(camera) } }
        if let clip { return try readingInput { try clipOptions.open(clip) } }
        return try sceneOptions.scene(size ?? .vga, frameRate: 30, seed: network.seed)
    }

    /// The source, limited to `--duration`.
    private func timed(_ source: any FrameSource) -> any FrameSource {
        if camera != nil { return TimedSource(source, duration: sceneOptions.endlessDuration) }
        guard clip != nil, let duration = sceneOptions.duration else { return source }
        return TimedSource(source, duration: duration)
    }

    /// The camera, if the argument names one.
    var camera: CameraSelection? { clip.flatMap(cameraSelection) }

    func validate() throws {
        if let clip, camera != nil, !live {
            throw ValidationError("\(clip) is a camera, which delivers frames in real time only: add --live")
        }
        try protection.validate(with: congestionOptions.settings(byDefault: false))
        if let refusal = size.flatMap(refusal) { throw ValidationError(refusal) }
        if clip == "-" {
            throw ValidationError("loopback reads its clip a second time for the comparison: it must be a file")
        }
        let outputs = [output, lowOutput, capture, coded, lowCoded, trace, report]
        if outputs.contains("-") {
            throw ValidationError(
                "the report goes to standard output: pictures, captures, traces and pages need a file")
        }
        try requirePage(report)
        for path in [coded, lowCoded].compactMap({ $0 }) where VideoFileFormat(path: path) != .ivf {
            throw ValidationError("\(path): the name of a file of encoded frames must end in .ivf")
        }
        if let capture, ![.pcap, .pcapng, .rtpDump].contains(VideoFileFormat(path: capture)) {
            throw ValidationError("\(capture): the name of a capture must end in .pcap, .pcapng or .rtpdump")
        }
        if sleepless, !live {
            throw ValidationError("--sleepless needs --live: a session in virtual time does not wait for a CPU")
        }
        if live, encodeTime != .zero {
            throw ValidationError("--encode-time is for virtual time: with --live, encoding takes its real time")
        }
        try requireDistinct(input: clip, outputs: outputs)
        if measured, !json {
            throw ValidationError("--measured needs --json; without --json the measurements are always printed")
        }
    }
}
