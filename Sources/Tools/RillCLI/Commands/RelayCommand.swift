import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillLab
import RillLink

/// `rill relay`: the emulated link between any two programs that speak UDP.
struct RelayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Put an emulated network between two programs that speak UDP.",
        usage: "rill relay --listen <port> --to <host:port> [<options>]",
        discussion: """
            Datagrams that arrive on the port go over the network to the address. Datagrams from the address go back \
            to the sender that was heard last. This is netem without root: real time, any program, and the seed \
            determines the outcome of each datagram. The network is given as for `rill loopback --network`, whose help \
            lists the settings; its times (rate steps, blackouts, traces) count from the first datagram. The return \
            path has the same settings and its own random numbers, unless --return-network is given.

            For several pairs, repeat --listen and --to; they are paired by position. --network and --return-network \
            are then given once for all pairs or once for each. Each pair and direction has its own seed, derived from \
            the network's; --json and the page show it. All senders of a pair share its link. With --shared-queue all \
            pairs share one bottleneck (rate, queue, cross traffic, CUBIC flows), as calls behind one access link do; \
            each keeps its own delay, loss and order.

            With --nat each sender has its own socket towards the address, as behind a NAT, and receives the datagrams \
            that arrive there. A pair holds up to 256 senders, and forgets each after 2 minutes without a datagram.

            A port without an address is on 127.0.0.1 (or ::1), which only this machine reaches. --listen 0.0.0.0:5004 \
            lets anybody send to the address through this machine, as an open reflector: use it only in networks \
            without strangers.

            --log writes a line for each datagram: pair, direction, number on the link, bytes, arrival time, outcome, \
            scheduled departure and actual departure, in seconds since the first datagram, and its wait in the \
            bottleneck's queue. --report writes a page of \
            plots. Ctrl-C ends the relay; datagrams in flight are lost.

            Examples:
              rill relay --listen 5004 --to 127.0.0.1:5006 --network loss=2%,delay=40ms
              rill relay --listen 5004 --to 192.0.2.7:5004 --network rate=2M --log a.csv
              rill relay --listen 5004 --to 127.0.0.1:5006 --listen 5014 \\
                --to 127.0.0.1:5016 --shared-queue forward --network rate=3M,delay=50ms
              rill relay --listen 0.0.0.0:3478 --to 127.0.0.1:3479 --nat
            """)

    @Option(help: "The port that senders send to, or ADDRESS:PORT; 0 for any port. May be repeated.")
    var listen: [String] = []

    @Option(help: "The address to forward to, as HOST:PORT or [V6]:PORT. Once for each --listen.")
    var to: [String] = []

    @Option(
        help: "The network to the address; see `rill loopback --help` (default: a perfect one).", completion: .network,
        transform: networkNotation
    )
    var network: [LinkSettings] = []

    @Option(
        help: "The network of the return path, in the same notation (default: as --network).",
        completion: .network, transform: networkNotation)
    var returnNetwork: [LinkSettings] = []

    @Option(help: "Let all pairs share one bottleneck with its queue, in this direction: forward, return or both.")
    var sharedQueue: SharedQueue?

    @Flag(help: "Give each sender its own socket towards the address.")
    var nat = false

    @Option(help: "How long to run (default: until Ctrl-C).", transform: durationNotation)
    var duration: MediaDuration?

    @Option(help: "Write a line for each datagram, as .csv.", completion: .named(["csv"]))
    var log: String?

    @OptionGroup
    var reporting: ReportOptions

    private var pairs: RelayPairs {
        RelayPairs(
            listen: listen, to: to, networks: network, returnNetworks: returnNetwork, sharedQueue: sharedQueue)
    }

    func run() throws {
        let interruption = Interruption()
        var settings = try pairs.settings()
        settings.usesNAT = nat
        let files = OutputFiles()
        let log = try log.map { try RelayLog(path: files.part(of: $0), name: $0) }
        let relay = try LiveRelay(settings, log: log)
        say(relay.settings)
        var monitor = RelayMonitor()
        monitor.follow(relay, limit: duration) { interruption.isRequested }
        relay.stop()
        let result = relay.report
        // If one file cannot be written, the others still are.
        var failure: (any Error)?
        func trying(_ body: () throws -> Void) { do { try body() } catch { failure = failure ?? error } }
        trying { try log?.finish() }
        if failure == nil { trying { try files.commit() } }
        let summary = RelaySummary(result, logLinesDropped: log?.dropped)
        if let report = reporting.report {
            trying { try RelayPage(result, summary, facts: facts(relay.settings)).write(to: report) }
        }
        if reporting.json { try JSONOutput.print(summary) } else { try StandardOutput.print(summary.text) }
        if let failure { throw failure }
        if let failure = relay.failure { throw CommandError("\(failure)") }
        if summary.isEmpty { throw CommandError("no datagram arrived", .partialResult) }
    }

    func validate() throws {
        try pairs.validate()
        try requirePositive("--duration", duration)
        if let log, !log.hasSuffix(".csv") { throw ValidationError("\(log): the name of a log must end in .csv") }
        try requirePage(reporting.report)
        try requireDistinct(input: nil, outputs: [log, reporting.report])
    }

    private func say(_ settings: RelaySettings) {
        for pair in settings.pairs {
            StandardError.print("listening on \(pair.listen) for \(pair.to)")
            StandardError.print("  forward \(pair.network)")
            StandardError.print("  return  \(pair.returnNetwork)")
            if !pair.listen.ip.isLoopback {
                StandardError.print("  anybody who reaches \(pair.listen) can send to \(pair.to) through this machine")
            }
        }
    }

    private func facts(_ settings: RelaySettings) -> [[String]] {
        var facts: [[String]] = []
        for (index, pair) in settings.pairs.enumerated() {
            let name = settings.pairs.count == 1 ? "" : " of pair \(index + 1)"
            facts += [
                ["listening\(name)", "\(pair.listen)"], ["address\(name)", "\(pair.to)"],
                ["network\(name)", pair.network.description],
                ["return network\(name)", pair.returnNetwork.description],
            ]
        }
        facts.append(
            ["senders", nat ? "each with its own socket (NAT)" : "return datagrams go to the last sender heard"])
        if let sharedQueue { facts.append(["shared queue", sharedQueue.rawValue]) }
        return facts + [["made by", Version.text]]
    }
}
