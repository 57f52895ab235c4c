import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillLab
import RillRTP

/// `rill inspect`: shows the contents of a file.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract:
            "Show what a Y4M, IVF, rtpdump, pcap or pcapng file contains: frames, sizes, rates, packets, losses, jitter, RTCP.",
        usage: "rill inspect <file> [<options>]",
        discussion: """
            The file is read to its end. Its format is detected from its first bytes, not from its name. For a damaged \
            file, the contents before the damage are shown, and the position of the damage.

            A capture has a column for each source (SSRC). The codec is detected, or given with --codec. \
            Retransmission streams (RTX) are detected from sequence numbers and timestamps. --frames writes the \
            complete frames of one source, from the first key frame on.

            Examples:
              rill inspect clip.ivf
              rill inspect capture.rtpdump --json
              rill inspect call.pcapng --frames out.ivf --ssrc 0x0000cafe
            """)

    @Argument(help: "The file; - is standard input.", completion: .files(.y4m, .ivf, .rtpDump, .pcap, .pcapng))
    var file: String

    @Option(help: "Write the frames of one source of a capture, as IVF.", completion: .files(.ivf))
    var frames: String?

    @Option(help: "The source for --frames (default: the one with the most bytes).", transform: ssrcNotation)
    var ssrc: SSRC?

    @Option(
        help: "The codec of a capture, \(codecValues) (default: detected).", completion: .codecs,
        transform: codecNotation)
    var codec: VideoCodec?

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    func run() throws {
        if let frames { try requireDistinct(input: file, outputs: [frames]) }
        let bar = ProgressBar("inspect", total: nil)
        let inspection = try readingInput { try FileInspection(of: file, codec: codec) { bar.update($0) } }
        bar.finish()
        let extraction = try frames.map { try extract(to: $0, from: inspection) }
        if json {
            let added = extraction.map { ["extraction": $0] } ?? [:]
            try JSONOutput.print(JoinedObject(first: inspection, second: added))
        } else {
            try StandardOutput.print(inspection.text)
            if let extraction, let frames, extraction.frames > 0 { try StandardOutput.print(extraction.text(frames)) }
        }
        if let damage = inspection.damage { StandardError.print("damaged: \(damage)") }
        if let extraction, let frames, extraction.frames == 0 {
            throw CommandError(
                "\(frames): not written, because the stream has no complete key frame; left out: "
                    + extraction.textOfMissing)
        }
        if inspection.damage != nil { throw ExitCode.partialResult }
    }

    private func extract(to output: String, from inspection: FileInspection) throws -> FrameExtraction.Report {
        guard let stream = inspection.largestStream(ssrc: ssrc), let payloadType = stream.payloadType,
            let name = stream.codec, let codec = VideoCodec(builtIn: name), let ssrc = stream.ssrc
        else {
            throw CommandError(
                "\(file): no stream\(ssrc.map { " \($0)" } ?? "") with readable frames; --codec and --ssrc may help"
            )
        }
        let interruption = Interruption()
        let bar = ProgressBar("frames", total: inspection.capture?.datagrams, unit: "packets")
        defer { bar.finish() }
        return try FrameExtraction(
            of: ssrcNotation(ssrc), payloadType: PayloadType(UInt8(payloadType)), codec: codec
        ).run(from: file, to: output) {
            guard !interruption.isRequested else { throw CommandError.interrupted }
            bar.update($0)
        }
    }

    func validate() throws {
        if file == "-", frames != nil {
            throw ValidationError("--frames reads the file twice: it cannot be standard input")
        }
        if ssrc != nil, frames == nil { throw ValidationError("--ssrc needs --frames") }
        if frames == "-" { throw ValidationError("the report goes to standard output: the frames need a file") }
    }
}

extension FrameExtraction.Report {
    /// One line on the written frames.
    fileprivate func text(_ path: String) -> String {
        "\(path): \(frames) frames, \(keyFrames) of them key frames; left out: \(textOfMissing)"
    }

