import RillCore
import RillFiles
import RillRTP
import RillTestSupport
import Testing

/// Which protocol a datagram is.
enum DatagramKind {
    case rtp, rtcp
}

/// Compares our reading of datagrams with tshark's, field by field, and expects it to find none of them malformed.
func expectAgreement(
    on datagrams: [[UInt8]], _ kind: DatagramKind, _ comment: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let names = kind == .rtp ? WiresharkFields.rtpNames : WiresharkFields.rtcpNames
    let faults = ["_ws.malformed", "_ws.expert.message"]
    let lines = try tshark(datagrams, names + faults)
    #expect(lines.count == datagrams.count, "\(comment)", sourceLocation: sourceLocation)
    for (index, (theirs, bytes)) in zip(lines, datagrams).enumerated() {
        let ours = try kind == .rtp ? WiresharkFields(rtp: bytes) : WiresharkFields(rtcp: bytes)
        for name in Set(names).union(ours.keys) {
            #expect(
                theirs[name] ?? [] == ours[name] ?? [], "\(comment), datagram \(index), \(name): \(bytes)",
                sourceLocation: sourceLocation)
        }
        for name in faults {
            #expect(
                theirs[name] == nil, "\(comment), datagram \(index): \(bytes)", sourceLocation: sourceLocation)
        }
    }
}

/// What tshark reads in each datagram. The `rules` say what it is to take packets for, besides RTP and RTCP.
func tshark(_ datagrams: [[UInt8]], _ names: [String], _ rules: String...) throws -> [WiresharkFields] {
    let folder = TemporaryFolder()
    let path = folder.path("datagrams.pcap")
    let capture = try CaptureWriter(path: path)
    let sender = UDPAddress(.loopback, port: 40000)
    // Port 5004 is RTP's and 5005 is RTCP's by their own word (RFC 3551 §8); here tshark is told so.
    for (index, datagram) in datagrams.enumerated() {
        let receiver = UDPAddress(.loopback, port: PacketKind(of: datagram.span) == .rtcp ? 5005 : 5004)
        try capture.write(datagram.span, from: sender, to: receiver, at: .zero + .milliseconds(index))
    }
    try capture.finish()
    let output = try Peer.tshark.run(
        ["-n", "-r", path, "-d", "udp.port==5004,rtp", "-d", "udp.port==5005,rtcp", "-T", "fields"]
            + rules.flatMap { ["-d", $0] } + ["-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=|"]
            + names.flatMap { ["-e", $0] })
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
    return lines.map { line in
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
        var fields = WiresharkFields()
        for (name, column) in zip(names, columns) where !column.isEmpty {
            fields[name] = column.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        }
        return fields
    }
}
