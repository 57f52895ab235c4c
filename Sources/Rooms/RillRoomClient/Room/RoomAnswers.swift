import RillCore
import RillRooms

/// What the server answers to a request.
enum RoomAnswer: Sendable {
    /// It was done; the number is of the event that it caused.
    case done(number: Int?)
    case reports([ReportedMessage])
    case messages([ChatMessage])
}

/// Tasks that await answers, that one is in the room, and that it is over.
final class RoomAnswers: Sendable {
    typealias Waiter = @Sendable (Result<RoomAnswer, RoomError>) -> Void

    private struct State: ~Copyable {
        var requests: [Int: Waiter] = [:]
        var entries: [CheckedContinuation<Void, any Error>] = []
        var ends: [CheckedContinuation<Void, Never>] = []
        /// How coming in ended; `nil` while it goes on.
        var entry: Result<Void, RoomJoinError>?
        var isOver = false
    }

    private let state = Monitor(State())

    // MARK: Requests

    /// Awaits the answer to a request.
    func add(_ request: Int, _ waiter: @escaping Waiter) { state.withLock { $0.requests[request] = waiter } }

    /// Hands an answer to who awaits it; `false` if nobody does.
    @discardableResult
    func answer(_ request: Int, _ result: Result<RoomAnswer, RoomError>) -> Bool {
        guard let waiter = state.withLock({ $0.requests.removeValue(forKey: request) }) else { return false }
        waiter(result)
        return true
    }

    // MARK: Coming in

    /// Waits until one is in the room.
    func entered() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let entry = state.withLock { state in
                if state.entry == nil { state.entries.append(continuation) }
                return state.entry
            }
            if let entry { continuation.resume(with: entry.mapError { $0 as any Error }) }
        }
    }

    /// Coming in has ended; only the first time counts.
    func enter(_ result: Result<Void, RoomJoinError>) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
            guard state.entry == nil else { return [] }
            state.entry = result
            defer { state.entries = [] }
            return state.entries
        }
        for waiter in waiters { waiter.resume(with: result.mapError { $0 as any Error }) }
    }

    // MARK: The end

    /// One is out: nothing is answered any more.
    func fail() {
        let waiters = state.withLock { state in
            defer { state.requests = [:] }
            return state.requests.values.map(\.self)
        }
        for waiter in waiters { waiter(.failure(.sessionEnded)) }
    }

    /// Waits until all threads have ended.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.ends.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    /// All threads have ended.
    func end() {
        let waiters = state.withLock { state in
            state.isOver = true
            defer { state.ends = [] }
            return state.ends
        }
        for waiter in waiters { waiter.resume() }
    }
}
