import Rill
import RillCore
import RillPeer
import RillRooms

/// The media of a room's member: one connection at a time, which sends the layers of the call and receives sections.
///
/// Threads: all methods may be called from any thread, one at a time.
final class RoomMedia: Sendable {
    private struct State: ~Copyable {
        var peer: WebRTCPeer?
        var watch: Task<Void, Never>?
        /// The sections of the layers that are received.
        var mids: [StreamLayer.RID: String] = [:]
    }

    let call: VideoCall
    private let port: WebRTCPort
    private let pictures: RoomPictures
    private let slots: Int
    private let state = Monitor(State())
    /// Is called when the path is gone.
    private let pathBroke: @Sendable () -> Void

    init(
        _ call: VideoCall, slots: Int, _ pictures: RoomPictures, pathBroke: @escaping @Sendable () -> Void
    ) throws {
        (self.call, self.slots, self.pictures, self.pathBroke) = (call, slots, pictures, pathBroke)
        port = try WebRTCPort(for: call)
    }

    private var peer: WebRTCPeer? { state.withLock { $0.peer } }

    /// The server, as a participant of the call.
    var server: CallParticipant? { peer?.participant }

    /// The section (`mid`) that sends the camera; `nil` without a source.
    var sendingMid: String? { peer?.sendingMids.first }

    /// The section of a layer that is received.
    func mid(of layer: StreamLayer.RID) -> String? { state.withLock { $0.mids[layer] } }

    /// The layer that a section receives.
    func layer(of mid: String) -> StreamLayer.RID? {
        state.withLock { state in state.mids.first { $0.value == mid }?.key }
    }

    /// Makes an offer: of another path for the connection that there is, or of a new one.
    func offer(restarts: Bool) throws -> String {
        if restarts, let peer, peer.connectionState != .closed { return try peer.offer(restartsICE: true) }
        var settings = WebRTCSettings()
        (settings.receives, settings.receiveSlots) = (false, slots)
        let peer = try port.offer(to: "room", settings)
        let watch = Task { [pathBroke] in
            for await state in peer.states where state == .disconnected || state == .failed { pathBroke() }
        }
        let former = state.withLock { state in
            defer { (state.peer, state.watch, state.mids) = (peer, watch, [:]) }
            return (state.peer, state.watch)
        }
        // The former one is gone: the server has no session of it any more.
        former.1?.cancel()
        former.0?.close()
        pictures.reset()
        return peer.localDescription
    }

    /// Takes the answer to the last offer.
    func accept(_ answer: String) throws {
        guard let peer else { return }
        let before = peer.participant
        try peer.accept(answer)
        guard before == nil, let server = peer.participant else { return }
        var mids: [StreamLayer.RID: String] = [:]
        for (layer, mid) in zip(server.layers, server.receivedMids) {
            guard let mid else { continue }
            mids[layer] = mid
            try server.show(layer, on: SectionSink(pictures, mid)) { [pictures] settings in
                settings.observer = { event, _ in
                    if case .released(let frame) = event, frame.frame.isKey { pictures.takeKeyFrame(mid) }
                }
            }
        }
        state.withLock { [mids] in $0.mids = mids }
    }

    /// Somebody wants a layer of ours, or nobody any more.
    func setWanted(_ isWanted: Bool, _ layer: String) {
        guard let rid = StreamLayer.RID(validating: layer) else { return }
        // It throws for a layer that the call does not send, which needs no answer.
        try? server?.setWantedByPeer(isWanted, rid)
    }

    /// What was received of a section.
    func statistics(of mid: String) -> ReceiveStatistics? {
        guard let layer = layer(of: mid) else { return nil }
        return server?.statistics.shown.first { $0.rid == layer }?.received
    }

    /// Ends the connection and the call, and waits for their threads. Not to be called by one of them.
    func end() {
        let (peer, watch) = state.withLock { ($0.peer, $0.watch) }
        watch?.cancel()
        peer?.close()
        call.endNow()
    }
}
