import RillCore
import RillLab
import RillLink
import RillMediaSupport
import RillRTP
import RillReceive
import RillTestSupport

@testable import Rill

/// A call in virtual time of one layer whose losses a test decides, with everything that repairs them.
final class RepairedCall {
    /// How the call is repaired.
    struct Repair {
        var usesRTX = true
        var usesNACK = true
        var fec = Percentage.zero
        /// None, so that requests can be counted one by one.
        var requestCopies = 0
    }

    /// A generic NACK.
    struct Request {
        var time: MediaTime
        var numbers: [SequenceNumber]
        /// It went with a report that was due.
        var isWithReport: Bool
    }

    /// One RTP packet of the layer, as it was sent for the first time.
    struct Sent {
        var number: SequenceNumber
        var timestamp: RTPTimestamp
        var isFEC: Bool
        var isLost: Bool
    }

    /// Every packet that was sent for the first time.
    private(set) var sent: [Sent] = []
    /// The numbers of each generic NACK, when it left; without those that were never sent, but taken for late when the
    /// call was over.
    private(set) var requests: [Request] = []
    /// Datagrams with more than one kind of request.
    private(set) var combinedRequests = 0
    /// When the receiver first knew the round trip, and how long it then was.
    private(set) var firstRoundTrip: (time: MediaTime, value: MediaDuration)?
    /// From a packet's only request to its coming again.
    private(set) var turnarounds: [MediaDuration] = []
    private(set) var received: ReceiveStatistics
    private(set) var statistics: SendStatistics
    /// When each picture was shown.
    private(set) var shown: [MediaTime] = []

    /// Runs the whole call.
    ///
    /// - Parameters:
    ///   - back: the network back, where it differs.
    ///   - playoutDelay: long enough, by default, that every repair is in time.
    ///   - isLost: decides over each packet as it is sent for the first time: its place in its frame, and whether it is
    ///     a FEC packet. Retransmissions are the network's business.
    init(
        _ codec: VideoCodec = .vp8, frames: Int = 150, network: String = "delay=40ms", back: String? = nil,
        _ repair: Repair = Repair(),
        playoutDelay: PlayoutDelayBounds = .fixed(.milliseconds(300)),
        losing isLost: @escaping (_ frame: Int, _ place: Int, _ isFEC: Bool) -> Bool = { _, _, _ in false }
    ) throws {
        let layer = LayerSettings(
            rid: .high, resolution: Resolution(width: 160, height: 120), frameRate: 30, bitrate: .kilobits(800),
            encoder: EncoderSettings(codec))
        let link = try LinkSettings(notation: network)
        var settings = SendSettings(layers: [layer], seed: link.seed)
        settings.adaptation = nil
        // Small pictures, and a few packets each.
        settings.maximumPacketSize = 500
        if !repair.usesRTX { settings.retransmissionPayloadType = nil }
        if repair.fec > .zero {
            settings.fec = FECSettings(
                percentage: repair.fec, payloadType: PayloadType(101), redPayloadType: PayloadType(100))
        }
        let sender = try PacketSender(settings)
        let media = sender.ssrc(of: layer.rid)
        let linkBack = try back.map { try LinkSettings(notation: $0) } ?? link
        var receive = try ReceiveSettings(sender.stream(of: layer.rid), ssrc: SSRC(0x1000))
        receive.jitterBuffer.playoutDelay = playoutDelay
        if !repair.usesNACK { receive.jitterBuffer.nack = nil }
        receive.jitterBuffer.nack?.copies = repair.requestCopies

        let log = CallLog()
        let screen = FrameTap { log.shown.append($0.timestamps[.shown] ?? .distantFuture) }
        var taps = VirtualCall.Taps()
        taps.leaves = { packet, _ in log.isKept(packet, of: media, losing: isLost) }
        taps.said = { packet, time in log.note(feedback: packet, at: time) }
        let retransmission = receive.repair.retransmission?.ssrc
        taps.taken = { packet, now in log.note(arrival: packet, retransmission: retransmission, at: now) }
        let call = try VirtualCall(
            sender, source: try LoopedPictures(layer.resolution, frameCount: frames), over: VirtualLink(link),
            back: VirtualLink(linkBack.seeded(link.seed &+ 1000)), taps
        ) { try ReceivePipeline(receive, sink: screen, feedback: $0) }
        let receiver = call.receiver
        log.roundTrip = { [unowned receiver] in receiver.pipeline.statistics.roundTrip.roundTripTime }
        try call.run(drainingFor: .seconds(2))
        received = receiver.pipeline.statistics
        statistics = sender.statistics[0]
        let numbers = Set(log.sent.map(\.number))
        let asked = log.requests.map { request in
            Request(
                time: request.time, numbers: request.numbers.filter(numbers.contains),
                isWithReport: request.isWithReport)
        }
        (sent, requests, combinedRequests) = (log.sent, asked.filter { !$0.numbers.isEmpty }, log.combinedRequests)
        (shown, firstRoundTrip, turnarounds) = (log.shown, log.firstRoundTrip, log.turnarounds)
    }

