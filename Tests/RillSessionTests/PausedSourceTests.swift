import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillSend
import RillSession
import Testing

/// What a session makes of PAUSED (RFC 7728 §8.2), packet by packet.
@Suite struct PausedSourceTests {
    /// A session that receives one stream, and that stream's packets.
    private final class Receiver {
        let session = RTPSession(RTPSessionSettings(seed: 2))
        let stream: ReceivingStreamID
        let settings: RTPStreamSettings
        private var sender: RTPStreamSender
        private var frames: Int64 = 0
        private var now = MediaTime.zero

        init(from start: UInt16 = 100, isAnnounced: Bool = true) throws {
            var settings = Call.stream(seed: 11)
            settings.firstSequenceNumber = SequenceNumber(start)
            self.settings = settings
            sender = try RTPStreamSender(settings)
            stream = try session.receive(Call.receiving(settings, isAnnounced: isAnnounced), at: .zero)
        }

        /// The packets of the next frame, three.
        func frame() -> [[UInt8]] {
            now += .milliseconds(33)
            let frame = SyntheticFrame.make(frames, isKey: frames == 0, .vga, at: now, byteCount: 3000)
            frames += 1
            var packets: [[UInt8]] = []
            sender.send(
                frame.description, payload: frame.bytes.span, at: now,
                to: PacketTap { packet, _ in packets.append(packet.array) })
            return packets
        }

        /// The packet of that number, counted from the first, on the stream of retransmissions.
        func retransmission(of index: Int) -> [UInt8] {
            var packets: [[UInt8]] = []
            sender.retransmit(
                settings.firstSequenceNumber.advanced(by: index), at: now,
                to: PacketTap { packet, _ in packets.append(packet.array) })
            return packets[0]
        }

        /// Takes datagrams; what happened to the stream's being muted.
        func take(_ datagrams: [[UInt8]]) -> [SessionEvent] {
            for datagram in datagrams { session.insert(datagram.span, at: now) }
            return mutes()
        }

        /// The source is said to have paused behind the packet of that number, counted from the first.
        func takePaused(behind index: Int, of target: SSRC? = nil) -> [SessionEvent] {
            let last = UInt32(settings.firstSequenceNumber.rawValue) &+ UInt32(truncatingIfNeeded: index)
            let entries = [PauseResume.Entry(target: target ?? settings.ssrc, kind: .paused(last: last))]
            return take([
                [UInt8](capacity: 100) { output in
                    ReceiverReport(ssrc: settings.ssrc).write(into: &output)
                    PauseResume(sender: settings.ssrc, entries: entries.span).write(into: &output)
                }
            ])
        }

        func setMuted(_ isMuted: Bool) -> [SessionEvent] {
            session.setMuted(isMuted, of: stream)
            return mutes()
        }

        private func mutes() -> [SessionEvent] {
            var events: [SessionEvent] = []
            var bytes: [UInt8] = []
            while true {
                switch session.poll(at: now, into: &bytes) {
                case .event(.muted(let stream)): events.append(.muted(stream))
                case .event(.unmuted(let stream)): events.append(.unmuted(stream))
                case .decode(let stream):
                    session.finish(session.releasedFrame, of: stream, .decoded, decoded: now, at: now)
                case .event, .transmit, .payload, .makeKeyFrame: break
                case .wait: return events
                }
            }
        }
    }

    @Test(arguments: [0, 1, 127, 128, 32762, 32767, 32768, 65529, 65530, 65531, 65533, 65534, 65535] as [UInt16])
    func `Late packets do not count as activity, the next packet does`(start: UInt16) throws {
        let end = try Receiver(from: start)
        let sent = end.frame() + end.frame()
        #expect(sent.count == 6)
        #expect(end.take([sent[0], sent[1], sent[2], sent[3]]).isEmpty)
        #expect(end.takePaused(behind: 5) == [.muted(end.stream)])
        // The last two are late, one arrives twice, and one is retransmitted.
        #expect(end.take([sent[4], sent[3], end.retransmission(of: 1), sent[5]]).isEmpty)
        #expect(end.takePaused(behind: 5).isEmpty)
        let next = end.frame()
        #expect(end.take([next[1]]) == [.unmuted(end.stream)])
        #expect(end.take([next[0], next[2]]).isEmpty)
        // It is said once more, as often as it happens.
        #expect(end.takePaused(behind: 8) == [.muted(end.stream)])
        #expect(end.take(end.frame()) == [.unmuted(end.stream)])
    }

