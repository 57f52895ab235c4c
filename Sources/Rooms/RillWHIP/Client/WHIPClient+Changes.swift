import RillCore

// Changes of a session, one after the other: candidates, restarts of ICE, the layer.
extension WHIPClient {
    mutating func selectLayer() {
        guard case .layer(let name) = selection, let current = session else { return }
        guard current.layers != nil else { return tell(.layerRefused(name, .noLayerSelection)) }
        withdraw { change in if case .select = change { true } else { false } }
        session?.changes.append(.select(name))
    }

    /// Removes changes that are not under way.
    mutating func withdraw(_ isWithdrawn: (Change) -> Bool) {
        guard var changes = session?.changes else { return }
        let underWay = exchange == nil ? nil : changes.first
        changes = changes.dropFirst(underWay == nil ? 0 : 1).filter { !isWithdrawn($0) }
        session?.changes = (underWay.map { [$0] } ?? []) + changes
    }

    /// Starts the next change, if it is due.
    mutating func changeSession(at now: MediaTime) {
        guard phase == .inSession, exchange == nil, let session, let change = session.changes.first,
            session.retryTime.map({ $0 <= now }) ?? true
        else { return }
        let type = WHIPHeaders.Field("Content-Type", MediaType.sdpFragment)
        switch change {
        case .candidates(let text):
            // Candidates are of use only for the credentials that the server knows (RFC 9725 §4.3.2).
            let match = session.etag.map { [WHIPHeaders.Field("If-Match", $0)] } ?? []
            send(.change, "PATCH", to: session.url, [type] + match, text, at: now)
        case .restart(let text):
            // A restart replaces the state of the server, whatever its entity tag is (RFC 9725 §4.3.3).
            send(.change, "PATCH", to: session.url, [type, .init("If-Match", "*")], text, at: now)
        case .select(let name):
            let text = JSONText.object([("encodingId", name.map(JSONText.string) ?? "null")])
            send(
                .change, "POST", to: session.layers ?? session.url, [.init("Content-Type", MediaType.json)], text,
                at: now)
        }
    }

    mutating func takeChange(_ response: WHIPResponse, at now: MediaTime) {
        let status = response.status
        guard (200...299).contains(status) else {
            let asked = RetrySchedule.asked(response.headers["Retry-After"])
            let error: WHIPClientError =
                WHIPResponse.isBusy(status)
                ? .unavailable(status: status, detail: response.detail)
                : status == 404 || status == 410
                    ? .sessionVanished(status: status) : .refused(status: status, detail: response.detail)
            return changeFailed(error, askedToWait: asked, at: now)
        }
        guard var current = session, let change = current.changes.first else { return }
        current.changes.removeFirst()
        current.schedule.succeed()
        current.retryTime = nil
        session = current
        switch change {
        case .candidates: break
        case .select(let name): tell(.layerSelected(name))
        case .restart: takeRestart(response, at: now)
        }
    }

    /// The server's new credentials and candidates.
    private mutating func takeRestart(_ response: WHIPResponse, at now: MediaTime) {
        guard let fragment = try? SDPFragment(ofDescription: response.body), fragment.usernameFragment != nil,
            fragment.password != nil, let current = session
        else {
            return lose(.badResponse(status: response.status, .noCredentials), isKnownThere: true, at: now)
        }
        let answer = DescriptionLines(current.answer).replacingICE(by: fragment)
        session?.answer = answer
        session?.etag = response.etag
        formerTag = response.etag ?? formerTag
        tell(.restarted(answer: answer))
    }

    mutating func changeFailed(
        _ error: WHIPClientError, askedToWait asked: MediaDuration? = nil, at now: MediaTime
    ) {
        guard var current = session, let change = current.changes.first else { return }
        func tryAgain() {
            current.retryTime = now + current.schedule.fail(askedToWait: asked)
            session = current
        }
        switch change {
        case .restart:
            // While the server is out of reach, so is the path: the media's own timeout decides.
            if error.heals, !error.isVanishing { return tryAgain() }
            lose(error, isKnownThere: !error.isVanishing, at: now)
        case .candidates:
            if error.isVanishing { return lose(error, isKnownThere: false, at: now) }
            if error.heals, current.schedule.failureCount + 1 < WHIPClient.maximumAttemptCount { return tryAgain() }
            drop(&current)
            tell(.candidatesRefused(error))
        case .select(let name):
            // 404 may also mean that there is no such layer. Other requests show whether the session still exists.
            if error.heals, !error.isVanishing, current.schedule.failureCount + 1 < WHIPClient.maximumAttemptCount {
                return tryAgain()
            }
            drop(&current)
            var told = error
            if case .sessionVanished(let status) = error { told = .refused(status: status, detail: nil) }
            tell(.layerRefused(name, told))
        }
    }

    private mutating func drop(_ current: inout Session) {
        current.changes.removeFirst()
        current.schedule.succeed()
        current.retryTime = nil
        session = current
    }
}

extension WHIPClientError {
    fileprivate var isVanishing: Bool { if case .sessionVanished = self { true } else { false } }
}
