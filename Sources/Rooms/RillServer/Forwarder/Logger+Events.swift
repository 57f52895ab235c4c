#if Server
import Logging
import RillForward

extension Logger {
    /// Logs what happened to a session.
    func log(_ event: ForwardEvent) {
        switch event {
        case .connected(let session):
            info("connected", metadata: metadata(session))
        case .firstPicture(let session, let layer, let resolution):
            info("first picture", metadata: metadata(session, ["layer": "\(layer)", "size": "\(resolution)"]))
        case .layerChanged(let session, let layer):
            debug("layer changed", metadata: metadata(session, ["layer": "\(layer)"]))
        case .stopped(let session, let reason):
            notice("stopped", metadata: metadata(session, ["reason": "\(reason)"]))
        case .resumed(let session):
            info("resumed", metadata: metadata(session))
        case .ended(let session, let end):
            switch end {
            case .failed(let error):
                notice("failed", metadata: metadata(session, ["error": "\(error)"]))
            case .circuitBroken(let reason):
                notice("ended", metadata: metadata(session, ["reason": "\(reason)"]))
            case .left, .replaced, .evicted, .streamEnded, .closed:
                info("ended", metadata: metadata(session, ["reason": "\(end)"]))
            }
        }
    }

    private func metadata(_ session: ForwardSession, _ more: Metadata = [:]) -> Metadata {
        let common: Metadata = [
            "stream": "\(session.stream)", "role": session.isPublisher ? "publisher" : "viewer",
            "session": "\(session.id.rawValue)",
        ]
        return common.merging(more) { _, new in new }
    }
}
#endif
