package import RillCore
package import RillRTP
package import RillReceive
package import RillSend

/// What drivers need besides packets, frames and events.
extension RTPSession {
    /// The SSRCs of our packets, RTP and RTCP. With one key for both directions the remote side must not use them.
    package var ownSources: [SSRC] { cell.state.allOwnSources }

    /// When to poll next if nothing arrives before; in the past if something waits to be done.
    package var nextPoll: MediaTime { cell.state.nextPoll }

    /// Takes all waiting datagrams, for a driver that delivers them outside the session.
    ///
    /// - Parameter spare: an empty queue, which is exchanged for the full one.
    package func exchangeDatagrams(_ spare: inout DatagramQueue) { cell.state.exchangeDatagrams(&spare) }

    /// For tests: from now on everything that is due stays due, as by an error of ours. The next poll ends the session.
    package func stall() {
        cell.state.isStalled = true
        cell.state.wakeTime = MediaTime(nanoseconds: .min)
    }

    /// Takes the streams of which a key frame is requested.
    package func takeKeyFrameRequests(into streams: inout [SendingStreamID]) {
        cell.state.takeKeyFrameRequests(into: &streams)
    }

    /// Takes note of an RTP packet on the transport; poll afterwards.
    ///
    /// - Parameters:
    ///   - datagram: the packet.
    ///   - isReceived: whether it belongs to a stream that another session receives.
    ///   - now: the current time.
    package func noteArrival(of datagram: Span<UInt8>, isReceived: Bool, at now: MediaTime) {
        cell.state.noteArrival(of: datagram, at: now)
        if isReceived { cell.state.noteArrival(received: datagram, at: now) }
    }

    /// Sends a stream as it was negotiated again, by other payload types, header extensions or repair, from its next
    /// key frame on, which is requested; poll afterwards. Its SSRC, numbers and sizes go on.
    ///
    /// - Parameters:
    ///   - agreed: the negotiated settings; see ``/RillSend/RTPStreamSender/change(_:)``.
    ///   - id: the stream.
    /// - Throws: `send`; then nothing has changed.
    package func change(_ agreed: RTPStreamSettings, of id: SendingStreamID) throws(SessionError) {
        try cell.state.change(agreed, of: id)
    }

    /// Receives a stream with other settings, from its next key frame on; the known SSRCs stay.
    package func change(_ settings: StreamReceiverSettings, of id: ReceivingStreamID, at now: MediaTime) {
        cell.state.change(settings, of: id, at: now)
    }
}
