import Foundation
import RillRTP

/// The values that a datagram has in each of Wireshark's fields, in the order of their bytes and in its notation.
typealias WiresharkFields = [String: [String]]

extension WiresharkFields {
    /// The fields that are compared; what tshark says in them must be what we read, no more and no less.
    static let rtpNames = [
        "rtp.version", "rtp.padding", "rtp.ext", "rtp.cc", "rtp.marker", "rtp.p_type", "rtp.seq", "rtp.timestamp",
        "rtp.ssrc", "rtp.csrc.item", "rtp.ext.profile", "rtp.ext.len", "rtp.ext.rfc5285.id", "rtp.ext.rfc5285.len",
        "rtp.ext.rfc5285.data", "rtp.payload", "rtp.padding.count",
    ]
    static let rtcpNames = [
        "rtcp.version", "rtcp.padding", "rtcp.rc", "rtcp.sc", "rtcp.pt", "rtcp.length", "rtcp.senderssrc",
        "rtcp.mediassrc", "rtcp.rtpfb.fmt", "rtcp.psfb.fmt", "rtcp.padding.count", "rtcp.timestamp.ntp.msw",
        "rtcp.timestamp.ntp.lsw", "rtcp.timestamp.rtp", "rtcp.sender.packetcount", "rtcp.sender.octetcount",
        "rtcp.ssrc.identifier", "rtcp.ssrc.fraction", "rtcp.ssrc.cum_nr", "rtcp.ssrc.ext_high", "rtcp.ssrc.jitter",
        "rtcp.ssrc.lsr", "rtcp.ssrc.dlsr", "rtcp.sdes.type", "rtcp.sdes.length", "rtcp.sdes.text",
        "rtcp.sdes.prefix.length", "rtcp.sdes.prefix.string", "rtcp.app.subtype", "rtcp.app.name", "rtcp.app.data",
        "rtcp.rtpfb.nack_pid", "rtcp.rtpfb.nack_blp", "rtcp.psfb.fir.fci.ssrc", "rtcp.psfb.fir.fci.csn",
        "rtcp.psfb.remb.identifier", "rtcp.psfb.remb.fci.number_ssrcs", "rtcp.psfb.remb.fci.br_exp",
        "rtcp.psfb.remb.fci.br_mantissa", "rtcp.psfb.remb.fci.ssrc", "rtcp.rtpfb.transportcc.baseseq",
        "rtcp.rtpfb.transportcc.statuscount", "rtcp.rtpfb.transportcc.reftime", "rtcp.rtpfb.transportcc.pktcount",
        "rtcp.rtpfb.transportcc.recv_delta", "rtcp.xr.bt", "rtcp.xr.bl", "rtcp.xr.timestamp", "rtcp.xr.lrr",
        "rtcp.xr.dlrr",
    ]

    mutating func add(_ name: String, _ value: some CustomStringConvertible) {
        self["\(name)", default: []].append("\(value)")
    }

    // MARK: RTP

    /// What we read in an RTP packet.
    init(rtp bytes: [UInt8]) throws {
        self = [:]
        let packet = try RTPPacket(parsing: bytes.span)
        let header = packet.header
        add("rtp.version", 2)
        add("rtp.padding", packet.paddingByteCount > 0 ? 1 : 0)
        add("rtp.ext", packet.headerExtension != nil ? 1 : 0)
        add("rtp.cc", packet.csrcs.count)
        add("rtp.marker", header.marker ? 1 : 0)
        add("rtp.p_type", header.payloadType)
        add("rtp.seq", header.sequenceNumber)
        add("rtp.timestamp", header.timestamp)
        add("rtp.ssrc", header.ssrc)
        for source in packet.csrcs.array { add("rtp.csrc.item", source) }
        if let block = packet.headerExtension {
            add("rtp.ext.profile", hexadecimal(block.profile))
            add("rtp.ext.len", block.data.count / 4)
            var elements = block.elements
            while let element = try elements.next() {
                add("rtp.ext.rfc5285.id", element.id)
                add("rtp.ext.rfc5285.len", element.data.count)
                if !element.data.isEmpty { add("rtp.ext.rfc5285.data", hexadecimal(element.data.array)) }
            }
        }
        if !packet.payload.isEmpty { add("rtp.payload", hexadecimal(packet.payload.array)) }
        if packet.paddingByteCount > 0 { add("rtp.padding.count", packet.paddingByteCount) }
    }

    // MARK: RTCP

