import RillRTP
import RillReceive
import RillState

extension ReceivingStream {
    /// What PAUSED has said (RFC 7728 §8.2): nothing comes of this source behind that packet.
    struct Pause {
        var ssrc: SSRC
        var last: SequenceNumber
    }

    /// The other side says nothing on it for a while, by whatever it told that.
    var isMuted: Bool { isMutedBySignalling || pause != nil }

    /// PAUSED has come of its source. One that later packets have overtaken says nothing any more.
    func notePaused(behind last: SequenceNumber) {
        guard let ssrc else { return }
        if let newest = receiver?.cell.state.newestSequenceNumber, newest.isNewer(than: last) { return }
        if let pause, pause.ssrc == ssrc, !last.isNewer(than: pause.last) { return }
        pause = Pause(ssrc: ssrc, last: last)
    }

    /// A packet has come of one of its sources. If it is of its own, and none of those that PAUSED left behind, the pause is over.
    func noteWhilePaused(_ datagram: Span<UInt8>) {
        guard let pause, let packet = try? RTPPacket(parsing: datagram), packet.header.ssrc == ssrc else { return }
        // Of another source than before all packets are new.
        guard pause.ssrc != ssrc || packet.header.sequenceNumber.isNewer(than: pause.last) else { return }
        self.pause = nil
    }
}
