package import RillCore
package import RillRTP
import RillSend
package import RillSession

/// A stream of a session that carries the encoded frames of one layer.
///
/// A layer has one for each participant of a call: it encodes once, and each stream has its own sequence numbers,
/// history and key.
package struct LayerStream: Sendable {
    package let session: SharedSession
    package let id: SendingStreamID

    /// Adds a stream to a session.
    package init(_ settings: RTPStreamSettings, on session: SharedSession) throws(PipelineError) {
        self.session = session
        do throws(SessionError) {
            id = try session.look { (session) throws(SessionError) in try session.send(settings) }
        } catch {
            throw PipelineError(error)
        }
    }

    /// The stream's current settings.
    package var settings: RTPStreamSettings {
        guard let stream = session.look({ $0.settings(of: id) }) else { preconditionFailure("a layer's stream stays") }
        return stream
    }

    package var statistics: RTPStreamStatistics { session.look { $0.statistics(of: id) } ?? RTPStreamStatistics() }
}

/// Another destination of a layer's encoded frames.
package protocol LayerOutput: AnyObject, Sendable {
    /// Takes an encoded frame on the layer's thread; the bytes are valid until it returns.
    ///
    /// - Returns: the RTP timestamp that it is sent with; `nil` if it is not sent.
    func send(_ frame: EncodedFrame, _ payload: Span<UInt8>, of layer: Int, at now: MediaTime) -> RTPTimestamp?
}
