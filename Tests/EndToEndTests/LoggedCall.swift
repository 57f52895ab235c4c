import RillCore
import RillLab
import RillLink
import RillMediaSupport
import RillRTP
import RillReceive
import RillSend
import RillSession
import RillTestSupport
import Testing

@testable import Rill

/// A call over an emulated network in virtual time that writes down everything that happened on its way, so that it can
/// be compared with what should have.
final class LoggedCall {
    /// One layer's part of the log.
    struct LayerLog {
        var ssrc: SSRC
        /// Every coded frame, in order.
        var frames: [SentFrame] = []
        /// Every picture shown, in order, with its samples' checksum.
        var shown: [ShownFrame] = []
        /// When the receiver asked for key frames.
        var requests: [MediaTime] = []
        /// When those requests arrived, copies too.
        var requestArrivals: [MediaTime] = []
        var received: ReceiveStatistics?
        var sent: SendStatistics?
    }

    struct SentFrame {
        var timestamp: RTPTimestamp
        var captureTime: MediaTime
        var isKey: Bool
        var payload: [UInt8]
        /// When each packet first came; `nil` for one that was lost.
        var arrivals: [MediaTime?] = []
    }

    struct ShownFrame {
        var timestamp: RTPTimestamp
        var time: MediaTime
        var checksum: UInt64
    }

    private(set) var layers: [LayerLog] = []
    /// RTP packets sent, by their source and number: which frame and packet of it they are.
    private var places: [UInt64: (layer: Int, frame: Int, packet: Int)] = [:]

    /// Runs the whole call.
    ///
    /// - Parameter drain: how long after the last frame what is on its way may still arrive.
    init(
        _ source: any FrameSource, layers settings: [LayerSettings], network: LinkSettings,
        playoutDelay: MediaDuration = .milliseconds(100), drain: MediaDuration = .seconds(2)
    ) throws {
        let coded = CodedLog()
        let sender = try PacketSender(
            SendSettings(layers: settings, seed: network.seed), taps: SendTaps(encoded: coded))
        layers = sender.streamSettings.map { LayerLog(ssrc: $0.ssrc) }
        var taps = VirtualCall.Taps()
        taps.leaves = { [unowned self] packet, _ in
            self.noteSent(packet, coded)
            return true
        }
        taps.said = { [unowned self] packet, time in
            for index in self.layersAsked(by: packet) { self.layers[index].requests.append(time) }
        }
        taps.arrived = { [unowned self] direction, packet, now in
            switch direction {
            case .toReceiver: self.noteArrival(packet, at: now)
            case .toSender:
                for index in self.layersAsked(by: packet) { self.layers[index].requestArrivals.append(now) }
            }
        }
        taps.retransmits = false
        let call = VirtualCall(
            sender, source: source, over: VirtualLink(network), back: VirtualLink(network.seeded(network.seed &+ 1000)),
            taps
        ) { ReceivePipeline(on: SharedSession(RTPSessionSettings(seed: network.seed)), feedback: $0) }
        let receiving = call.receiver.pipeline
        var streams: [ReceivingStreamID] = []
        for index in settings.indices {
            var buffer = JitterBufferSettings(
                ssrc: layers[index].ssrc, payloadType: sender.pipeline.settings.payloadType(for: .default))
            buffer.playoutDelay = .fixed(playoutDelay)
            // The model knows of no repair.
            buffer.nack = nil
            let screen = FrameTap { [unowned self] frame in
                let ticks = frame.captureTime.ticks(rate: RTPTimestamp.videoClockRate)
                self.layers[index].shown.append(
                    ShownFrame(
                        timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: ticks)),
                        time: frame.timestamps[.shown] ?? .distantFuture, checksum: checksum(frame)))
            }
            var settings = ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(0x1000 + UInt32(index)))
            // Pictures are compared bit by bit with what was coded.
            settings.postProcessing = .off
            streams.append(try receiving.add(settings, sink: screen, at: .zero))
        }
        try call.run(drainingFor: drain)
        let sent = sender.statistics
        for index in streams.indices {
            layers[index].received = receiving.statistics(of: streams[index])
            layers[index].sent = sent[index]
        }
    }

    /// The layers of which a datagram asks for a key frame.
    private func layersAsked(by packet: Span<UInt8>) -> [Int] {
        keyFrameRequestTargets(packet).compactMap { ssrc in layers.firstIndex { $0.ssrc == ssrc } }
    }

    private func noteSent(_ packet: Span<UInt8>, _ coded: CodedLog) {
        guard PacketKind(of: packet) == .rtp, let header = try? RTPPacket(parsing: packet).header,
            let layer = layers.firstIndex(where: { $0.ssrc == header.ssrc }), let (frame, payload) = coded.newest
        else { return }
        if layers[layer].frames.last?.timestamp != header.timestamp {
            layers[layer].frames.append(
                SentFrame(
                    timestamp: header.timestamp, captureTime: frame.captureTime, isKey: frame.isKey, payload: payload))
        }
        let index = layers[layer].frames.count - 1
        places[key(header)] = (layer, index, layers[layer].frames[index].arrivals.count)
        layers[layer].frames[index].arrivals.append(nil)
    }

    private func noteArrival(_ packet: Span<UInt8>, at now: MediaTime) {
        guard PacketKind(of: packet) == .rtp, let header = try? RTPPacket(parsing: packet).header,
            let place = places[key(header)]
        else { return }
        if layers[place.layer].frames[place.frame].arrivals[place.packet] == nil {
            layers[place.layer].frames[place.frame].arrivals[place.packet] = now
        }
    }

    /// Calls here are short: a stream's 16-bit numbers do not come round to the same packet.
    private func key(_ header: RTPHeader) -> UInt64 {
        UInt64(header.ssrc.rawValue) << 16 | UInt64(header.sequenceNumber.rawValue)
    }
}

/// Keeps the newest coded frame: the one whose packets are being sent.
private final class CodedLog: EncodedFrameSink, Sendable {
    private let state = Monitor<(frame: EncodedFrame, payload: [UInt8])?>(nil)

    var newest: (frame: EncodedFrame, payload: [UInt8])? { state.withLock { $0 } }

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) {
        let copy = payload.array
        state.withLock { $0 = (frame, copy) }
    }

    func finish() {}
}

/// The streams that an RTCP datagram asks key frames of.
func keyFrameRequestTargets(_ datagram: Span<UInt8>) -> [SSRC] {
    var compound = RTCPCompound(datagram)
    var targets: [SSRC] = []
    do throws(RTPError) {
        while let packet = try compound.next() {
            if case .pictureLossIndication(let request) = try RTCPMessage(parsing: packet) {
                targets.append(request.media)
            }
        }
    } catch {
        Issue.record("RTCP that was written here cannot be read: \(error)")
    }
    return targets
}

func isKeyFrameRequest(_ datagram: Span<UInt8>) -> Bool { !keyFrameRequestTargets(datagram).isEmpty }