    @Test(arguments: [0, 32767, 65530, 65534, 65535] as [UInt16])
    func `A PAUSED older than later packets is ignored`(start: UInt16) throws {
        let end = try Receiver(from: start)
        #expect(end.take(end.frame() + end.frame()).isEmpty)
        #expect(end.takePaused(behind: 2).isEmpty)
        #expect(end.takePaused(behind: 4).isEmpty)
        #expect(end.takePaused(behind: 5) == [.muted(end.stream)])
        #expect(end.take([end.retransmission(of: 5)]).isEmpty)
        // A newer one: it went on in between, and nothing of that came. While it lasts an older one says nothing
        // either.
        #expect(end.takePaused(behind: 8).isEmpty)
        #expect(end.takePaused(behind: 5).isEmpty)
        #expect(end.take(end.frame()).isEmpty)
        #expect(end.take(end.frame()) == [.unmuted(end.stream)])
    }

    @Test func `Other sources are passed over`() throws {
        let end = try Receiver()
        #expect(end.take(end.frame()).isEmpty)
        #expect(end.takePaused(behind: 2, of: SSRC(77)).isEmpty)
        let retransmissions = try #require(end.settings.retransmission?.ssrc)
        #expect(end.takePaused(behind: 2, of: retransmissions).isEmpty)
        let unknown = try Receiver(isAnnounced: false)
        #expect(unknown.takePaused(behind: -1).isEmpty)
        #expect(unknown.take(unknown.frame()).isEmpty)
        #expect(unknown.takePaused(behind: 2) == [.muted(unknown.stream)])
    }

    @Test func `Requests and refusals mute nothing`() throws {
        let end = try Receiver()
        #expect(end.take(end.frame()).isEmpty)
        let entries = [.pause, .resume, .refused()].map { PauseResume.Entry(target: end.settings.ssrc, kind: $0) }
        let bytes = [UInt8](capacity: 100) { PauseResume(sender: SSRC(9), entries: entries.span).write(into: &$0) }
        #expect(end.take([bytes]).isEmpty)
        #expect(end.session.statistics.transport.malformedFeedback == 0)
    }

    @Test func `Packets do not override signaling`() throws {
        let end = try Receiver()
        #expect(end.take(end.frame()).isEmpty)
        #expect(end.setMuted(true) == [.muted(end.stream)])
        #expect(end.setMuted(true).isEmpty)
        #expect(end.take(end.frame()).isEmpty)
        // Both have said it: the first tells, and the last ends it.
        #expect(end.takePaused(behind: 5).isEmpty)
        #expect(end.take(end.frame()).isEmpty)
        #expect(end.setMuted(false) == [.unmuted(end.stream)])
        #expect(end.takePaused(behind: 8) == [.muted(end.stream)])
        #expect(end.setMuted(true).isEmpty)
        #expect(end.setMuted(false) == [.unmuted(end.stream)])
        #expect(end.take(end.frame()).isEmpty)
    }

    @Test func `Another source of the stream ends it`() throws {
        let end = try Receiver(isAnnounced: false)
        #expect(end.take(end.frame()).isEmpty)
        #expect(end.takePaused(behind: 2) == [.muted(end.stream)])
        let bye = [UInt8](capacity: 12) { Goodbye(sources: WireList([end.settings.ssrc].span)).write(into: &$0) }
        #expect(end.take([bye]).isEmpty)
        var other = end.frame()[0]
        other[8...11] = [0, 0, 0, 7]
        #expect(end.take([other]) == [.unmuted(end.stream)])
    }
}
