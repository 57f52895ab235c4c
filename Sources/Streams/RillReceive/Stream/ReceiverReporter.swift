import RillCore
import RillRTP

/// Writes the RTCP of one receiver to its sender: reports at their interval, NACKs and key frame requests at once.
///
/// Each datagram is a compound that starts with a receiver report and carries the CNAME (RFC 3550 §6.1); everything
/// due at one time is in one datagram. Regular reports carry the receiver's reference time, whose echo gives the
/// round-trip time (RFC 3611 §4.4). Every datagram repeats the NACKs of this round trip that are unanswered; the
/// jitter buffer decides when a NACK is sent separately.
struct ReceiverReporter {
    private let ssrc: SSRC
    private let canonicalName: [UInt8]
    private let interval: MediaDuration
    private var datagram: [UInt8] = []
    private var blocks: [ReportBlock] = []
    /// When the stream's last packet arrived.
    private var lastPacket = MediaTime.zero
    /// When the next report is due; never before the first packet and after a long silence.
    private(set) var nextReportTime = MediaTime.distantFuture
    private var roundTrip = RoundTripMeter()

    // The requests for the next datagram.
    private var arePacketsWanted = false
    private var isKeyFrameWanted = false

    /// The delay of the first report after the first packet. The sender's first report follows its first frame, so it
    /// can be answered then.
    static let firstReportDelay = MediaDuration.milliseconds(20)
    /// The most packets in one NACK: even if they are far apart, their entries fit a datagram of 1200 bytes.
    static let maximumRequestCount = 200

    init(_ settings: StreamReceiverSettings) {
        ssrc = settings.ssrc
        canonicalName = Array(settings.canonicalName.utf8)
        interval = settings.reportInterval
    }

    /// The round-trip statistics.
    var roundTripStatistics: RoundTripStatistics { roundTrip.statistics }

    /// Notes a packet of the stream: reports are due from now on.
    mutating func notePacket(at now: MediaTime) {
        lastPacket = now
        if nextReportTime == .distantFuture {
            nextReportTime = now + min(ReceiverReporter.firstReportDelay, interval)
        }
    }

    /// Takes an RTCP datagram of the stream's sender.
    mutating func receive(_ datagram: Span<UInt8>, for buffer: inout JitterBuffer, at now: MediaTime) {
        var compound = RTCPCompound(datagram)
        // What cannot be parsed is ignored; the next report follows soon.
        while let packet = try? compound.next() {
            switch try? RTCPMessage(parsing: packet) {
            case .senderReport(let report): buffer.noteSenderReport(report, at: now)
            case .extendedReport(let report): receive(report, for: &buffer, at: now)
            default: continue
            }
        }
    }

    private mutating func receive(_ report: ExtendedReport, for buffer: inout JitterBuffer, at now: MediaTime) {
        var report = report
        // A block that cannot be read ends the report; the next one follows soon.
        while let block = try? report.next() {
            guard case .delaySinceLastReceiverReport(let echoes) = block else { continue }
            for index in echoes.indices where echoes[index].ssrc == ssrc {
                if let estimate = roundTrip.note(echoes[index], at: now) { buffer.roundTripTime = estimate }
            }
        }
    }

    /// Requests the packets that the jitter buffer lists, with the next ``send(on:at:to:)``.
    mutating func requestPackets() {
        arePacketsWanted = true
    }

    /// Requests a key frame, with the next ``send(on:at:to:)``.
    mutating func requestKeyFrame() {
        isKeyFrameWanted = true
    }

    /// Cancels the pending requests.
    mutating func forgetRequests() {
        arePacketsWanted = false
        isKeyFrameWanted = false
    }

