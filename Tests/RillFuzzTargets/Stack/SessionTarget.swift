public import RillCore
public import RillRTP
import RillReceive
import RillSend
public import RillSession
import RillWireFuzzTargets

/// All that a network may bring to a call in both directions, whose own frames go out meanwhile.
///
/// The first byte says what the two sides agreed on; then datagrams, each with two bytes before it: eleven bits of its
/// length, and in the upper five the time since the one before, in units of 8 ms.
func fuzzSession(_ bytes: Span<UInt8>) {
    let call = FuzzedCall(agreed: bytes.isEmpty ? 0 : bytes[0])
    var position = 1
    while position + 2 <= bytes.count {
        let word = Int(bytes[position]) << 8 | Int(bytes[position + 1])
        let end = position + 2 + min(word & 0x7FF, bytes.count - position - 2)
        call.advance(by: .milliseconds(8 * (word >> 11)))
        call.take(bytes.extracting((position + 2)..<end))
        position = end
    }
    call.advance(by: .seconds(12))
}

/// One end of a call, watched.
public final class FuzzedCall {
    /// What is watched.
    public let session: RTPSession
    private let camera: SendingStreamID
    /// The camera is switched off and on.
    private let isMuting: Bool
    /// The received streams are wanted off and on; a sender must not pause one of them unless it is requested.
    private let isChoosing: Bool
    private var received: [ReceivingStreamID] = []
    private var now = MediaTime.zero
    private var bytes: [UInt8] = []
    private var frameCount: Int64 = 0
    private var newest: [ReceivingStreamID: Int64] = [:]
    private var connections = 0

    static let announced = SSRC(0xCAFE)
    static let again = SSRC(0xBEEF)
    static let own = SSRC(0xF00D)

    /// Its session begins.
    public init(agreed: UInt8) {
        var settings = RTPSessionSettings(seed: 7)
        settings.usesReducedSizeRTCP = agreed & 1 != 0
        settings.announcesItself = agreed & 2 == 0
        let isAdapting = agreed & 32 != 0
        let feedback: StreamDescription.CongestionFeedback = agreed & 64 == 0 ? .transportWide : .byStream
        if isAdapting {
            settings.congestion = CongestionSettings()
            settings.congestion?.feedback = feedback
        }
        isMuting = agreed & 4 != 0
        isChoosing = agreed & 8 != 0
        let session = RTPSession(settings)
        self.session = session
        do throws(SessionError) {
            var camera = RTPStreamSettings(ssrc: Self.own, payloadType: PayloadType(96), canonicalName: "fuzz")
            camera.historyCapacity = 128
            if isAdapting { camera.headerExtensions = Self.extensions }
            camera.retransmission = RetransmissionSettings(ssrc: SSRC(0xF00E), payloadType: PayloadType(97))
            self.camera = try session.send(camera)
            var known = StreamReceiverSettings(
                jitterBuffer: JitterBufferSettings(ssrc: Self.announced, payloadType: PayloadType(96)), ssrc: SSRC(0))
            known.repair.retransmission = .init(ssrc: Self.again, payloadType: PayloadType(97))
            known.jitterBuffer.packetCapacity = 64
            known.isPausable = agreed & 16 == 0
            known.congestionFeedback = isAdapting ? feedback : nil
            if isAdapting { known.jitterBuffer.headerExtensions = Self.extensions }
            received.append(try session.receive(known, at: .zero))
            var named = known
            named.jitterBuffer.ssrc = nil
            named.repair.retransmission?.ssrc = nil
            named.jitterBuffer.headerExtensions = Self.extensions
            (named.mid, named.rid) = (StreamIdentifier("0"), StreamIdentifier("l"))
            received.append(try session.receive(named, at: .zero))
        } catch { preconditionFailure("\(error)") }
    }

    /// Numbers of header extensions, as two sides agree on them.
    public static var extensions: HeaderExtensionMap {
        var map = HeaderExtensionMap()
        do throws(RTPError) {
            try map.set(.mid, id: 1)
            try map.set(.rid, id: 2)
            try map.set(.repairedRID, id: 3)
            try map.set(.transportSequenceNumber, id: 4)
        } catch { preconditionFailure("\(error)") }
        return map
    }

