package import RillCore
import RillRTP
import RillSend
package import RillSession

/// A stream of a session that the coded frames of one layer go out on.
///
/// A layer has one for each participant of a call: it encodes once, and each stream has numbers, a history and a key of its own.
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

    /// How the stream is sent at present.
    package var settings: RTPStreamSettings {
        guard let stream = session.look({ $0.settings(of: id) }) else { preconditionFailure("a layer's stream stays") }
        return stream
    }

    package var statistics: RTPStreamStatistics { session.look { $0.statistics(of: id) } ?? RTPStreamStatistics() }
}

/// Where else the coded frames of a layer go.
package protocol LayerOutput: AnyObject, Sendable {
    /// Takes a coded frame on the layer's thread; the bytes hold until it returns.
    func send(_ frame: EncodedFrame, _ payload: Span<UInt8>, of layer: Int, at now: MediaTime)
}
