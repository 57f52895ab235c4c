import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillLab
import RillLink
import RillPages

extension LoopbackCommand {
    /// Writes the page, where one is asked for.
    func writePage(_ result: LoopbackReport, of loopback: Loopback) throws {
        guard let report else { return }
        let page = LoopbackPage(report: result, timelines: try loopback.timelines(), facts: facts(loopback))
        try OutputFile.write(page.page.bytes, to: report)
    }

    private func facts(_ loopback: Loopback) -> [(name: String, value: String)] {
        let settings = loopback.settings
        var facts: [(name: String, value: String)] = [
            ("source", clip ?? "the portrait scene, drawn"), ("network there", settings.network.description),
            ("network back", settings.returnNetwork?.description ?? "the same, with chance of its own"),
            ("mode", live ? "live: real threads in real time" : "virtual time: the same seed gives the same page"),
        ]
        facts += settings.layers.map { layer in
            (
                "\(layer.rid) layer",
                "\(layer.encoder.codec.rawValue.uppercased()) \(layer.resolution), up to \(layer.frameRate) frames a second, "
                    + "\(Decimal.text(Double(layer.bitrate.bitsPerSecond) / 1000, decimals: 0)) kbit/s"
            )
        }
        facts += [
            ("playout", playout(settings.playoutDelay)), ("repair", repair(settings)),
            ("made by", Version.text), ("again", commandLine),
        ]
        return facts
    }

    private func playout(_ bounds: PlayoutDelayBounds) -> String {
        if bounds == .adaptive { return "adaptive: as soon as the network lets it" }
        if bounds.minimum == bounds.maximum { return "always \(bounds.minimum.notation) after the fastest way" }
        return "adaptive, \(bounds.minimum.notation) to \(bounds.maximum.notation) after the fastest way"
    }

    private func repair(_ settings: LoopbackSettings) -> String {
        let again = settings.usesRetransmissionStream ? "on a stream of their own (RTX)" : "as they were"
        let requests = settings.usesNACK ? "missing packets are asked for and sent again \(again)" : nil
        let fecPackets = settings.fec > .zero ? "\(settings.fec) FEC packets (ULPFEC)" : nil
        let means = [requests, fecPackets].compactMap(\.self)
        return means.isEmpty ? "none but key frames" : means.joined(separator: "; ")
    }

    /// What was typed, but for where the results go: they do not change the session.
    private var commandLine: String {
        var words: [String] = []
        var rest = CommandLine.arguments.dropFirst()[...]
        while let word = rest.popFirst() {
            if word == "--json" || word == "--measured" { continue }
            if word == "--report" {
                _ = rest.popFirst()
            } else if !word.hasPrefix("--report=") {
                words.append(ShellWords.quoted(word))
            }
        }
        return "rill " + words.joined(separator: " ") + " --report call.html"
    }
}
