import ArgumentParser
import Rill

/// `rill inspect`: what is in a file.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what is in a Y4M, IVF or rtpdump file: frames, key frames, sizes, rates, packets.",
        discussion: """
            The file is read to its end, and told by its first bytes, not by its name. Of a damaged file what stands \
            before the damage is shown, and where it is.

            Examples:
              rill inspect clip.ivf
              rill inspect capture.rtpdump --json
            """)

    @Argument(help: "The file; - is standard input.")
    var file: String

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    func run() throws {
        let bar = ProgressBar("inspect", total: nil)
        let inspection = try FileInspection(of: file) { bar.update($0) }
        bar.finish()
        if json { try JSONOutput.print(inspection) } else { print(inspection.text) }
        if let damage = inspection.damage {
            StandardError.print("damaged: \(damage)")
            throw ExitCode.failure
        }
    }
}

extension FileInspection {
    /// The inspection as a table for people: a column for each stream.
    fileprivate var text: String {
        var table = TextTable(["\(path): \(format), \(bytes) bytes"] + streams.map { $0.ssrc ?? "" })
        func row(_ title: String, _ value: (Stream) -> String?) {
            let cells = streams.map(value)
            if cells.contains(where: { $0 != nil }) { table.add([title] + cells.map { $0 ?? "–" }) }
        }
        row("codec") { $0.codec }
        row("resolution") { $0.resolution }
        row("frames") { "\($0.frames)" }
        row("  key frames") { $0.keyFrames.map(String.init) }
        row("duration, s") { Decimal.text($0.duration, decimals: 3) }
        row("frames a second") { $0.frameRate.map { Decimal.text($0, decimals: 3) } }
        row("kbit/s") { $0.bitrate.map { Decimal.text($0 / 1000, decimals: 1) } }
        row("smallest frame, bytes") { ($0.frameBytes?.minimum).map(String.init) }
        row("mean frame, bytes") { $0.frameBytes.map { Decimal.text($0.mean, decimals: 0) } }
        row("largest frame, bytes") { ($0.frameBytes?.maximum).map(String.init) }
        row("RTP packets") { ($0.packets?.count).map(String.init) }
        row("  lost") { ($0.packets?.lost).map(String.init) }
        row("  reordered") { ($0.packets?.reordered).map(String.init) }
        row("  duplicated") { ($0.packets?.duplicated).map(String.init) }
        row("RTCP packets") { ($0.packets?.rtcp).map(String.init) }
        return table.text
    }
}
