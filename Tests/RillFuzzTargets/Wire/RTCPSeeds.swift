import RillRTP

/// One packet of each type, and a compound of several.
func rtcpSeeds() -> [FuzzTarget.Seed] {
    let (sender, media) = (SSRC(0xBEEF), SSRC(0xCAFE))
    let blocks = [
        ReportBlock(
            ssrc: media, fractionLost: 64, cumulativeLost: -2, extendedHighestSequenceNumber: 131_071, jitter: 42,
            lastSenderReport: NTPShort(rawValue: 0xB705_2000), delaySinceLastSenderReport: NTPShort(rawValue: 0x5_4000))
    ]
    let text = Array("a@b".utf8)
    // As profile extension this is one of an unknown type, of four bytes in all, to Wireshark.
    let words: [UInt8] = [0x7F, 1, 0, 4]
    let time = NTPTimestamp(seconds: 0xB44D_B705, fraction: 0x2000_0000)
    return [
        FuzzTarget.Seed("compound") { output in
            SenderReport(
                ssrc: sender, ntpTimestamp: time, rtpTimestamp: RTPTimestamp(0x1234_5678), packetCount: 1000,
                octetCount: 1_000_000, blocks: WireList(blocks.span)
            ).write(into: &output)
            PictureLossIndication(sender: sender, media: media).write(into: &output)
            let start = output.count
            SourceDescription.write(canonicalName: text.span, of: sender, into: &output)
            RTCPPacket.pad(packetAt: start, by: 8, in: &output)
        },
        FuzzTarget.Seed("receiver-report") { output in
            ReceiverReport(ssrc: sender, blocks: WireList(blocks.span), profileExtension: words.span)
                .write(into: &output)
        },
        FuzzTarget.Seed("source-description") { output in
            var writer = SourceDescriptionWriter(into: &output)
            writer.beginChunk(of: sender, into: &output)
            writer.append(.canonicalName, text.span, into: &output)
            writer.append(.tool, text.span, into: &output)
            writer.beginChunk(of: media, into: &output)
            writer.append(SourceDescription.PrivateExtension(prefix: text.span, value: text.span), into: &output)
            writer.finish(into: &output)
        },
        FuzzTarget.Seed("goodbye") { output in
            let sources = [sender, media]
            Goodbye(sources: WireList(sources.span), reason: text.span).write(into: &output)
        },
        FuzzTarget.Seed("application") { output in
            ApplicationPacket(subtype: 3, ssrc: sender, name: 0x7269_6C6C, data: words.span).write(into: &output)
        },
        FuzzTarget.Seed("generic-nack") { output in
            let lost = ([65534, 65535, 0, 14, 100] as [UInt16]).map(SequenceNumber.init(rawValue:))
            GenericNACK.write(lost: lost.span, of: media, from: sender, into: &output)
        },
        FuzzTarget.Seed("pause-resume") { output in
            let entries = [
                PauseResume.Entry(target: media, kind: .paused(last: 131_070), pauseID: 7),
                PauseResume.Entry(target: sender, kind: .pause, pauseID: 65535),
                PauseResume.Entry(target: media, kind: .resume, pauseID: 7),
                PauseResume.Entry(target: media, kind: .refused(parameter: 9), pauseID: 8),
            ]
            PauseResume(sender: sender, entries: entries.span).write(into: &output)
        },
        FuzzTarget.Seed("full-intra-request") { output in
            let entries = [FullIntraRequest.Entry(ssrc: media, number: 255)]
            FullIntraRequest(sender: sender, entries: WireList(entries.span)).write(into: &output)
        },
        FuzzTarget.Seed("estimate") { output in
            let streams = [media]
            ReceiverEstimatedMaximumBitrate(sender: sender, bitrate: 1_500_000, ssrcs: WireList(streams.span))
                .write(into: &output)
        },
        FuzzTarget.Seed("transport-feedback") { output in
            // A run, a vector of one-bit and one of two-bit symbols.
            let statuses =
                [TransportFeedback.PacketStatus](repeating: .notReceived, count: 20)
                + (0..<14).map { $0 % 3 == 0 ? .notReceived : .received(delta: Int16($0)) }
                + (0..<7).map { $0 % 2 == 0 ? .received(delta: Int16(-$0 - 1)) : .received(delta: 255) }
            TransportFeedback(
                sender: sender, media: media, baseSequenceNumber: SequenceNumber(65530), referenceTime: -1,
                feedbackCount: 255, packets: statuses.span
            ).write(into: &output)
        },
        FuzzTarget.Seed("congestion-control-feedback") { output in
            // Three packets of one stream, with each special offset, and one of another.
            typealias Offset = CongestionControlFeedback.ArrivalTimeOffset
            var writer = CongestionControlFeedbackWriter(sender: sender, into: &output)
            writer.beginReport(on: media, from: SequenceNumber(65535), into: &output)
            writer.append(.received(Offset(nanoseconds: 500_000_000), .congestionExperienced), into: &output)
            writer.append(.notReceived, into: &output)
            writer.append(.received(.overRange, .capable1), into: &output)
            writer.beginReport(on: sender, from: SequenceNumber(7), into: &output)
            writer.append(.received(.unavailable, .notCapable), into: &output)
            writer.finish(at: time.short, into: &output)
        },
        FuzzTarget.Seed("extended-report") { output in
            let delays = [ReceiverDelay(ssrc: media, lastReceiverReport: time.short)]
            let writer = ExtendedReportWriter(ssrc: sender, into: &output)
            writer.append(.receiverReferenceTime(time), into: &output)
            writer.append(.delaySinceLastReceiverReport(WireList(delays.span)), into: &output)
            writer.append(
                .unknown(ExtendedReport.UnknownBlock(type: 99, typeSpecific: 0xE0, contents: words.span)), into: &output
            )
            writer.finish(into: &output)
        },
    ]
}