    /// Passes the requests to `body`, after ``areRequestsDue(on:with:)`` returned `true`: the packets in runs of
    /// ``maximumRequestCount``, the key frame with the first run.
    mutating func takeRequests(on buffer: inout JitterBuffer, _ body: (Span<SequenceNumber>, Bool) -> Void) {
        // Swapped out and back, so that the memory is reused.
        var numbers: [SequenceNumber] = []
        swap(&numbers, &buffer.requestedPackets)
        let isKeyFrameFirst = isKeyFrameWanted
        isKeyFrameWanted = false
        var first = 0
        repeat {
            let end = min(first + ReceiverReporter.maximumRequestCount, numbers.count)
            body(numbers.span.extracting(first..<end), isKeyFrameFirst && first == 0)
            first = end
        } while first < numbers.count
        swap(&numbers, &buffer.requestedPackets)
    }

    /// Whether something is due to be written now; always if `isLeaving`. If so, it collects the packets to request.
    mutating func areRequestsDue(on buffer: inout JitterBuffer, with isLeaving: Bool) -> Bool {
        let isRepeated = buffer.isRepetitionDue()
        guard isLeaving || isRepeated || isKeyFrameWanted || arePacketsWanted else { return false }
        arePacketsWanted = false
        buffer.collectUnanswered()
        return isLeaving || isKeyFrameWanted || !buffer.requestedPackets.isEmpty
    }

    /// Sends the pending requests, and the report if it is due.
    mutating func send(on buffer: inout JitterBuffer, at now: MediaTime, to feedback: some PacketSink) {
        let isReportDue = nextReportTime <= now
        guard areRequestsDue(on: &buffer, with: isReportDue) else { return }
        if isReportDue {
            // After two intervals of silence there is nothing new to report about the stream (RFC 3550 §6.4).
            nextReportTime = now - lastPacket > interval * 2 ? .distantFuture : now + interval
        }
        var reference = isReportDue ? roundTrip.referenceTime(at: now) : nil
        // Swapped out and back, so that the memory is reused.
        var numbers: [SequenceNumber] = []
        swap(&numbers, &buffer.requestedPackets)
        var first = 0
        repeat {
            let end = min(first + ReceiverReporter.maximumRequestCount, numbers.count)
            write(numbers.span.extracting(first..<end), isKeyFrameWanted, reference, on: &buffer, at: now)
            feedback.send(datagram.span, as: .rtcp, at: now)
            (isKeyFrameWanted, reference, first) = (false, nil, end)
        } while first < numbers.count
        swap(&numbers, &buffer.requestedPackets)
    }

    /// Writes one datagram.
    private mutating func write(
        _ lost: Span<SequenceNumber>, _ isKeyFrameWanted: Bool, _ reference: NTPTimestamp?,
        on buffer: inout JitterBuffer, at now: MediaTime
    ) {
        blocks.removeAll(keepingCapacity: true)
        if let block = buffer.reportBlock(at: now) { blocks.append(block) }
        let (name, source, blocks, media) = (canonicalName, ssrc, blocks, buffer.settings.ssrc)
        let report = ReceiverReport(ssrc: source, blocks: WireList(blocks.span))
        datagram.removeAll(keepingCapacity: true)
        datagram.append(
            addingCapacity: report.byteCount + SourceDescription.byteCount(canonicalName: name.count)
                + ReceiverReporter.maximumRequestByteCount
        ) { output in
            report.write(into: &output)
            SourceDescription.write(canonicalName: name.span, of: source, into: &output)
            if let reference {
                let writer = ExtendedReportWriter(ssrc: source, into: &output)
                writer.append(.receiverReferenceTime(reference), into: &output)
                writer.finish(into: &output)
            }
            guard let media else { return }
            if !lost.isEmpty { GenericNACK.write(lost: lost, of: media, from: source, into: &output) }
            if isKeyFrameWanted { PictureLossIndication(sender: source, media: media).write(into: &output) }
        }
    }

    /// What can follow a report: the receiver's reference time (20 bytes), a NACK (12, plus 4 each), and a key frame
    /// request (12).
    private static let maximumRequestByteCount = 20 + 12 + 4 * maximumRequestCount + 12
}
