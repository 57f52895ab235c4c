import RillCore
import RillPeer
import RillPeerSupport

/// A lite implementation of the other side (RFC 8445 §2.5): it answers checks, sends none, and follows nominations.
final class LiteEnd: NetworkEnd {
    let credentials: ICECredentials
    /// Where the last nomination came from.
    private(set) var nominated: ICEPath?
    private(set) var requestCount = 0
    private var answers: [(ICEPath, [UInt8])] = []

    init(_ credentials: ICECredentials) { self.credentials = credentials }

    func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) {
        do throws(STUNError) {
            let request = try STUNMessage(parsing: datagram)
            let key = STUNIntegrityKey(password: Array(credentials.password.utf8))
            guard request.type == .bindingRequest, request.hasIntegrity(of: key) else { return }
            requestCount += 1
            if request.usesCandidate { nominated = path }
            answers.append((path, CheckWriter.answer(to: request.transactionID, from: path.remote, key)))
        } catch {}
    }

    func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime {
        for (path, bytes) in answers { transmit(path, bytes) }
        answers = []
        return .distantFuture
    }
}
