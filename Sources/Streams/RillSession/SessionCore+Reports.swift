import RillCore
import RillRTP
import RillReceive
import RillSend

// Outgoing RTCP.

extension SessionCore {
    /// Whether a stream that is sent has something to report.
    mutating func isSending(at now: MediaTime) -> Bool {
        for index in sending.indices where sending[index]?.cell.state.isSilent(at: now) == false { return true }
        return false
    }

    /// Writes the RTCP that is due: reports on all streams, and requests.
    mutating func writeFeedback(at now: MediaTime) {
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
    mutating func writeGoodbye(of sources: [SSRC], reason: String?, at now: MediaTime) {
        var text = Array((reason ?? "").utf8.prefix(255))
        // Does not cut a character in two.
        while !text.isEmpty, String(validating: text, as: UTF8.self) == nil { text.removeLast() }
        for start in stride(from: 0, to: sources.count, by: SessionCore.maximumCount) {
            let part = Array(sources[start..<min(start + SessionCore.maximumCount, sources.count)])
            open(reporting: nil, isRequest: false, at: now)
            // Without the reason it always fits.
            let byteCount = 4 + 4 * part.count + text.count + 4
            let hasReason = !text.isEmpty && compound.room >= byteCount
            compound.append(byteCount: byteCount) { output in
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
    private mutating func writeReports(at now: MediaTime) {
        reportBlocks.removeAll(keepingCapacity: true)
        var isAnyComing = false
        for index in receiving.indices {
            guard let stream = receiving[index] else { continue }
            // After two intervals of silence there is nothing new to report about a stream (RFC 3550 §6.4).
            if let arrival = stream.lastArrival, now - arrival <= settings.reportInterval * 2 { isAnyComing = true }
            if let block = stream.reportBlock(at: now) { reportBlocks.append(block) }
        }
        let isSending = isSending(at: now)
        var next = (sender: 0, block: 0)
        repeat {
            close(at: now)
            writeReport(&next, at: now)
        } while next.sender < sending.indices.count || next.block < reportBlocks.count
        if !isSending { writeReferenceTime(at: now) }
        writeEchoes(at: now)
        reports.noteReport(
            at: now, scatter: random.unitInterval(),
            repeats: settings.announcesItself || isSending || isAnyComing)
    }

    /// Writes one compound with as many sender reports, report blocks and CNAMEs as fit.
    private mutating func writeReport(_ next: inout (sender: Int, block: Int), at now: MediaTime) {
        reportSources.removeAll(keepingCapacity: true)
        let name = SourceDescription.chunkByteCount(items: 1, textByteCount: canonicalName.count)
        // The CNAMEs, and one of each kind, always fit.
        var room = compound.limit - RTCPPacket.headerByteCount - SessionCore.reservedByteCount
        while next.sender < sending.indices.count {
            // One on a stopped stream shows whether the path carries it again.
            guard let stream = sending[next.sender], !stream.cell.state.isSilent(at: now) || stream.isStopped else {
                next.sender += 1
                continue
            }
            let isFirst = reportSources.isEmpty
            guard isFirst || (room >= 28 + name && reportSources.count < SessionCore.maximumCount) else { break }
            room -= 28 + name
            next.sender += 1
            let blocks = isFirst ? takeBlocks(&next.block, &room) : 0..<0
            write(stream.cell.state.senderReport(at: now), blocks)
            stream.cell.state.noteReport(at: now)
            stream.isReported = true
            reportSources.append(stream.cell.state.settings.ssrc)
        }
        if reportSources.isEmpty {
            let source = source
            room -= 8 + name
            reportSources.append(source)
            writeReceiverReport(of: source, takeBlocks(&next.block, &room))
        }
        // Blocks that do not fit one report go into further reports.
        while next.block < reportBlocks.count, room >= 8 + ReportBlock.byteCount {
            room -= 8
            writeReceiverReport(of: reportSources[0], takeBlocks(&next.block, &room))
        }
        writeNames()
    }

    /// Takes the next blocks that fit.
    private mutating func takeBlocks(_ next: inout Int, _ room: inout Int) -> Range<Int> {
        let count = min(
            reportBlocks.count - next, SessionCore.maximumCount, max(0, room / ReportBlock.byteCount))
        room -= count * ReportBlock.byteCount
        defer { next += count }
        return next..<next + count
    }

    /// Bytes reserved for the times after a report: our own, and the echoes of eight others.
    private static var reservedByteCount: Int { 20 + 12 + 8 * ReceiverDelay.byteCount }

    private mutating func write(_ report: SenderReport, _ blocks: Range<Int>) {
        let all = reportBlocks
        let whole = SenderReport(
            ssrc: report.ssrc, ntpTimestamp: report.ntpTimestamp, rtpTimestamp: report.rtpTimestamp,
            packetCount: report.packetCount, octetCount: report.octetCount,
            blocks: WireList(all.span.extracting(blocks)))
        compound.append(byteCount: whole.byteCount) { whole.write(into: &$0) }
    }

    private mutating func writeReceiverReport(of source: SSRC, _ blocks: Range<Int>) {
        let all = reportBlocks
        let report = ReceiverReport(ssrc: source, blocks: WireList(all.span.extracting(blocks)))
        compound.append(byteCount: report.byteCount) { report.write(into: &$0) }
    }

    /// Writes the CNAME of each reporting SSRC.
    private mutating func writeNames() {
        let chunk = SourceDescription.chunkByteCount(items: 1, textByteCount: canonicalName.count)
        let (sources, name) = (reportSources, canonicalName)
        compound.append(byteCount: RTCPPacket.headerByteCount + sources.count * chunk) { output in
            var writer = SourceDescriptionWriter(into: &output)
            for source in sources {
                writer.beginChunk(of: source, into: &output)
                writer.append(.canonicalName, name.span, into: &output)
            }
            writer.finish(into: &output)
        }
    }

    /// Writes the receiver's reference time. Its echo gives the round-trip time to an endpoint that sends no media
    /// (RFC 3611 §4.4).
    private mutating func writeReferenceTime(at now: MediaTime) {
        let (source, time) = (source, roundTrip.referenceTime(at: now))
        compound.append(byteCount: 20) { output in
            let writer = ExtendedReportWriter(ssrc: source, into: &output)
            writer.append(.receiverReferenceTime(time), into: &output)
            writer.finish(into: &output)
        }
    }

    private mutating func writeEchoes(at now: MediaTime) {
        let source = source
        let byteCount = receiverClocks.byteCount
        guard byteCount > 0 else { return }
        compound.append(byteCount: byteCount) { receiverClocks.write(from: source, at: now, into: &$0) }
    }

    // MARK: Requests

    /// Writes a stream's NACKs and key frame requests, with a report that is sent anyway or in a separate datagram.
    private mutating func writeRequests(of stream: ReceivingStream, with isReport: Bool, at now: MediaTime) {
        guard let receiver = stream.receiver, stream.lastArrival != nil,
            receiver.cell.state.areRequestsDue(with: isReport), let media = stream.ssrc
        else { return }
        var block = compound.isEmpty && stream.isAsked ? receiver.cell.state.reportBlock(at: now) : nil
        receiver.cell.state.takeRequests { lost, isKeyFrameWanted in
            guard stream.isAsked, !lost.isEmpty || isKeyFrameWanted else { return }
            let nack = lost.isEmpty ? 0 : GenericNACK.byteCount(lost: lost)
            let keyFrame = PictureLossIndication(sender: source, media: media)
            let needed = nack + (isKeyFrameWanted ? keyFrame.byteCount : 0)
            if compound.isEmpty || compound.room < needed {
                close(at: now)
                open(reporting: block, isRequest: true, at: now)
                block = nil
            }
            let source = source
            if !lost.isEmpty {
                compound.append(byteCount: nack) { GenericNACK.write(lost: lost, of: media, from: source, into: &$0) }
            }
            if isKeyFrameWanted {
                compound.append(byteCount: keyFrame.byteCount) { keyFrame.write(into: &$0) }
            }
        }
    }

    // MARK: Datagrams

    /// The SSRC of RTCP: that of the first stream that is sent, if there is one.
    var source: SSRC {
        for index in sending.indices { if let stream = sending[index] { return stream.cell.state.settings.ssrc } }
        return reporter
    }

    /// Starts a separate datagram, in the smallest form that was negotiated (RFC 4585 §3.1, RFC 5506).
    mutating func open(reporting block: ReportBlock?, isRequest: Bool, at now: MediaTime) {
        if settings.usesReducedSizeRTCP, isRequest { return }
        reportBlocks.removeAll(keepingCapacity: true)
        if let block { reportBlocks.append(block) }
        var first: SendingStream?
        for index in sending.indices where first == nil { first = sending[index] }
        if let first, !first.cell.state.isSilent(at: now) {
            write(first.cell.state.senderReport(at: now), reportBlocks.indices)
            first.cell.state.noteReport(at: now)
        } else {
            writeReceiverReport(of: source, reportBlocks.indices)
        }
        let source = source
        reportSources.removeAll(keepingCapacity: true)
        reportSources.append(source)
        writeNames()
    }

    /// Queues what was written, if anything.
    @inline(__always)  // Mostly nothing was written.
    mutating func close(at now: MediaTime) {
        guard !compound.isEmpty else { return }
        datagrams.append(compound.bytes.span, as: .rtcp, at: now)
        if waiting != nil { congestion?.noteFeedback(byteCount: compound.bytes.count) }
        compound.removeAll()
    }
}