    /// What we read in an RTCP compound.
    init(rtcp bytes: [UInt8]) throws {
        self = [:]
        var compound = RTCPCompound(bytes.span)
        while let packet = try compound.next() {
            add("rtcp.version", 2)
            add("rtcp.padding", packet.paddingByteCount > 0 ? 1 : 0)
            add("rtcp.pt", packet.type.rawValue)
            add("rtcp.length", packet.byteCount / 4 - 1)
            try add(packet)
            if packet.paddingByteCount > 0 { add("rtcp.padding.count", packet.paddingByteCount) }
        }
    }

    private mutating func add(_ packet: RTCPPacket) throws {
        switch try RTCPMessage(parsing: packet) {
        case .senderReport(let report):
            add("rtcp.rc", report.blocks.count)
            add("rtcp.senderssrc", report.ssrc)
            add("rtcp.timestamp.ntp.msw", report.ntpTimestamp.seconds)
            add("rtcp.timestamp.ntp.lsw", report.ntpTimestamp.fraction)
            add("rtcp.timestamp.rtp", report.rtpTimestamp)
            add("rtcp.sender.packetcount", report.packetCount)
            add("rtcp.sender.octetcount", report.octetCount)
            for block in report.blocks.array { add(block) }
        case .receiverReport(let report):
            add("rtcp.rc", report.blocks.count)
            add("rtcp.senderssrc", report.ssrc)
            for block in report.blocks.array { add(block) }
        case .sourceDescription(let description):
            add("rtcp.sc", packet.count)
            try add(description)
        case .goodbye(let goodbye):
            add("rtcp.sc", goodbye.sources.count)
            for source in goodbye.sources.array { add("rtcp.ssrc.identifier", source) }
            if let reason = goodbye.reason {
                add("rtcp.sdes.length", reason.count)
                add("rtcp.sdes.text", String(decoding: reason.array, as: UTF8.self))
            }
        case .application(let packet):
            add("rtcp.app.subtype", packet.subtype)
            add("rtcp.ssrc.identifier", packet.ssrc)
            let name = (0..<4).map { UInt8(truncatingIfNeeded: packet.name >> (24 - 8 * UInt32($0))) }
            add("rtcp.app.name", String(decoding: name, as: UTF8.self))
            add("rtcp.app.data", hexadecimal(packet.data.array))
        case .genericNACK(let nack):
            addFeedback("rtcp.rtpfb.fmt", 1, nack.sender, nack.media)
            for entry in nack.entries.array { add(entry) }
        case .transportFeedback(let feedback):
            addFeedback("rtcp.rtpfb.fmt", 15, feedback.sender, feedback.media)
            add(feedback)
        case .congestionControlFeedback(let feedback):
            // tshark 4.0 does not know it: it takes the first stream for the media source, and shows the rest as bytes.
            var reports = feedback.reports
            let first = reports.next()?.ssrc ?? SSRC(feedback.timestamp.rawValue)
            addFeedback("rtcp.rtpfb.fmt", 11, feedback.sender, first)
        case .pauseResume(let message):
            // Of what follows Wireshark shows the bytes alone.
            addFeedback("rtcp.rtpfb.fmt", 9, message.sender, SSRC(0))
        case .pictureLossIndication(let request):
            addFeedback("rtcp.psfb.fmt", 1, request.sender, request.media)
        case .fullIntraRequest(let request):
            addFeedback("rtcp.psfb.fmt", 4, request.sender, SSRC(0))
            for entry in request.entries.array {
                add("rtcp.psfb.fir.fci.ssrc", entry.ssrc)
                add("rtcp.psfb.fir.fci.csn", entry.number)
            }
        case .receiverEstimatedMaximumBitrate(let estimate):
            addFeedback("rtcp.psfb.fmt", 15, estimate.sender, SSRC(0))
            add("rtcp.psfb.remb.identifier", "REMB")
            add("rtcp.psfb.remb.fci.number_ssrcs", estimate.ssrcs.count)
            // The smallest exponent that fits, as all implementations write it.
            let exponent = Swift.max(0, 64 - estimate.bitrate.leadingZeroBitCount - 18)
            add("rtcp.psfb.remb.fci.br_exp", exponent)
            add("rtcp.psfb.remb.fci.br_mantissa", estimate.bitrate >> UInt64(exponent))
            for source in estimate.ssrcs.array { add("rtcp.psfb.remb.fci.ssrc", source) }
        case .extendedReport(let report):
            add("rtcp.senderssrc", report.ssrc)
            try add(report)
        case .unknown(let packet):
            add("unknown", packet.type.rawValue)
        }
    }

    private mutating func addFeedback(_ name: String, _ format: Int, _ sender: SSRC, _ media: SSRC) {
        add(name, format)
        add("rtcp.senderssrc", sender)
        add("rtcp.mediassrc", media)
    }