    /// Takes a datagram.
    public func take(_ datagram: Span<UInt8>) {
        session.insert(datagram, at: now)
        poll()
    }

    /// Time goes on, and a frame is sent.
    public func advance(by duration: MediaDuration) {
        now += duration
        var payload = [UInt8](repeating: 7, count: 1500)
        (payload[0], payload[1], payload[2]) = (frameCount == 0 ? 0x10 : 0x11, 2, 0)
        let frame = EncodedFrame(
            codec: .vp8, layer: StreamLayer(rid: .high), number: frameCount,
            references: frameCount == 0 ? FrameReferences() : FrameReferences(frameCount - 1), isKey: frameCount == 0,
            resolution: .vga, captureTime: now, byteCount: payload.count)
        if isMuting { session.setMuted(frameCount % 16 >= 8, of: camera, at: now) }
        if isChoosing {
            session.setWanted(frameCount % 3 != 0, of: received[0], at: now)
            session.setWanted(frameCount % 7 < 4, of: received[1], at: now)
            if frameCount % 11 == 0 { session.setPaused(frameCount % 2 == 0, of: camera, at: now) }
        }
        session.send(frame, payload: payload.span, of: camera, at: now)
        frameCount += 1
        poll()
    }

    /// Polls until it is told to wait: soon, for later, with no frame twice, and every datagram one that can be read.
    private func poll() {
        for _ in 0..<10_000 {
            switch session.poll(at: now, into: &bytes) {
            case .transmit(let packet):
                precondition(packet.byteCount == bytes.count && (1...1200).contains(bytes.count))
                precondition(packet.kind != .rtcp || isCompound(bytes))
            case .decode(let stream):
                let frame = session.releasedFrame
                precondition(frame.frame.byteCount == bytes.count)
                session.finish(
                    frame, of: stream, frame.frame.number % 5 == 4 ? .refused : .decoded,
                    picture: frame.frame.resolution, decoded: now, at: now)
            case .event(.connected):
                connections += 1
                precondition(connections == 1)
            case .event(.failed(let error)): preconditionFailure("\(error)")
            case .event, .makeKeyFrame, .payload: break
            case .wait(let time):
                precondition(time > now)
                return
            }
        }
        preconditionFailure("polling does not come to an end")
    }

    private func isCompound(_ datagram: [UInt8]) -> Bool {
        var compound = RTCPCompound(datagram.span)
        do throws(RTPError) {
            while let packet = try compound.next() { _ = try RTCPMessage(parsing: packet) }
        } catch { return false }
        return true
    }
}

func sessionSeeds() -> [FuzzTarget.Seed] {
    let media = (0..<6).map { FuzzedPackets.media(UInt16($0), of: FuzzedCall.announced) }
    let named = (0..<4).map { FuzzedPackets.media(UInt16($0), of: SSRC(3), named: true) }
    return [
        FuzzTarget.Seed("media", agreed: 0, media),
        FuzzTarget.Seed("gaps", agreed: 1, [media[0], media[1], media[4], media[5]]),
        FuzzTarget.Seed("names", agreed: 0, named),
        FuzzTarget.Seed("collision", agreed: 2, [FuzzedPackets.media(1, of: FuzzedCall.own)] + media),
        FuzzTarget.Seed("feedback", agreed: 0, media.prefix(2) + FuzzedPackets.feedback),
        FuzzTarget.Seed(
            "pauses", agreed: 4, media.prefix(2) + [FuzzedPackets.paused] + media.suffix(4) + [FuzzedPackets.paused]),
        FuzzTarget.Seed("wants", agreed: 8, media.prefix(3) + FuzzedPackets.requests + media.suffix(3) + named),
        FuzzTarget.Seed("drops", agreed: 24, media + FuzzedPackets.requests + named),
        FuzzTarget.Seed("congestion", agreed: 33, media.prefix(2) + FuzzedPackets.transportFeedback + media.suffix(4)),
        FuzzTarget.Seed("by-stream", agreed: 97, media.prefix(2) + FuzzedPackets.streamFeedback + media.suffix(4)),
        // These once kept feedback due with nothing to report: the session polled itself for ever.
        FuzzTarget.Seed("late-behind-rest", agreed: 33, lateBehindRest([400, 401, 402]), units: 31),
        FuzzTarget.Seed("late-behind-rest-by-stream", agreed: 97, lateBehindRest([700, 701, 702]), units: 31),
    ]
}

