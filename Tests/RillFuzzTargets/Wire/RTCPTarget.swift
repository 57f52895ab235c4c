public import RillRTP

/// An RTCP compound: each packet that is understood writes itself again, and what it wrote says the same.
func fuzzRTCP(_ bytes: Span<UInt8>) {
    var compound = RTCPCompound(bytes)
    var byteCount = 0
    while let packet = try? compound.next() {
        byteCount += packet.byteCount
        guard let once = rewritten(packet) else { continue }  // a typed error is as good an answer
        guard let parsed = try? RTCPPacket(parsing: once.span) else { preconditionFailure("not a packet") }
        precondition(parsed.type == packet.type)
        guard let twice = rewritten(parsed) else { preconditionFailure("it cannot read what it wrote") }
        precondition(once == twice)
    }
    precondition(byteCount <= bytes.count)
}

/// What the packet says, written by us; `nil` when it cannot be read.
public func rewritten(_ packet: RTCPPacket) -> [UInt8]? {
    guard let message = try? RTCPMessage(parsing: packet) else { return nil }
    // A chunk of SDES that lacks its end gets one.
    return [UInt8](capacity: packet.byteCount + 8) { output in
        switch message {
        case .senderReport(let report): report.write(into: &output)
        case .receiverReport(let report): report.write(into: &output)
        case .sourceDescription(let description): rewrite(description, into: &output)
        case .goodbye(let goodbye): goodbye.write(into: &output)
        case .application(let packet): packet.write(into: &output)
        case .genericNACK(let nack):
            checkNumbers(of: nack)
            nack.write(into: &output)
        case .transportFeedback(let feedback):
            checkPackets(of: feedback)
            feedback.write(into: &output)
        case .congestionControlFeedback(let feedback):
            checkReports(of: feedback)
            feedback.write(into: &output)
        case .pauseResume(let message): message.write(into: &output)
        case .pictureLossIndication(let request): request.write(into: &output)
        case .fullIntraRequest(let request): request.write(into: &output)
        case .receiverEstimatedMaximumBitrate(let estimate): estimate.write(into: &output)
        case .extendedReport(let report): rewrite(report, into: &output)
        case .unknown(let packet): packet.write(into: &output)
        }
    }
}

@_lifetime(output: copy output)
private func rewrite(_ description: SourceDescription, into output: inout OutputSpan<UInt8>) {
    var description = description
    var writer = SourceDescriptionWriter(into: &output)
    var source: SSRC?
    while let item = try? description.next() {
        if item.ssrc != source { writer.beginChunk(of: item.ssrc, into: &output) }
        source = item.ssrc
        if item.type == .privateExtension, let parts = try? item.privateExtension() {
            writer.append(parts, into: &output)
        } else {
            writer.append(item.type, item.text, into: &output)
        }
    }
    writer.finish(into: &output)
}

@_lifetime(output: copy output)
private func rewrite(_ report: ExtendedReport, into output: inout OutputSpan<UInt8>) {
    var report = report
    let writer = ExtendedReportWriter(ssrc: report.ssrc, into: &output)
    while let block = try? report.next() { writer.append(block, into: &output) }
    writer.finish(into: &output)
}

/// The numbers that a request lists, written as a list, are the same numbers.
private func checkNumbers(of nack: GenericNACK) {
    var numbers: [SequenceNumber] = []
    var lost = nack.lostPackets
    while let number = lost.next() { numbers.append(number) }
    guard !numbers.isEmpty else { return }
    let written = [UInt8](capacity: GenericNACK.byteCount(lost: numbers.span)) { output in
        GenericNACK.write(lost: numbers.span, of: nack.media, from: nack.sender, into: &output)
    }
    guard let packet = try? RTCPPacket(parsing: written.span) else { preconditionFailure("not a packet") }
    guard let again = try? GenericNACK(parsing: packet) else { preconditionFailure("not a request") }
    var found: Set<SequenceNumber> = []
    lost = again.lostPackets
    while let number = lost.next() { found.insert(number) }
    precondition(found == Set(numbers))
}

/// The packets that a feedback tells of, written in chunks of our choice, are the same packets.
private func checkPackets(of feedback: TransportFeedback) {
    // Sixty bytes can tell of 65535 packets, in runs; going over them again and again would only slow the search.
    guard feedback.count <= 2000 else { return }
    let packets = array(feedback.packets)
    precondition(packets.count == feedback.count)
    let statuses = packets.map(\.status)
    let ours = TransportFeedback(
        sender: feedback.sender, media: feedback.media, baseSequenceNumber: feedback.baseSequenceNumber,
        referenceTime: feedback.referenceTime, feedbackCount: feedback.feedbackCount, packets: statuses.span)
    let written = [UInt8](capacity: ours.byteCount) { output in ours.write(into: &output) }
    precondition(written.count == ours.byteCount)
    guard let packet = try? RTCPPacket(parsing: written.span) else { preconditionFailure("not a packet") }
    guard let again = try? TransportFeedback(parsing: packet) else { preconditionFailure("not a feedback") }
    precondition(again.referenceTime == feedback.referenceTime && again.feedbackCount == feedback.feedbackCount)
    precondition(array(again.packets) == packets)
}

/// Nothing of a feedback lies outside of it: its reports fill it, and each has as many packets as it says.
private func checkReports(of feedback: CongestionControlFeedback) {
    var byteCount = CongestionControlFeedbackWriter.headerByteCount
    var reports = feedback.reports
    while let report = reports.next() {
        precondition(report.packets.count <= CongestionControlFeedback.maximumPacketCount)
        byteCount += CongestionControlFeedbackWriter.reportByteCount(of: report.packets.count)
        for index in report.packets.indices {
            guard case .received(let offset, _) = report.packets[index] else { continue }
            precondition(offset.steps ?? 0 <= CongestionControlFeedback.ArrivalTimeOffset.maximumSteps)
        }
    }
    precondition(byteCount == feedback.byteCount)
}

/// All packets that are still to come.
public func array(_ packets: TransportFeedback.Packets) -> [TransportFeedback.Packet] {
    var packets = packets
    var found: [TransportFeedback.Packet] = []
    while let packet = packets.next() { found.append(packet) }
    return found
}
