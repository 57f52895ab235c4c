#if Server
import Rill
import RillCore
import RillPeer
import RillWHIP

/// What the thread of an ``EndpointDriver`` does: it moves things between a client, a port and HTTP.
///
/// Single owner.
final class EndpointWork {
    private var client: WHIPClient
    private let port: WebRTCPort
    private let settings: WebRTCSettings
    private let http: HTTPRequests
    private let inbox: Monitor<EndpointDriver.Inbox>
    private let observers: EndpointDriver.Observers
    private var peer: WebRTCPeer?
    /// Counts the connections.
    private var number = 0
    /// Counts the sessions, for their participants' names.
    private var sessionCount = 0
    private var isRestarting = false
    private var isClosing = false
    private var hasConnected = false

    init(
        _ client: WHIPClient, _ port: WebRTCPort, _ settings: WebRTCSettings, _ http: HTTPRequests,
        _ inbox: Monitor<EndpointDriver.Inbox>, _ observers: EndpointDriver.Observers
    ) {
        (self.client, self.port, self.settings, self.http) = (client, port, settings, http)
        (self.inbox, self.observers) = (inbox, observers)
    }

    /// Does what is due.
    ///
    /// - Returns: when to be called again, without input; `nil` at the end.
    func advance(at now: MediaTime) -> MediaTime? {
        while true {
            switch client.poll(at: now) {
            case .send(let request, let id, let timeout):
                http.send(request, timeout: timeout) { [inbox] result in
                    inbox.change { $0.inputs.append(.response(id, result)) }
                }
            case .event(let event): take(event, at: now)
            case .wait(until: let time): return time
            case .ended: return nil
            }
        }
    }

    func take(_ input: EndpointDriver.Input, at now: MediaTime) {
        switch input {
        case .response(let id, .success(let response)): client.insert(response, to: id, at: now)
        case .response(let id, .failure(let failure)): client.fail(id, reason: failure.reason, at: now)
        case .peer(let number, let state) where number == self.number && !isClosing: take(state, at: now)
        case .peer: break
        case .close:
            isClosing = true
            client.close(at: now)
        }
    }

    /// Closes the connection.
    func end() {
        peer?.close()
        peer = nil
    }

    // MARK: The client's events

    private func take(_ event: WHIPClientEvent, at now: MediaTime) {
        switch event {
        case .offerNeeded: attempt(at: now) { try self.offer(at: now) }
        case .answered(let answer): attempt(at: now) { try self.accept(answer) }
        case .restarted(let answer):
            isRestarting = false
            attempt(at: now) { try self.peer?.accept(answer) }
            observers.note("the server has answered the restart of ICE")
        case .layerSelected(let name):
            observers.note("the server selects \(name.map { "the \($0) layer" } ?? "the layer itself")")
            observers.layerSelected(name)
        case .layerRefused(let name, let error):
            observers.note("\(name.map { "the \($0) layer" } ?? "no layer") is not selected: \(error)")
        case .candidatesRefused(let error): observers.note("the server takes no further candidates: \(error)")
        case .sessionLost(let error):
            observers.note("the session is over: \(error); beginning another one")
            lastReason = "\(error)"
            end()
        case .retrying(let delay, let error):
            // Once is enough where the reason stays the same.
            let text = "\(error)"
            if text != lastReason { observers.note("\(text); trying again, first in \(delay)") }
            lastReason = text
        case .failed(let error): fail(error, at: now)
        }
    }

    private var lastReason = ""

    private func offer(at now: MediaTime) throws {
        end()
        number += 1
        isRestarting = false
        var settings = settings
        if let left = client.timeLeft(at: now) { settings.connectTimeout = min(settings.connectTimeout, left) }
        let peer = try port.offer(
            to: sessionCount == 0 ? "the server" : "the server (\(sessionCount + 1))", settings)
        self.peer = peer
        let (number, inbox) = (number, inbox)
        Task { [states = peer.states] in
            for await state in states { inbox.change { $0.inputs.append(.peer(number, state)) } }
        }
        client.setOffer(peer.localDescription, at: now)
    }

    private func accept(_ answer: WHIPAnswer) throws {
        guard let peer else { return }
        lastReason = ""
        do { try peer.accept(answer.text) } catch { throw CommandError("the server's answer cannot be used: \(error)") }
        sessionCount += 1
        try observers.answered(peer)
        let session = answer.session ?? "without a URL (no Location): its end is not told to the server"
        observers.note("the server has answered; session \(session)")
    }

    // MARK: The connection

    private func take(_ state: PeerConnectionState, at now: MediaTime) {
        switch state {
        case .new, .connecting: break
        case .connected:
            client.noteConnected(at: now)
            observers.note(hasConnected ? "connected again" : "connected")
            hasConnected = true
            observers.connected()
        case .disconnected:
            guard !isRestarting, let peer else { return }
            observers.note("the path is lost: restarting ICE")
            isRestarting = true
            attempt(at: now) { self.client.restartICE(try peer.offer(restartsICE: true), at: now) }
        case .failed: client.noteFailed(peer?.failure.map { "\($0)" } ?? "no path", at: now)
        case .closed: client.noteFailed("the server has closed it", at: now)
        }
    }

    /// Does what may throw; an error ends the client.
    private func attempt(at now: MediaTime, _ body: () throws -> Void) {
        do { try body() } catch { fail(error, at: now) }
    }

    private func fail(_ error: any Error, at now: MediaTime) {
        guard !isClosing else { return }
        isClosing = true
        inbox.withLock { $0.failure = $0.failure ?? error }
        client.close(at: now)
    }
}
#endif
