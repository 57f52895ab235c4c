import RillCore
import RillFuzzTargets
import RillPacketSupport
import RillRTP
import RillTestSupport
import Testing

/// Debian's tshark 4.0 reads what we wrote as we do.
@Suite(.enabled(if: Peer.tshark.isInstalled, "tshark is not installed"))
struct TSharkTests {
    @Test func `It agrees on the samples made by hand`() throws {
        try expectAgreement(on: RTCPSamples.all, .rtcp, "samples")
        // It shows nothing of feedback whose format it does not know, so those packets are left out.
        try expectAgreement(
            on: [RTCPSamples.senderReport + RTCPSamples.sourceDescription + RTCPSamples.genericNACK], .rtcp, "compound")
    }

    @Test func `It agrees on the seeds of the fuzzers`() throws {
        for (name, kind) in [("rtp", DatagramKind.rtp), ("rtcp", .rtcp)] {
            let body = try #require(FuzzTarget.all.first { $0.name == name })
            try expectAgreement(on: body.seeds().map(\.bytes), kind, name)
        }
    }

    @Test func `It agrees on any RTP packet`() throws {
        var random = SeededGenerator(seed: 70)
        // Types from 110 on: tshark takes some below for events and redundant audio, unless told otherwise.
        let packets = (0..<500).map { _ in
            let sources = (0..<Int.random(in: 0...15, using: &random)).map { _ in randomSSRC(&random) }
            let header = RTPHeader(
                marker: .random(using: &random), payloadType: PayloadType(.random(in: 110...127, using: &random)),
                sequenceNumber: SequenceNumber(.random(in: .min ... .max, using: &random)),
                timestamp: RTPTimestamp(.random(in: .min ... .max, using: &random)), ssrc: randomSSRC(&random))
            let payload = random.bytes(.random(in: 1...40, using: &random))
            let block = randomExtension(&random)
            let view = try? RTPHeaderExtension(parsing: block.span)  // without elements there is none
            let packet = RTPPacket(
                header: header, csrcs: WireList(sources.span), headerExtension: view, payload: payload.span,
                paddingByteCount: .random(in: 0...20, using: &random))
            return [UInt8](capacity: packet.byteCount) { output in packet.write(into: &output) }
        }
        try expectAgreement(on: packets, .rtp, "random RTP")
    }

    @Test func `It agrees on any reports and requests`() throws {
        var random = SeededGenerator(seed: 71)
        let compounds = (0..<300).map { _ in
            [UInt8](capacity: 8192) { output in writeCompound(into: &output, &random) }
        }
        try expectAgreement(on: compounds, .rtcp, "random RTCP")
    }

    // MARK: Random packets

    private func randomSSRC(_ random: inout SeededGenerator) -> SSRC {
        SSRC(.random(in: .min ... .max, using: &random))
    }

    /// A block of some elements, in either form; as often nothing.
    private func randomExtension(_ random: inout SeededGenerator) -> [UInt8] {
        guard Bool.random(using: &random) else { return [] }
        let isSmall = Bool.random(using: &random)
        let elements = (0..<Int.random(in: 1...5, using: &random)).map { _ in
            (
                id: UInt8.random(in: 1...(isSmall ? 14 : 255), using: &random),
                data: random.bytes(.random(in: 1...(isSmall ? 16 : 40), using: &random))
            )
        }
        var layout = HeaderExtensionLayout()
        for (id, data) in elements { layout.add(id: id, byteCount: data.count) }
        return [UInt8](capacity: layout.byteCount) { output in
            let writer = HeaderExtensionWriter(layout, into: &output)
            for (id, data) in elements { writer.append(data: data.span, id: id, into: &output) }
            writer.finish(into: &output)
        }
    }

