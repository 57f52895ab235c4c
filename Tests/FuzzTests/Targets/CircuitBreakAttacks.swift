import RillCore
import RillPeer
import RillRTP
import RillSession
import RillTestSupport

/// What an attacker reports so that a circuit breaker of the connection opens (RFC 8083), or must not report.
enum CircuitBreakAttack: String, CaseIterable {
    case silence, nothingArrives, overload, overloadWithoutPacer, mostIsLost

    func run(_ report: AttackReport) throws {
        report.watchdog.begin("directed \(rawValue)", 0, [])
        defer { report.watchdog.rest() }
        let attack = try PeerAttack(seed: 1, report) { options in
            (options.isOnPort, options.isLite) = (false, false)
            options.change = { settings in
                // Whoever gives no feedback of the path gets a fixed bitrate.
                settings.negotiation.feedback.remove(.transportWideCongestionControl)
                if self == .overloadWithoutPacer { settings.congestion = nil }
            }
        }
        try attack.connect()
        attack.attacker.sendsMedia = false
        var reports = FalseReports(self)
        for _ in 0..<45 {
            attack.run(.seconds(1))
            let packet = reports.next(attack.attacker.seen)
            if self != .silence { attack.send(packets: [packet]) }
        }
        // True reports again.
        attack.attacker.sendsMedia = true
        attack.run(.seconds(8))
        if let session = attack.victim.peer.session { report.note(session, streamLimit: 4) }
        attack.victim.noteCounters()
    }
}

/// Receiver reports, one a second, on all that was seen of the other side.
struct FalseReports {
    private let kind: CircuitBreakAttack
    private var streams: [UInt32: (highest: UInt32, lost: UInt32)] = [:]
    /// The times of the sender reports that were seen.
    private var times: [UInt32] = []

    init(_ kind: CircuitBreakAttack) { self.kind = kind }

    /// The lost packets of a hundred.
    private var loss: UInt32 {
        switch kind {
        case .silence, .nothingArrives: 0
        case .overload, .overloadWithoutPacer: 90
        case .mostIsLost: 70
        }
    }

    mutating func next(_ seen: SeenSources) -> [UInt8] {
        times.append(seen.reportTime)
        // An old sender report makes a long round trip; none, an unknown one.
        let isSlow = kind == .overload || kind == .overloadWithoutPacer
        let time = isSlow ? times.suffix(5).first ?? 0 : 0
        var body: [UInt8] = []
        for (ssrc, newest) in seen.numbers {
            var (highest, lost) = streams[ssrc] ?? (UInt32(newest), 0)
            let count = UInt32(newest &- UInt16(truncatingIfNeeded: highest))
            if kind != .nothingArrives { highest &+= count }
            lost += count * loss / 100
            streams[ssrc] = (highest, lost)
            for word in [ssrc, loss * 255 / 100 << 24 | lost, highest, 0, time, 0] { body.append(bigEndian: word) }
        }
        var packet: [UInt8] = [0x80 | UInt8(seen.numbers.count), 201]
        packet.append(bigEndian: UInt16(1 + body.count / 4))
        packet.append(bigEndian: 9 as UInt32)
        return packet + body
    }
}