/// A packet with the number 1000 and those, 1.2 s from each to the next: empty datagrams are between them.
private func lateBehindRest(_ late: [UInt16]) -> [[UInt8]] {
    ([1000] + late).flatMap { [FuzzedPackets.numbered($0)] + Array(repeating: [], count: 4) }
}

/// Good datagrams, for seeds and for tests that damage them.
public enum FuzzedPackets {
    /// A packet of a stream; each two make a frame.
    public static func media(_ number: UInt16, of ssrc: SSRC, named isNamed: Bool = false) -> [UInt8] {
        let start: [UInt8] =
            number == 0
            ? [0x10, 0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 0xA0, 0x00, 0x78, 0x00]
            : number % 2 == 0 ? [0x10, 0x11, 0x02, 0x00] : [0x00, 0x42]
        let payload = start + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 20)
        let header = RTPHeader(
            marker: number % 2 == 1, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(number),
            timestamp: RTPTimestamp(UInt32(number) / 2 * 3000), ssrc: ssrc)
        // MID "0" and RID "l", in the one-byte form.
        let names: [UInt8] = [0xBE, 0xDE, 0, 1, 0x10, UInt8(ascii: "0"), 0x20, UInt8(ascii: "l")]
        return [UInt8](capacity: 128) { output in
            guard isNamed else { return RTPPacket(header: header, payload: payload.span).write(into: &output) }
            do throws(RTPError) {
                let block = try RTPHeaderExtension(parsing: names.span)
                RTPPacket(header: header, headerExtension: block, payload: payload.span).write(into: &output)
            } catch { preconditionFailure("\(error)") }
        }
    }

    /// A packet of the announced stream, whose transport-wide number is its sequence number.
    public static func numbered(_ number: UInt16) -> [UInt8] {
        let header = RTPHeader(
            marker: true, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(number),
            timestamp: RTPTimestamp(UInt32(number) * 3000), ssrc: FuzzedCall.announced)
        let block: [UInt8] = [0xBE, 0xDE, 0, 1, 0x41, UInt8(number >> 8), UInt8(truncatingIfNeeded: number), 0]
        let payload: [UInt8] = [0x10, 0x11, 0x02, 0x00]
        return [UInt8](capacity: 64) { output in
            do throws(RTPError) {
                let block = try RTPHeaderExtension(parsing: block.span)
                RTPPacket(header: header, headerExtension: block, payload: payload.span).write(into: &output)
            } catch { preconditionFailure("\(error)") }
        }
    }

    /// The announced stream pauses behind the second of its packets, and the one without an announcement, and a
    /// stranger.
    public static var paused: [UInt8] {
        let entries = [FuzzedCall.announced, SSRC(3), SSRC(4)].map {
            PauseResume.Entry(target: $0, kind: .paused(last: 1))
        }
        return [UInt8](capacity: 100) { output in
            ReceiverReport(ssrc: FuzzedCall.announced).write(into: &output)
            PauseResume(sender: FuzzedCall.announced, entries: entries.span).write(into: &output)
        }
    }

    /// Who asks for pauses and takes them back, answers and refuses, in and out of turn.
    public static var requests: [[UInt8]] {
        let kinds: [(PauseResume.Kind, SSRC, UInt16)] = [
            (.pause, FuzzedCall.own, 0), (.resume, FuzzedCall.own, 0), (.pause, FuzzedCall.own, 2),
            (.pause, FuzzedCall.own, 1),
            (.paused(last: 3), FuzzedCall.announced, 0), (.refused(), FuzzedCall.announced, 1),
            (.paused(last: 9), SSRC(3), 4), (.resume, FuzzedCall.own, 2),
        ]
        return kinds.map { kind, target, number in
            let entries = [PauseResume.Entry(target: target, kind: kind, pauseID: number)]
            return [UInt8](capacity: 100) { output in
                ReceiverReport(ssrc: FuzzedCall.announced).write(into: &output)
                PauseResume(sender: FuzzedCall.announced, entries: entries.span).write(into: &output)
            }
        }
    }

    /// Feedback on the first packets that were sent: one by one, late, and with losses.
    public static var transportFeedback: [[UInt8]] {
        (0..<6).map { count in
            var statuses: [TransportFeedback.PacketStatus] = [.received(delta: 0)]
            for number in 0..<count {
                let delta: Int16 = 8 << Int16(number % 5)
                statuses.append(number % 4 == 3 ? .notReceived : .received(delta: delta))
            }
            let feedback = TransportFeedback(
                sender: FuzzedCall.announced, media: FuzzedCall.own, baseSequenceNumber: SequenceNumber(UInt16(count)),
                referenceTime: Int32(count), feedbackCount: UInt8(count), packets: statuses.span)
            return [UInt8](capacity: feedback.byteCount) { feedback.write(into: &$0) }
        }
    }

    /// The same by stream (RFC 8888), on a stream that was never sent too.
    public static var streamFeedback: [[UInt8]] {
        (0..<6).map { count in
            [UInt8](capacity: 200) { output in
                var writer = CongestionControlFeedbackWriter(sender: FuzzedCall.announced, into: &output)
                for ssrc in [FuzzedCall.own, SSRC(4)] {
                    writer.beginReport(on: ssrc, from: SequenceNumber(0), into: &output)
                    for number in 0...count {
                        let age = CongestionControlFeedback.ArrivalTimeOffset(
                            nanoseconds: Int64(count - number) * 9_000_000)
                        writer.append(
                            number % 4 == 3 ? .notReceived : .received(age, .notCapable), into: &output)
                    }
                }
                writer.finish(at: NTPShort(rawValue: UInt32(count) << 12), into: &output)
            }
        }
    }

    /// Reports, requests and a farewell.
    public static var feedback: [[UInt8]] {
        let block = ReportBlock(
            ssrc: FuzzedCall.own, fractionLost: 12, cumulativeLost: 3, extendedHighestSequenceNumber: 9, jitter: 90,
            lastSenderReport: nil, delaySinceLastSenderReport: .zero)
        let reports = [UInt8](capacity: 400) { output in
            SenderReport(
                ssrc: FuzzedCall.announced, ntpTimestamp: .unixEpoch, rtpTimestamp: RTPTimestamp(9), packetCount: 4,
                octetCount: 400, blocks: WireList([block].span)
            ).write(into: &output)
            SourceDescription.write(canonicalName: [65, 66].span, of: FuzzedCall.announced, into: &output)
            let writer = ExtendedReportWriter(ssrc: FuzzedCall.announced, into: &output)
            writer.append(.receiverReferenceTime(.unixEpoch), into: &output)
            writer.finish(into: &output)
        }
        let requests = [UInt8](capacity: 400) { output in
            ReceiverReport(ssrc: FuzzedCall.announced, blocks: WireList([block].span)).write(into: &output)
            let lost = [SequenceNumber(1), SequenceNumber(2), SequenceNumber(9)]
            GenericNACK.write(lost: lost.span, of: FuzzedCall.own, from: FuzzedCall.announced, into: &output)
            PictureLossIndication(sender: FuzzedCall.announced, media: FuzzedCall.own).write(into: &output)
            ReceiverEstimatedMaximumBitrate(
                sender: FuzzedCall.announced, bitrate: 500_000, ssrcs: WireList([FuzzedCall.own].span)
            ).write(into: &output)
        }
        let farewell = [UInt8](capacity: 100) { output in
            Goodbye(sources: WireList([FuzzedCall.announced, FuzzedCall.again].span), reason: [66, 67].span).write(
                into: &output)
        }
        return [reports, requests, farewell]
    }
}
