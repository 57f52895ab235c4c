import RillCore
import RillRTP
import RillReceive

/// Writes what one receiver has to say to its sender: reports at their interval, and key-frame requests at once.
///
/// Each datagram is a compound that begins with a receiver report and names its sender (RFC 3550 §6.1).
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

    init(_ settings: ReceiveSettings) {
        ssrc = settings.ssrc
        canonicalName = Array(settings.canonicalName.utf8)
        interval = settings.reportInterval
    }

    /// A packet of the stream has come: reports are due from an interval after the first one on.
    mutating func notePacket(at now: MediaTime) {
        lastPacket = now
        if nextReportTime == .distantFuture { nextReportTime = now + interval }
    }

    /// Takes an RTCP datagram of the stream's sender.
    func receive(_ datagram: Span<UInt8>, for buffer: inout JitterBuffer, at now: MediaTime) {
        var compound = RTCPCompound(datagram)
        // What cannot be read says nothing; the next report comes soon.
        while let packet = try? compound.next() {
            guard case .senderReport(let report) = try? RTCPMessage(parsing: packet) else { continue }
            buffer.noteSenderReport(report, at: now)
        }
    }

    /// Sends a report if one is due.
    mutating func sendReport(on buffer: inout JitterBuffer, at now: MediaTime, to feedback: some PacketSink) {
        guard nextReportTime <= now else { return }
        // Of a stream that has been silent for two intervals there is nothing new to say (RFC 3550 §6.4).
        nextReportTime = now - lastPacket > interval * 2 ? .distantFuture : now + interval
        send(on: &buffer, requestingKeyFrameOf: nil, at: now, to: feedback)
    }

    /// Asks the stream's sender for a key frame.
    mutating func sendKeyFrameRequest(on buffer: inout JitterBuffer, at now: MediaTime, to feedback: some PacketSink) {
        send(on: &buffer, requestingKeyFrameOf: buffer.settings.ssrc, at: now, to: feedback)
    }

    private mutating func send(
        on buffer: inout JitterBuffer, requestingKeyFrameOf media: SSRC?, at now: MediaTime,
        to feedback: some PacketSink
    ) {
        blocks.removeAll(keepingCapacity: true)
        if let block = buffer.reportBlock(at: now) { blocks.append(block) }
        let request = media.map { PictureLossIndication(sender: ssrc, media: $0) }
        let (name, source, blocks) = (canonicalName, ssrc, blocks)
        let report = ReceiverReport(ssrc: source, blocks: WireList(blocks.span))
        datagram.removeAll(keepingCapacity: true)
        datagram.append(
            addingCapacity: report.byteCount + SourceDescription.byteCount(canonicalName: name.count)
                + (request?.byteCount ?? 0)
        ) { output in
            report.write(into: &output)
            SourceDescription.write(canonicalName: name.span, of: source, into: &output)
            request?.write(into: &output)
        }
        feedback.send(datagram.span, at: now)
    }
}