    private mutating func add(_ block: ReportBlock) {
        add("rtcp.ssrc.identifier", block.ssrc)
        add("rtcp.ssrc.fraction", block.fractionLost)
        add("rtcp.ssrc.cum_nr", block.cumulativeLost)
        add("rtcp.ssrc.ext_high", block.extendedHighestSequenceNumber)
        add("rtcp.ssrc.jitter", block.jitter)
        add("rtcp.ssrc.lsr", (block.lastSenderReport ?? .zero).rawValue)
        add("rtcp.ssrc.dlsr", block.delaySinceLastSenderReport.rawValue)
    }

    private mutating func add(_ description: SourceDescription) throws {
        var description = description
        var source: SSRC?
        while let item = try description.next() {
            if item.ssrc != source {
                // Wireshark shows the zero that ends each chunk.
                if source != nil { add("rtcp.sdes.type", 0) }
                add("rtcp.ssrc.identifier", item.ssrc)
                source = item.ssrc
            }
            add("rtcp.sdes.type", item.type.rawValue)
            add("rtcp.sdes.length", item.text.count)
            if item.type == .privateExtension {
                let parts = try item.privateExtension()
                add("rtcp.sdes.prefix.length", parts.prefix.count)
                add("rtcp.sdes.prefix.string", String(decoding: parts.prefix.array, as: UTF8.self))
                add("rtcp.sdes.text", String(decoding: parts.value.array, as: UTF8.self))
            } else {
                add("rtcp.sdes.text", String(decoding: item.text.array, as: UTF8.self))
            }
        }
        if source != nil { add("rtcp.sdes.type", 0) }
    }

    private mutating func add(_ entry: GenericNACK.Entry) {
        // Wireshark shows the packets of the mask under the same name, and does not wrap their numbers.
        add("rtcp.rtpfb.nack_pid", entry.packetID)
        add("rtcp.rtpfb.nack_blp", hexadecimal(entry.following))
        for bit in 0..<16 where entry.following >> UInt16(bit) & 1 != 0 {
            add("rtcp.rtpfb.nack_pid", Int(entry.packetID.rawValue) + bit + 1)
        }
    }

    private mutating func add(_ feedback: TransportFeedback) {
        add("rtcp.rtpfb.transportcc.baseseq", feedback.baseSequenceNumber)
        add("rtcp.rtpfb.transportcc.statuscount", feedback.count)
        add("rtcp.rtpfb.transportcc.reftime", feedback.referenceTime)
        add("rtcp.rtpfb.transportcc.pktcount", feedback.feedbackCount)
        var packets = feedback.packets
        while let packet = packets.next() {
            guard case .received(let delta) = packet.status else { continue }
            let isSmall = (0...255).contains(delta)
            add(
                "rtcp.rtpfb.transportcc.recv_delta",
                isSmall ? hexadecimal(UInt8(delta)) : hexadecimal(UInt16(bitPattern: delta)))
        }
    }

    private mutating func add(_ report: ExtendedReport) throws {
        var report = report
        while let block = try report.next() {
            add("rtcp.xr.bl", block.byteCount / 4 - 1)
            switch block {
            case .receiverReferenceTime(let time):
                add("rtcp.xr.bt", 4)
                add("rtcp.xr.timestamp", date(time))
            case .delaySinceLastReceiverReport(let delays):
                add("rtcp.xr.bt", 5)
                for delay in delays.array {
                    add("rtcp.ssrc.identifier", delay.ssrc)
                    add("rtcp.xr.lrr", (delay.lastReceiverReport ?? .zero).rawValue)
                    add("rtcp.xr.dlrr", delay.delaySinceLastReceiverReport.rawValue)
                }
            case .unknown(let block):
                add("rtcp.xr.bt", block.type)
            }
        }
    }
}

/// As many digits as the number has bits.
private func hexadecimal(_ value: some FixedWidthInteger) -> String {
    let digits = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: value.bitWidth / 4 - digits.count) + digits
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String(hexadecimal($0).dropFirst(2)) }.joined()
}

/// `Nov 10, 1995 11:33:25.125000000 UTC`.
private func date(_ time: NTPTimestamp) -> String {
    let nanoseconds = time.nanoseconds(since: .unixEpoch)
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "MMM d, yyyy HH:mm:ss"
    let second = Date(timeIntervalSince1970: Double(nanoseconds / 1_000_000_000))
    let fraction = String(nanoseconds % 1_000_000_000 + 1_000_000_000).dropFirst()
    return "\(formatter.string(from: second)).\(fraction) UTC"
}
