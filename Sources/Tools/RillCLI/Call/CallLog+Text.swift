import Rill
import RillCore

extension CallLog {
    /// The parts of a status line: `12 s  sent 845 kbit/s 30+5 fps  received 850 kbit/s 30+5 fps  lost 0.4 %  rtt 12 ms
    /// delay 63 ms`.
    func parts(of sample: Sample) -> [String] {
        func number(_ value: Double?, _ unit: String, decimals: Int = 0) -> String {
            value.map { "\(Decimal.text($0, decimals: decimals)) \(unit)" } ?? "–"
        }
        func rates(_ values: [Double]) -> String { values.map { Decimal.text($0, decimals: 0) }.joined(separator: "+") }
        let sent = "sent \(number(sample.sent, "kbit/s")) \(rates(sample.framesEncoded)) fps"
        let received = "received \(number(sample.received, "kbit/s")) \(rates(sample.framesShown)) fps"
        let lost = "lost \(number(way == .sending ? sample.lostThere : sample.lost, "%", decimals: 1))"
        let (trip, delay) = ("rtt \(number(sample.roundTripTime, "ms"))", "delay \(number(sample.playoutDelay, "ms"))")
        let words =
            switch way {
            case .both: [sent, received, lost, trip, delay]
            case .sending: [sent, lost, "retransmitted \(sample.retransmitted)", trip]
            case .receiving: [received, lost, trip, delay]
            }
        return ["\(Decimal.text(sample.time, decimals: 0)) s"] + words
    }

    /// The whole call as a table on standard output.
    var text: String { text(on: .standardOutput) }

    /// The whole call as a table for a terminal.
    func text(on terminal: Terminal) -> String {
        guard let last, let them = last.participants.first else { return "the call ended before it started" }
        let figures = figures
        var table = TextTable(["stream"] + figures.map(\.name))
        for (index, name) in titles.enumerated() { table.add([name] + figures.map { $0.values[index] }) }
        var lines = [table.text(on: terminal)]
        if let refused = them.unprotected?.refused, refused > 0 {
            lines.append("failed authentication: \(refused) datagrams")
        }
        return lines.joined(separator: "\n")
    }

    /// The final figures of each stream, by name.
    var figures: [(name: String, values: [String])] {
        let them = last?.participants.first
        let rows = layers.enumerated().map { index, name in
            let sending = them?.session.sending ?? []
            return Row(
                encoder: last?.layers.first { $0.rid.description == name }?.encoder,
                sent: index < sending.count ? sending[index].stream : nil,
                received: them?.shown.first { $0.rid.description == name }?.received)
        }
        return columns.map { column in (column.title, rows.map(column.value)) }
    }

    /// The statistics of a stream.
    private struct Row {
        var encoder: EncoderStatistics?
        var sent: RTPStreamStatistics?
        var received: ReceiveStatistics?
    }

    private typealias Column = (title: String, value: (Row) -> String)

    private var columns: [Column] {
        let sent: [Column] = [
            ("sent", { "\($0.encoder?.framesEncoded ?? 0)" }),
            ("key frames", { "\($0.encoder?.keyFramesEncoded ?? 0)" }),
        ]
        let received: [Column] = [
            ("shown", { "\($0.received?.framesShown ?? 0)" }),
            ("freezes", { "\($0.received?.freezes.freezeCount ?? 0)" }),
            ("lost", { "\($0.received?.stream.packetsLost ?? 0)" }),
        ]
        let requests: [Column] = [
            ("NACK", { "\($0.received?.stream.nackCount ?? 0)" }), ("PLI", { "\($0.received?.stream.pliCount ?? 0)" }),
        ]
        // Not all that came on the retransmission stream: most of that may be probes of the network.
        func restored(_ row: Row) -> Int { row.received?.stream.packetsRetransmitted ?? 0 }
        func recovered(_ row: Row) -> Int { row.received?.repair.packetsRecovered ?? 0 }
        switch way {
        case .both:
            return sent + received + [("repaired", { "\(restored($0) + recovered($0))" })] + requests
        case .sending:
            return sent + [
                ("packets", { "\($0.sent?.packetsSent ?? 0)" }),
                ("retransmitted", { "\($0.sent?.retransmittedPacketsSent ?? 0)" }),
                ("FEC", { "\($0.sent?.fecPacketsSent ?? 0)" }),
                ("lost, reported", { $0.sent?.packetsLost.map { "\($0)" } ?? "–" }),
                ("NACK", { "\($0.sent?.nackCount ?? 0)" }), ("PLI", { "\($0.sent?.pliCount ?? 0)" }),
            ]
        case .receiving:
            return [("decoded", { "\($0.received?.decoder.framesDecoded ?? 0)" })] + received + [
                ("by RTX", { "\(restored($0))" }), ("by FEC", { "\(recovered($0))" }),
            ] + requests
        }
    }
}
