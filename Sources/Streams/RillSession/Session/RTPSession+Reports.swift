import RillCore
import RillRTP
import RillReceive
import RillSend

// Outgoing RTCP.

extension RTPSession {
    /// Whether a stream that is sent has something to report.
    func isSending(at now: MediaTime) -> Bool {
        for index in sending.indices where sending[index]?.sender.isSilent(at: now) == false { return true }
        return false
    }

    /// Writes the RTCP that is due: reports on all streams, and requests.
    func writeFeedback(at now: MediaTime) {
        let isReportDue = reports.next <= now
        guard isReportDue || areRequestsPossible || arrivals.dueTime <= now else { return }
        areRequestsPossible = false
        if isReportDue { writeReports(at: now) }
        if arePausesDue || (isReportDue && silentCount > 0) { writePauses(with: isReportDue, at: now) }
        for index in receiving.indices {
            guard let stream = receiving[index], stream.mayAsk || isReportDue else { continue }
            stream.mayAsk = false
            writeRequests(of: stream, with: isReportDue, at: now)
        }
        writeCongestionFeedback(at: now)
        close(at: now)
    }

    /// Writes a BYE.
    ///
    /// - Parameters:
    ///   - sources: the SSRCs that end.
    ///   - reason: the reason, cut after 255 bytes; `nil` for none.
    ///   - now: the current time.
    func writeGoodbye(of sources: [SSRC], reason: String?, at now: MediaTime) {
        var text = Array((reason ?? "").utf8.prefix(255))
        // Does not cut a character in two.
        while !text.isEmpty, String(validating: text, as: UTF8.self) == nil { text.removeLast() }
        for start in stride(from: 0, to: sources.count, by: RTPSession.maximumCount) {
            let part = Array(sources[start..<min(start + RTPSession.maximumCount, sources.count)])
            open(reporting: nil, isRequest: false, at: now)
            // Without the reason it always fits.
            let byteCount = 4 + 4 * part.count + text.count + 4
            let hasReason = !text.isEmpty && rtcp.room >= byteCount
            rtcp.append(byteCount: byteCount) { output in
                if hasReason {
                    Goodbye(sources: WireList(part.span), reason: text.span).write(into: &output)
                } else {
                    Goodbye(sources: WireList(part.span)).write(into: &output)
                }
            }
            close(at: now)
        }
    }

    /// The most blocks of a report, chunks of a description, and SSRCs of a BYE.
    private static var maximumCount: Int { 31 }

    // MARK: Reports

    /// Writes a report on each stream in either direction, in as many datagrams as necessary; the last one stays
    /// open.
    private func writeReports(at now: MediaTime) {
        rtcp.removeBlocks()
        var isAnyComing = false
        for index in receiving.indices {
            guard let stream = receiving[index] else { continue }
            // After two intervals of silence there is nothing new to report about a stream (RFC 3550 §6.4).
            if let arrival = stream.lastArrival, now - arrival <= settings.reportInterval * 2 { isAnyComing = true }
            if let block = stream.reportBlock(at: now) { rtcp.add(block) }
        }
        let isSending = isSending(at: now)
        var next = (sender: 0, block: 0)
        repeat {
            close(at: now)
            writeReport(&next, at: now)
        } while next.sender < sending.indices.count || next.block < rtcp.blockCount
        if !isSending { writeReferenceTime(at: now) }
        writeEchoes(at: now)
        reports.noteReport(
            at: now, scatter: ssrcs.random.unitInterval(),
            repeats: settings.announcesItself || isSending || isAnyComing)
    }

    /// Writes one compound with as many sender reports, report blocks and CNAMEs as fit.
    private func writeReport(_ next: inout (sender: Int, block: Int), at now: MediaTime) {
        rtcp.begin()
        let name = rtcp.nameByteCount
        // The CNAMEs, and one of each kind, always fit.
        var room = rtcp.limit - RTCPPacket.headerByteCount - RTPSession.reservedByteCount
        while next.sender < sending.indices.count {
            // One on a stopped stream shows whether the path carries it again.
            guard let stream = sending[next.sender], !stream.sender.isSilent(at: now) || stream.isStopped else {
                next.sender += 1
                continue
            }
            let isFirst = rtcp.sourceCount == 0
            guard isFirst || (room >= 28 + name && rtcp.sourceCount < RTPSession.maximumCount) else { break }
            room -= 28 + name
            next.sender += 1
            let blocks = isFirst ? takeBlocks(&next.block, &room) : 0..<0
            rtcp.write(stream.sender.senderReport(at: now), blocks)
            stream.sender.noteReport(at: now)
            stream.isReported = true
        }
        if rtcp.sourceCount == 0 {
            room -= 8 + name
            rtcp.writeReceiverReport(of: source, takeBlocks(&next.block, &room))
        }
        // Blocks that do not fit one report go into further reports.
        while next.block < rtcp.blockCount, room >= 8 + ReportBlock.byteCount {
            room -= 8
            rtcp.writeReceiverReport(of: rtcp.firstSource ?? source, takeBlocks(&next.block, &room))
        }
        rtcp.writeNames()
    }

