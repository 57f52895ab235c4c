package import RillCore
package import RillRTP
import RillState

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
}
