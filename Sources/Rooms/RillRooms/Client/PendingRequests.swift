/// Requests that wait for an answer. They are repeated on the next channel, as each sets something and does no harm
/// twice.
struct PendingRequests {
    private(set) var all: [RoomRequest] = []
    private let limit: Int
    private(set) var lastID = 0

    init(limit: Int) { self.limit = limit }

    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// - Throws: `queueFull`.
    mutating func add(_ command: RoomCommand) throws(RoomError) -> RoomRequest {
        guard all.count < limit else { throw .queueFull(missed: 1, cached: all.count) }
        let request = RoomRequest(command, id: nextID())
        all.append(request)
        return request
    }

    /// The command of a request that was waiting, with which it is done; `nil` if it was not.
    mutating func finish(_ id: Int) -> RoomCommand? {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return nil }
        return all.remove(at: index).command
    }

    /// Forgets offers of media that the server does not know any more.
    mutating func forgetOffers() { all.removeAll { $0.command.name == .negotiate } }
}

/// What a client publishes and wants, for a server that has forgotten it.
struct MediaRequests {
    private var published: [(kind: MediaKind, mid: String?, isMuted: Bool)] = []
    private var wants: [Want] = []
    /// Whether the server has no media of it, or they broke.
    var needsOffer = false
    var restarts = false
    private static let wantLimit = 64

    /// Keeps what a command asks for.
    mutating func note(_ command: RoomCommand, in room: RoomState?) {
        switch command {
        case .publish(let kind, let mid, let isMuted):
            published.removeAll { $0.kind == kind }
            published.append((kind, mid, isMuted))
        case .unpublish(let kind, of: nil): published.removeAll { $0.kind == kind }
        case .mute(let kind, of: nil): setMuted(true, kind)
        case .unmute(let kind): setMuted(false, kind)
        case .want(let want):
            wants.removeAll { $0.uid == want.uid && $0.kind == want.kind }
            if wants.count >= Self.wantLimit {
                wants.remove(at: wants.firstIndex { room?[$0.uid] == nil } ?? 0)
            }
            wants.append(want)
        default: break
        }
    }

    /// Keeps what hosts did to it.
    mutating func note(_ event: RoomEvent, of uid: UID?) {
        switch event {
        case .muted(uid, let kind, by: _): setMuted(true, kind)
        case .unpublished(uid, let kind): published.removeAll { $0.kind == kind }
        case .offline(uid, .becameViewer): published = []
        default: break
        }
    }

    private mutating func setMuted(_ isMuted: Bool, _ kind: MediaKind) {
        guard let index = published.firstIndex(where: { $0.kind == kind }) else { return }
        published[index].isMuted = isMuted
    }

    /// The commands that ask for all of it.
    var commands: [RoomCommand] {
        published.map { .publish($0.kind, mid: $0.mid, isMuted: $0.isMuted) } + wants.map(RoomCommand.want)
    }
}