    /// The numbers of media packets that were lost.
    var lost: [SequenceNumber] { sent.filter { $0.isLost && !$0.isFEC }.map(\.number) }
}

private final class CallLog {
    var sent: [RepairedCall.Sent] = []
    var requests: [RepairedCall.Request] = []
    var combinedRequests = 0
    var shown: [MediaTime] = []
    var firstRoundTrip: (time: MediaTime, value: MediaDuration)?
    var turnarounds: [MediaDuration] = []
    /// What the receiver knows of it.
    var roundTrip: () -> MediaDuration? = { nil }
    private var asked: [SequenceNumber: [MediaTime]] = [:]
    private var (frame, place) = (-1, 0)

    func isKept(_ packet: Span<UInt8>, of media: SSRC, losing isLost: (Int, Int, Bool) -> Bool) -> Bool {
        guard PacketKind(of: packet) == .rtp, let parsed = try? RTPPacket(parsing: packet), parsed.header.ssrc == media
        else { return true }
        let header = parsed.header
        place = header.timestamp == sent.last?.timestamp ? place + 1 : 0
        if place == 0 { frame += 1 }
        let isFEC = header.payloadType == PayloadType(100) && parsed.payload[0] == 101
        let isLost = isLost(frame, place, isFEC)
        sent.append(
            RepairedCall.Sent(
                number: header.sequenceNumber, timestamp: header.timestamp, isFEC: isFEC, isLost: isLost))
        return !isLost
    }

    func note(feedback: Span<UInt8>, at time: MediaTime) {
        var compound = RTCPCompound(feedback)
        var kinds = 0
        var isWithReport = false
        while let packet = try? compound.next() {
            switch try? RTCPMessage(parsing: packet) {
            case .genericNACK(let request):
                var numbers: [SequenceNumber] = []
                var lost = request.lostPackets
                while let number = lost.next() { numbers.append(number) }
                requests.append(RepairedCall.Request(time: time, numbers: numbers, isWithReport: isWithReport))
                for number in numbers { asked[number, default: []].append(time) }
                kinds += 1
            case .pictureLossIndication: kinds += 1
            // The receiver's own time goes with regular reports alone.
            case .extendedReport: isWithReport = true
            default: continue
            }
        }
        if kinds > 1 { combinedRequests += 1 }
    }

    func note(arrival packet: Span<UInt8>, retransmission: SSRC?, at now: MediaTime) {
        if firstRoundTrip == nil, let roundTrip = roundTrip() { firstRoundTrip = (now, roundTrip) }
        guard let again = try? RetransmittedPacket(parsing: packet), again.ssrc == retransmission,
            let times = asked[again.originalSequenceNumber], times.count == 1
        else { return }
        turnarounds.append(now - times[0])
    }
}