    /// Takes the next blocks that fit.
    private func takeBlocks(_ next: inout Int, _ room: inout Int) -> Range<Int> {
        let count = min(
            rtcp.blockCount - next, RTPSession.maximumCount, max(0, room / ReportBlock.byteCount))
        room -= count * ReportBlock.byteCount
        defer { next += count }
        return next..<next + count
    }

    /// Bytes reserved for the times after a report: our own, and the echoes of eight others.
    private static var reservedByteCount: Int { 20 + 12 + 8 * ReceiverDelay.byteCount }

    /// Writes the receiver's reference time. Its echo gives the round-trip time to an endpoint that sends no media
    /// (RFC 3611 §4.4).
    private func writeReferenceTime(at now: MediaTime) {
        let (source, time) = (source, roundTrip.referenceTime(at: now))
        rtcp.append(byteCount: 20) { output in
            let writer = ExtendedReportWriter(ssrc: source, into: &output)
            writer.append(.receiverReferenceTime(time), into: &output)
            writer.finish(into: &output)
        }
    }

    private func writeEchoes(at now: MediaTime) {
        let source = source
        let byteCount = receiverClocks.byteCount
        guard byteCount > 0 else { return }
        rtcp.append(byteCount: byteCount) { receiverClocks.write(from: source, at: now, into: &$0) }
    }

    // MARK: Requests

    /// Writes a stream's NACKs and key frame requests, with a report that is sent anyway or in a separate datagram.
    private func writeRequests(of stream: ReceivingStream, with isReport: Bool, at now: MediaTime) {
        guard let receiver = stream.receiver, stream.lastArrival != nil,
            receiver.areRequestsDue(with: isReport), let media = stream.ssrc
        else { return }
        var block = rtcp.isEmpty && stream.isAsked ? receiver.reportBlock(at: now) : nil
        receiver.takeRequests { lost, isKeyFrameWanted in
            guard stream.isAsked, !lost.isEmpty || isKeyFrameWanted else { return }
            let nack = lost.isEmpty ? 0 : GenericNACK.byteCount(lost: lost)
            let keyFrame = PictureLossIndication(sender: source, media: media)
            let needed = nack + (isKeyFrameWanted ? keyFrame.byteCount : 0)
            if rtcp.isEmpty || rtcp.room < needed {
                close(at: now)
                open(reporting: block, isRequest: true, at: now)
                block = nil
            }
            let source = source
            if !lost.isEmpty {
                rtcp.append(byteCount: nack) { GenericNACK.write(lost: lost, of: media, from: source, into: &$0) }
            }
            if isKeyFrameWanted {
                rtcp.append(byteCount: keyFrame.byteCount) { keyFrame.write(into: &$0) }
            }
        }
    }

    // MARK: Datagrams

    /// The SSRC of RTCP: that of the first stream that is sent, if there is one.
    var source: SSRC {
        for index in sending.indices { if let stream = sending[index] { return stream.sender.settings.ssrc } }
        return ssrcs.reporter
    }

    /// Starts a separate datagram, in the smallest form that was negotiated (RFC 4585 §3.1, RFC 5506).
    func open(reporting block: ReportBlock?, isRequest: Bool, at now: MediaTime) {
        if settings.usesReducedSizeRTCP, isRequest { return }
        rtcp.begin()
        rtcp.removeBlocks()
        if let block { rtcp.add(block) }
        var first: SendingStream?
        for index in sending.indices where first == nil { first = sending[index] }
        if let first, !first.sender.isSilent(at: now) {
            rtcp.write(first.sender.senderReport(at: now), 0..<rtcp.blockCount)
            first.sender.noteReport(at: now)
        } else {
            rtcp.writeReceiverReport(of: source, 0..<rtcp.blockCount)
        }
        rtcp.writeNames()
    }

    /// Queues what was written, if anything.
    @inline(__always)  // Mostly nothing was written.
    func close(at now: MediaTime) {
        guard !rtcp.isEmpty else { return }
        datagrams.append(rtcp.bytes.span, as: .rtcp, at: now)
        if waiting != nil { congestion?.noteFeedback(byteCount: rtcp.bytes.count) }
        rtcp.removeAll()
    }
}
