#if Server
import Rill
import RillCore
import RillPeer
import RillThreads
import RillWHIP

/// Carries out what a ``RillWHIP/WHIPClient`` asks for, live: requests by HTTP, connections by a port of WebRTC.
///
/// A path that is lost is replaced by a restart of ICE; a failed connection is made again.
///
/// Threads: a thread of its own, `rill-endpoint`, owns the client and calls the observers. All methods may be called
/// from any thread but by observers.
final class EndpointDriver: Sendable {
    /// Who is told what happens, on the driver's thread.
    struct Observers: Sendable {
        /// A line for the user.
        var note: @Sendable (String) -> Void
        /// A new connection has an answer: its participant is there.
        var answered: @Sendable (WebRTCPeer) throws -> Void = { _ in }
        /// The server sends this layer from now on; `nil` for its own choice.
        var layerSelected: @Sendable (String?) -> Void = { _ in }
        /// The connection works, for the first time or again.
        var connected: @Sendable () -> Void = {}
    }

    private let inbox: Monitor<Inbox>
    private let thread: NamedThread

    /// What the driver's thread has not looked at.
    struct Inbox {
        var inputs: [Input] = []
        var failure: (any Error)?
        var hasEnded = false
    }

    enum Input {
        /// What a request of that number led to.
        case response(Int, Result<WHIPResponse, NoResponse>)
        /// The state of the connection of that number.
        case peer(Int, PeerConnectionState)
        case close
    }

    /// Begins.
    ///
    /// - Parameters:
    ///   - client: the client.
    ///   - port: the port of the call.
    ///   - settings: what is offered.
    ///   - clock: the call's clock, with which the client was made.
    ///   - http: what sends requests.
    ///   - observers: who is told.
    /// - Throws: ``ThreadError``.
    init(
        _ client: WHIPClient, over port: WebRTCPort, _ settings: WebRTCSettings, clock: LiveClock,
        by http: HTTPRequests, _ observers: Observers
    ) throws(ThreadError) {
        let inbox = Monitor(Inbox())
        self.inbox = inbox
        thread = try NamedThread("rill-endpoint") {
            let work = EndpointWork(client, port, settings, http, inbox, observers)
            while let wakeTime = work.advance(at: clock.now) {
                let inputs = inbox.wait(untilMonotonic: clock.monotonic(min(wakeTime, clock.now + .seconds(60)))) {
                    inbox in
                    inbox.inputs.isEmpty ? nil : EndpointDriver.take(&inbox)
                }
                for input in inputs ?? [] { work.take(input, at: clock.now) }
            }
            work.end()
            http.close()
            inbox.change { $0.hasEnded = true }
        }
    }

    private static func take(_ inbox: inout Inbox) -> [Input] {
        defer { inbox.inputs = [] }
        return inbox.inputs
    }

    /// Whether it has ended: closed, or failed.
    var hasEnded: Bool { inbox.withLock { $0.hasEnded } }
    /// Why it failed; `nil` if it did not.
    var failure: (any Error)? { inbox.withLock { $0.failure } }

    /// Ends the session at the server, which takes up to three seconds, and the connection.
    func close() {
        inbox.change { $0.inputs.append(.close) }
        thread.join()
    }
}

extension WebRTCSettings {
    /// Those of a client of a server. A server that is gone is noticed after three seconds of silence, so that a client
    /// is back within five seconds of its restart; two lost checks are not noticed.
    static var ofClient: WebRTCSettings {
        var settings = WebRTCSettings()
        settings.ice.consentInterval = .seconds(1)
        settings.ice.disconnectedTimeout = .seconds(3)
        settings.connectTimeout = .seconds(15)
        return settings
    }
}
#endif