    private func writeCompound(into output: inout OutputSpan<UInt8>, _ random: inout SeededGenerator) {
        let (sender, media) = (randomSSRC(&random), randomSSRC(&random))
        writeReport(of: sender, into: &output, &random)
        let name = Array("rill-\(Int.random(in: 0...1_000_000_000, using: &random))".utf8)
        let start = output.count
        SourceDescription.write(canonicalName: name.span, of: sender, into: &output)
        switch Int.random(in: 0...6, using: &random) {
        case 0:
            PictureLossIndication(sender: sender, media: media).write(into: &output)
        case 1:
            let entries = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                FullIntraRequest.Entry(ssrc: randomSSRC(&random), number: .random(in: .min ... .max, using: &random))
            }
            FullIntraRequest(sender: sender, entries: WireList(entries.span)).write(into: &output)
        case 2:
            let numbers = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                SequenceNumber(.random(in: .min ... .max, using: &random))
            }
            GenericNACK.write(lost: numbers.span, of: media, from: sender, into: &output)
        case 3:
            let sources = (0..<Int.random(in: 1...9, using: &random)).map { _ in randomSSRC(&random) }
            ReceiverEstimatedMaximumBitrate(
                sender: sender, bitrate: .random(in: 0...10_000_000_000, using: &random), ssrcs: WireList(sources.span)
            ).write(into: &output)
        case 4:
            writeFeedback(from: sender, of: media, into: &output, &random)
        case 5:
            // tshark 4.0 takes the padding of reports and feedback for more of what they say; of SDES it does not.
            RTCPPacket.pad(packetAt: start, by: 4 * .random(in: 1...20, using: &random), in: &output)
        default:
            let delays = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                ReceiverDelay(
                    ssrc: randomSSRC(&random),
                    lastReceiverReport: NTPShort(rawValue: .random(in: 1 ... .max, using: &random)),
                    delaySinceLastReceiverReport: NTPShort(rawValue: .random(in: .min ... .max, using: &random)))
            }
            let writer = ExtendedReportWriter(ssrc: sender, into: &output)
            writer.append(.delaySinceLastReceiverReport(WireList(delays.span)), into: &output)
            writer.finish(into: &output)
        }
    }

    private func writeReport(
        of sender: SSRC, into output: inout OutputSpan<UInt8>, _ random: inout SeededGenerator
    ) {
        let blocks = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            ReportBlock(
                ssrc: randomSSRC(&random), fractionLost: .random(in: .min ... .max, using: &random),
                cumulativeLost: .random(in: -0x80_0000...0x7F_FFFF, using: &random),
                extendedHighestSequenceNumber: .random(in: .min ... .max, using: &random),
                jitter: .random(in: .min ... .max, using: &random),
                lastSenderReport: NTPShort(rawValue: .random(in: 1 ... .max, using: &random)),
                delaySinceLastSenderReport: NTPShort(rawValue: .random(in: .min ... .max, using: &random)))
        }
        if Bool.random(using: &random) {
            SenderReport(
                ssrc: sender, ntpTimestamp: NTPTimestamp(rawValue: random.next()), rtpTimestamp: RTPTimestamp(.max),
                packetCount: .random(in: .min ... .max, using: &random),
                octetCount: .random(in: .min ... .max, using: &random), blocks: WireList(blocks.span),
                profileExtension: Span()
            ).write(into: &output)
        } else {
            ReceiverReport(ssrc: sender, blocks: WireList(blocks.span)).write(into: &output)
        }
    }

    private func writeFeedback(
        from sender: SSRC, of media: SSRC, into output: inout OutputSpan<UInt8>, _ random: inout SeededGenerator
    ) {
        let statuses = (0..<Int.random(in: 1...100, using: &random)).map { _ -> TransportFeedback.PacketStatus in
            switch random.next() % 8 {
            case 0: .notReceived
            case 1: .received(delta: .random(in: .min ... .max, using: &random))
            default: .received(delta: .random(in: 0...255, using: &random))
            }
        }
        TransportFeedback(
            sender: sender, media: media,
            baseSequenceNumber: SequenceNumber(.random(in: .min ... .max, using: &random)),
            referenceTime: .random(in: -0x80_0000...0x7F_FFFF, using: &random), feedbackCount: 7,
            packets: statuses.span
        ).write(into: &output)
    }
}
