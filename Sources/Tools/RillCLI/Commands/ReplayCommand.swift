import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillLab

/// `rill replay`: sends the packets of a capture.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Send the RTP and RTCP packets of a capture over UDP, with the original timing.",
        usage: "rill replay <file> --to <host:port> [<options>]",
        discussion: """
            Reads pcap, pcapng and rtpdump. The packets are sent unchanged; other packets than RTP and RTCP, and \
            truncated packets, are left out. The report shows what was sent, and how late.

            Examples:
              rill replay call.pcap --to 127.0.0.1:5004
              rill replay call.rtpdump --to [::1]:5004 --speed 2 --loop 3 --rtp-only
            """)

    @Argument(help: "The capture.", completion: .files(.pcap, .pcapng, .rtpDump))
    var file: String

    @Option(help: "The destination, as HOST:PORT or [V6]:PORT.", transform: addressNotation)
    var to: UDPAddress

    @Option(help: "Playback speed, 0.01 to 1000 times the original.")
    var speed = 1.0

    @Option(help: "How many times to send it.")
    var loop = 1

    @Option(help: "Send only packets of this source. May be repeated.", transform: ssrcNotation)
    var ssrc: [SSRC] = []

    @Flag(help: "Leave RTCP out.")
    var rtpOnly = false

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    func run() throws {
        var settings = Replay.Settings()
        settings.speed = speed
        settings.rounds = loop
        settings.ssrcs = Set(ssrc)
        settings.includesRTCP = !rtpOnly
        let socket = try ConnectedUDPSocket(to: to)
        let bar = ProgressBar("replay", total: nil, unit: "packets")
        let report = try readingInput { try Replay(of: file, settings: settings).run(to: socket) { bar.update($0) } }
        bar.finish()
        if json { try JSONOutput.print(report) } else { try StandardOutput.print(report.text(to)) }
        if let damage = report.damage { StandardError.print("damaged: \(damage)") }
        if let failure = report.failure { StandardError.print("not everything was sent: \(failure)") }
        if report.failure != nil { throw ExitCode.failure }
        if report.damage != nil { throw ExitCode.partialResult }
    }

    func validate() throws {
        guard ReplayPacer.speedRange.contains(speed) else {
            throw ValidationError("--speed: \(speed) is outside 0.01 to 1000")
        }
        guard loop >= 1 else { throw ValidationError("--loop must be at least 1") }
        if file == "-", loop > 1 { throw ValidationError("standard input can be read only once: --loop needs a file") }
    }
}

extension Replay.Report {
    /// The report as a text table.
    fileprivate func text(_ address: UDPAddress) -> String {
        var table = TextTable(["sent to \(address)", ""])
        table.add(["packets", "\(sent)"])
        table.add(["bytes", "\(sentBytes)"])
        table.add(["duration, s", Decimal.text(duration, decimals: 3)])
        table.add(["mean lateness, ms", Decimal.text(meanLateness, decimals: 3)])
        table.add(["largest lateness, ms", Decimal.text(maximumLateness, decimals: 3)])
        func row(_ title: String, _ count: Int) {
            if count > 0 { table.add([title, "\(count)"]) }
        }
        row("refused by the other side", refused)
        row("not sent: refused by the system", failed)
        row("left out: not selected", unwanted)
        row("left out: truncated in the capture", cut)
        row("left out: neither RTP nor RTCP", otherDatagrams)
        return table.text
    }
}
