import RillCongestion
import RillCore
import RillRTP
import RillReceive
import RillSend
import RillState

// Congestion control: the pacer between the streams and the datagrams, and feedback in both directions.

extension SessionCore {
    /// Passes packets of a stream to the pacer if there is one, otherwise to the datagrams.
    ///
    /// - Parameters:
    ///   - stream: the stream.
    ///   - numberOffset: the offset of the transport-wide sequence number in its packets.
    ///   - isKeyFrame: whether they belong to a key frame.
    ///   - now: the current time.
    ///   - pace: passes them to the pacer.
    ///   - send: passes them to the datagrams.
    @inline(__always)
    @discardableResult
    mutating func sendPackets<Result>(
        of stream: SendingStream, numberOffset: Int?, isKeyFrame: Bool = false, at now: MediaTime,
        pace: (inout RTPStreamSender, PacedDatagrams) -> Result,
        _ send: (inout RTPStreamSender, DatagramQueue) -> Result
    ) -> Result {
        guard let waiting else {
            datagrams.begin(stream.id.number, numberOffset: numberOffset)
            return send(&stream.cell.state, datagrams)
        }
        waiting.begin(stream.id.number, numberOffset: numberOffset, isKeyFrame: isKeyFrame)
        let result = pace(&stream.cell.state, waiting)
        releasePaced(at: now)
        return result
    }

    /// Lets the packets leave whose time has come.
    mutating func releasePaced(at now: MediaTime) {
        congestion?.release(at: now, to: datagrams)
        if let time = congestion?.paceTime { wakeTime = min(wakeTime, time) }
    }

    /// Lets everything leave that waits, as the session ends.
    mutating func releaseAll(at now: MediaTime) { congestion?.releaseAll(at: now, to: datagrams) }

    /// Takes transport-wide feedback.
    mutating func take(_ feedback: borrowing TransportFeedback, at now: MediaTime) {
        guard congestion?.take(feedback, at: now) == true else { return }
        // Overload: what waits would only lengthen the queue. The streams continue with a key frame.
        for index in sending.indices {
            guard let stream = sending[index], congestion?.discardFrames(of: stream.id.number) == true else { continue }
            wantKeyFrame(of: stream)
            stream.cell.state.abandonPackets()
        }
        releasePaced(at: now)
    }

    // MARK: Receiving

    /// Takes note of the packet's transport-wide sequence number, if it has one.
    @inline(__always)
    mutating func noteTransportNumber(of datagram: Span<UInt8>, at now: MediaTime) {
        guard let id = transportNumberID, let number = TransportSequenceNumber(id: id, inRTP: datagram) else { return }
        arrivals.note(number.number, byteCount: datagram.count, arrival: now)
        if arrivals.dueTime < wakeTime { wakeTime = arrivals.dueTime }
    }

    /// When the next transport-wide feedback is due.
    var transportFeedbackTime: MediaTime { arrivals.dueTime }

    /// Writes the transport-wide feedback that is due, with a report that is sent anyway or in a datagram of its own.
    mutating func writeTransportFeedback(at now: MediaTime) {
        guard arrivals.dueTime <= now, let byteCount = arrivals.prepare() else { return }
        if compound.isEmpty || compound.room < byteCount {
            close(at: now)
            open(reporting: nil, isRequest: true, at: now)
        }
        var media: SSRC?
        for index in receiving.indices where media == nil { media = receiving[index]?.ssrc }
        let (source, about) = (source, media ?? SSRC(0))
        compound.append(byteCount: byteCount) { arrivals.write(from: source, about: about, at: now, into: &$0) }
    }
}
