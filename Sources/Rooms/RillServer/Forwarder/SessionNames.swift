#if Server
import NIOConcurrencyHelpers
import RillPeer

/// The sessions' identifiers, and the forwarder's numbers.
///
/// The forwarder's thread tells once for each session that it has ended, maybe before the session has an identifier
/// here.
final class SessionNames: Sendable {
    private let state = NIOLockedValueBox(State())

    private struct State {
        var ids: [String: ICEPeerID] = [:]
        /// Of every session whose end was not told yet.
        var names: [ICEPeerID: String] = [:]
        /// Sessions whose end was told before they were added: at most as many as are being made now.
        var ended: Set<ICEPeerID> = []
    }

    /// How many sessions it holds anything of.
    var count: Int { state.withLockedValue { $0.names.count + $0.ended.count } }

    /// Adds a session; returns its identifier: 144 random bits.
    func add(_ id: ICEPeerID) -> String {
        var random = SystemRandomNumberGenerator()
        let name = String((0..<24).map { _ in SessionNames.characters.randomElement(using: &random) ?? "0" })
        state.withLockedValue { state in
            guard state.ended.remove(id) == nil else { return }
            (state.ids[name], state.names[id]) = (id, name)
        }
        return name
    }

    /// An identifier is unknown from now on. The end of its session will be told.
    func forget(_ name: String) { state.withLockedValue { $0.ids[name] = nil } }

    /// The end of a session was told.
    func finish(_ id: ICEPeerID) {
        state.withLockedValue { state in
            if let name = state.names.removeValue(forKey: id) {
                state.ids[name] = nil
            } else {
                state.ended.insert(id)
            }
        }
    }

    subscript(name: String) -> ICEPeerID? { state.withLockedValue { $0.ids[name] } }

    /// 64 that a path may have.
    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
}
#endif