    /// The frames that were left out.
    fileprivate var textOfMissing: String {
        "\(incompleteFrames) incomplete, \(framesBeforeKeyFrame) before the first key frame"
    }
}

extension FileInspection {
    /// The inspection as a text table, with a column for each stream.
    fileprivate var text: String {
        var table = TextTable(["\(path): \(format), \(bytes) bytes"] + streams.map { $0.ssrc ?? "" })
        func row(_ title: String, _ value: (Stream) -> String?) {
            let cells = streams.map(value)
            if cells.contains(where: { $0 != nil }) { table.add([title] + cells.map { $0 ?? "–" }) }
        }
        row("codec") { $0.codec }
        row("retransmissions of") { $0.retransmissionsOf }
        row("resolution") { $0.resolution }
        // A source that sends only RTCP has neither frames nor a duration.
        row("frames") { $0.codec == nil ? nil : "\($0.frames)" }
        row("  hidden, besides") { $0.hiddenFrames.map(String.init) }
        row("  key frames") { $0.keyFrames.map(String.init) }
        row("duration, s") {
            $0.codec == nil && $0.duration == 0 ? nil : Decimal.text($0.duration, decimals: 3)
        }
        row("frames per second") { $0.frameRate.map { Decimal.text($0, decimals: 3) } }
        row("kbit/s") { $0.bitrate.map { Decimal.text($0 / 1000, decimals: 1) } }
        row("smallest frame, bytes") { ($0.frameBytes?.minimum).map(String.init) }
        row("mean frame, bytes") { $0.frameBytes.map { Decimal.text($0.mean, decimals: 0) } }
        row("largest frame, bytes") { ($0.frameBytes?.maximum).map(String.init) }
        row("picture ID, bits") { ($0.descriptor?.pictureIDBits).map(String.init) }
        row("temporal layers") { ($0.descriptor?.temporalLayers).map(String.init) }
        row("spatial layers") { ($0.descriptor?.spatialLayers).map(String.init) }
        row("RTP packets") { ($0.packets?.count).map(String.init) }
        row("  lost") { ($0.packets?.lost).map(String.init) }
        row("  reordered") { ($0.packets?.reordered).map(String.init) }
        row("  duplicated") { ($0.packets?.duplicated).map(String.init) }
        row("  mean jitter, ms") { ($0.packets?.jitter).map { Decimal.text($0.mean, decimals: 3) } }
        row("  largest jitter, ms") { ($0.packets?.jitter).map { Decimal.text($0.maximum, decimals: 3) } }
        for type in Set(streams.flatMap { $0.packets?.payloadTypes.map(\.payloadType) ?? [] }).sorted() {
            row("  payload type \(type)") { stream in
                stream.packets?.payloadTypes.first { $0.payloadType == type }.map { "\($0.count)" }
            }
        }
        row("RTCP datagrams") { ($0.packets?.rtcp).map(String.init) }
        for kind in Set(streams.flatMap { $0.packets.map { Array($0.rtcpKinds.keys) } ?? [] }).sorted() {
            row("  \(kind)") { ($0.packets?.rtcpKinds[kind]).map(String.init) }
        }
        return ([table.text] + (capture?.lines ?? [])).joined(separator: "\n")
    }
}

extension FileInspection.Capture {
    /// Lines on the contents of the capture besides the streams, if any.
    fileprivate var lines: [String] {
        let counts = [
            (otherDatagrams, "datagrams that are neither RTP nor RTCP"),
            (fragments, "fragments of incomplete datagrams"), (others, "packets of other protocols"),
            (unreadable, "packets that cannot be read"),
        ]
        let lines = counts.filter { $0.0 > 0 }.map { "left out: \($0.0) \($0.1)" }
        guard cut > 0 else { return lines }
        return [
            "cut: \(cut) of \(datagrams) datagrams, to \(cutBytes ?? 0) bytes at most; their headers are counted, "
                + "their frames cannot be read"
        ] + lines
    }
}
