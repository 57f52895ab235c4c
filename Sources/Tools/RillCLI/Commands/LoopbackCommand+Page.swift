import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillLab
import RillLink

extension LoopbackCommand {
    /// Writes the page, if `--report` names one.
    func writePage(_ result: LoopbackReport, of loopback: Loopback) throws {
        guard let report else { return }
        try LoopbackPage(result, of: loopback, facts: facts(loopback)).write(to: report)
    }

    private func facts(_ loopback: Loopback) -> [[String]] {
        let settings = loopback.settings
        return [
            ["source", clip ?? "the portrait scene"], ["network", settings.network.description],
            ["return network", settings.returnNetwork?.description ?? "the same, with its own random numbers"],
            ["mode", live ? "live: real threads in real time" : "virtual time: the same seed gives the same page"],
        ]
            + settings.layers.map { ["\($0.rid) layer", $0.summary] } + [
                ["playout delay", playout(settings.playoutDelay)], ["repair", repair(settings)],
                ["made by", Version.text], ["command", commandLine],
            ]
    }

    private func playout(_ bounds: PlayoutDelayBounds) -> String {
        if bounds == .adaptive { return "adaptive: as low as the network allows" }
        if bounds.minimum == bounds.maximum { return "fixed, \(bounds.minimum.notation) above the smallest delay" }
        return "adaptive, \(bounds.minimum.notation) to \(bounds.maximum.notation) above the smallest delay"
    }

    private func repair(_ settings: LoopbackSettings) -> String {
        let stream = settings.usesRetransmissionStream ? "on a separate stream (RTX)" : "on the original stream"
        let requests = settings.usesNACK ? "missing packets are NACKed and retransmitted \(stream)" : nil
        let fecPackets = protection.isOn ? "\(protection.fec) FEC packets (ULPFEC)" : nil
        let means = [requests, fecPackets].compactMap(\.self)
        return means.isEmpty ? "key frames only" : means.joined(separator: "; ")
    }

    /// The command line as typed, without the options for results, which do not change the session.
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
