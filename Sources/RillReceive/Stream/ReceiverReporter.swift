import RillCore
import RillRTP

/// Writes what one receiver has to say to its sender: reports at their interval, requests for packets and key frames at
/// once.
///
/// Each datagram is a compound that begins with a receiver report and names its sender (RFC 3550 §6.1); what is due at
/// one time goes in one. Regular reports bear the receiver's time, whose echo tells the round trip (RFC 3611 §4.4). What
/// was asked for within this round trip and has not come is asked for in every datagram; when a NACK leaves by itself says
/// the jitter buffer.
struct ReceiverReporter {
    private let ssrc: SSRC
    private let canonicalName: [UInt8]
    private let interval: MediaDuration
    private var datagram: [UInt8] = []
    private var blocks: [ReportBlock] = []
    /// When the stream's last packet came.
    private var lastPacket = MediaTime.zero
    /// When the next report is due; never, before the first packet and after a long silence.
    private(set) var nextReportTime = MediaTime.distantFuture
    private var roundTrip = RoundTripMeter()

    // What is to be asked for with the next datagram.
    private var arePacketsWanted = false
    private var isKeyFrameWanted = false

    /// The first report leaves so long after the first packet: the sender's first one, which follows its first frame, is
    /// then there to be answered.
    static let firstReportDelay = MediaDuration.milliseconds(20)
    /// Numbers that one request asks for at most: as many entries, should they lie far apart, fit a datagram of 1200 bytes.
    static let maximumRequestCount = 200

    init(_ settings: StreamReceiverSettings) {
        ssrc = settings.ssrc
        canonicalName = Array(settings.canonicalName.utf8)
        interval = settings.reportInterval
    }

    /// What is known of the round trip.
    var roundTripStatistics: RoundTripStatistics { roundTrip.statistics }

    /// A packet of the stream has come: reports are due from now on.
    mutating func notePacket(at now: MediaTime) {
        lastPacket = now
        if nextReportTime == .distantFuture {
            nextReportTime = now + min(ReceiverReporter.firstReportDelay, interval)
        }
    }

    /// Takes an RTCP datagram of the stream's sender.
    mutating func receive(_ datagram: Span<UInt8>, for buffer: inout JitterBuffer, at now: MediaTime) {
        var compound = RTCPCompound(datagram)
        // What cannot be read says nothing; the next report comes soon.
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
        // A block that cannot be read ends the report; the next one comes soon.
        while let block = try? report.next() {
            guard case .delaySinceLastReceiverReport(let echoes) = block else { continue }
            for index in echoes.indices where echoes[index].ssrc == ssrc {
                if let estimate = roundTrip.note(echoes[index], at: now) { buffer.roundTripTime = estimate }
            }
        }
    }

    /// Asks for the packets that the jitter buffer wants to be asked for, with the next ``send(on:at:to:)``.
    mutating func requestPackets() {
        arePacketsWanted = true
    }

    /// Asks for a key frame, with the next ``send(on:at:to:)``.
    mutating func requestKeyFrame() {
        isKeyFrameWanted = true
    }

    /// Asks for nothing any more of what was to be asked for.
    mutating func forgetRequests() {
        arePacketsWanted = false
        isKeyFrameWanted = false
    }

    /// Hands out what is wanted, once ``areRequestsDue(on:with:)`` has said that it is: the packets in runs of
    /// ``maximumRequestCount``, the key frame with the first.
    mutating func takeRequests(on buffer: inout JitterBuffer, _ body: (Span<SequenceNumber>, Bool) -> Void) {
        // Taken out and put back, so that its memory stays one.
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

    /// Whether something is to be written now, with `isLeaving` in any case; the packets to ask for are collected then.
    mutating func areRequestsDue(on buffer: inout JitterBuffer, with isLeaving: Bool) -> Bool {
        let isRepeated = buffer.isRepetitionDue()
        guard isLeaving || isRepeated || isKeyFrameWanted || arePacketsWanted else { return false }
        arePacketsWanted = false
        buffer.collectUnanswered()
        return isLeaving || isKeyFrameWanted || !buffer.requestedPackets.isEmpty
    }

    /// Sends what was asked for, and the report if it is due.
    mutating func send(on buffer: inout JitterBuffer, at now: MediaTime, to feedback: some PacketSink) {
        let isReportDue = nextReportTime <= now
        guard areRequestsDue(on: &buffer, with: isReportDue) else { return }
        if isReportDue {
            // Of a stream that has been silent for two intervals there is nothing new to say (RFC 3550 §6.4).
            nextReportTime = now - lastPacket > interval * 2 ? .distantFuture : now + interval
        }
        var reference = isReportDue ? roundTrip.referenceTime(at: now) : nil
        // Taken out and put back, so that its memory stays one.
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

    /// What can come behind a report: the receiver's time (20 bytes), a request for packets (12, and 4 each), and one for
    /// a key frame (12).
    private static let maximumRequestByteCount = 20 + 12 + 4 * maximumRequestCount + 12
}
