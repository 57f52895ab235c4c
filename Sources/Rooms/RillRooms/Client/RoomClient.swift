public import RillCore

/// A client of a room: it comes in, keeps a picture of the room, sends, and comes back by itself. Feed it what the
/// channel does and what the app wants; then poll until it names a time.
///
/// ```swift
/// let client = RoomClient(RoomClientSettings(JoinRequest(room: "lobby", name: "Anna")), seed: 1)
/// client.join(at: now)
/// while true {
///     switch client.poll(at: now) {
///     case .openChannel: webSocket.connect()
///     case .closeChannel: webSocket.close()
///     case .send(let request): webSocket.send(request)
///     case .makeOffer(let restarts): client.offer(peer.offer(restarts), at: now)
///     case .event(let event): show(event, client.room)
///     case .wait(let time): return time
///     }
/// }
/// ```
///
/// It has no channel, clock or thread. Not for several threads at once.
public final class RoomClient {
    /// Settings.
    public let settings: RoomClientSettings
    /// Where it stands.
    public private(set) var status = RoomClientStatus.idle
    /// The room, as of the last event that was reported; `nil` before the first snapshot.
    public private(set) var room: RoomState?
    /// Its number; `nil` before it was in.
    public private(set) var uid: UID?
    /// The epoch of the room's log.
    public private(set) var epoch = 0
    /// The number of the last event that ``room`` has.
    public private(set) var number = 0
    /// Events that came twice, and were ignored.
    public private(set) var duplicateCount = 0
    /// Gaps in the log. Each is filled by coming back.
    public private(set) var gapCount = 0

    private var token: String?
    private var session: String?
    /// Its latest session. With it in ``JoinRequest/session`` a guest whose app starts again is the same author.
    public private(set) var lastSession: String?
    private var phase = Phase.closed
    private var schedule: ReturnSchedule
    /// The chat.
    public internal(set) var conversation: Conversation
    var queue: SendQueue
    var requests: PendingRequests
    /// When others may be told again that the user is typing.
    var typingTime = MediaTime(nanoseconds: .min)
    private var media = MediaRequests()
    private var actions = ActionQueue<RoomClientAction>()
    private var heardTime = MediaTime.zero
    private var aliveTime = MediaTime.zero
    /// When a channel is opened.
    private var attemptTime = MediaTime.distantFuture
    /// The last message of app data that came, and how many bytes since the server knows.
    private var dataCount = 0
    private var unacknowledged = 0
    private var senders = DataSenders()

    private enum Phase: Equatable {
        case closed
        /// Until then it may take.
        case opening(MediaTime)
        /// An offer is made for a join.
        case offering(MediaTime)
        case entering(MediaTime, request: Int)
        case entered
    }

    /// A client that has not begun.
    ///
    /// - Parameters:
    ///   - settings: what it wants.
    ///   - seed: of the times of its attempts.
    public init(_ settings: RoomClientSettings, seed: UInt64) {
        (self.settings, token, lastSession) = (settings, settings.join.token, settings.join.session)
        schedule = ReturnSchedule(seed: seed)
        queue = SendQueue(limit: settings.queueLimit)
        requests = PendingRequests(limit: settings.requestLimit)
        conversation = Conversation(limit: settings.messageLimit)
    }

    // MARK: The app

    /// Comes in, and stays in until ``leave(at:)``.
    public func join(at now: MediaTime) {
        guard status == .idle || isOver else { return }
        session = nil
        heardTime = now
        set(.joining)
        openChannel(at: now)
    }

    /// Leaves.
    public func leave(at now: MediaTime) {
        guard !isOver, status != .idle else { return }
        if phase == .entered { actions.append(.send(RoomRequest(.leave, id: requests.nextID()))) }
        end(.ended(.left))
    }

    /// Asks for something: `publish`, `mute`, `want`, `profile`, or what hosts may. What is published and wanted is
    /// requested again after the server forgot it.
    ///
    /// - Returns: the request's number, as in `done` and `refused`.
    /// - Throws: `queueFull`.
    @discardableResult
    public func ask(_ command: RoomCommand, at now: MediaTime) throws(RoomError) -> Int {
        let request = try requests.add(command)
        media.note(command, in: room)
        if case .renew(let token) = command { self.token = token }
        if phase == .entered { actions.append(.send(request)) }
        return request.id
    }

    /// The offer that was requested.
    public func offer(_ description: String, at now: MediaTime) {
        switch phase {
        case .offering(let deadline): enter(offer: description, deadline)
        case .entered: negotiate(description)
        case .closed, .opening, .entering: break
        }
    }

    /// The media path broke: an offer that restarts ICE is requested once the channel serves.
    public func restartMedia(at now: MediaTime) { media.needsOffer = settings.hasMedia }

    /// The network changed: what waits to be tried is tried now.
    public func retry(at now: MediaTime) {
        if phase == .closed, attemptTime != .distantFuture { attemptTime = now }
    }

    // MARK: The channel

    /// The channel is open.
    public func channelOpened(at now: MediaTime) {
        guard case .opening(let deadline) = phase else { return }
        if let session {
            let id = requests.nextID()
            phase = .entering(deadline, request: id)
            actions.append(
                .send(
                    RoomRequest(.resume(session: session, epoch: epoch, number: number, count: dataCount), id: id)))
        } else {
            join(until: deadline)
        }
    }

    /// The channel is closed, or could not be opened.
    public func channelClosed(at now: MediaTime) {
        guard phase != .closed else { return }
        // One that served is opened again at once.
        let wait = phase == .entered ? .zero : schedule.fail(wasIn: session != nil)
        phase = .closed
        forgetRequests()
        attemptTime = now + wait
    }

    /// A message came.
    public func receive(_ message: RoomMessage, at now: MediaTime) {
        guard phase != .closed, !isOver else { return }
        heardTime = max(heardTime, now)
        if phase == .entered, status != .connected { set(.connected) }
        switch message {
        case .welcome(let welcome, let id):
            guard case .entering(_, id) = phase else { return }
            take(welcome, at: now)
        case .event(let event): take(event, at: now)
        case .done(let id, let number, let answer, let message):
            if let answer {
                media.restarts = true
                report(.answer(answer))
            }
            if let sent = queue.finish(id) {
                report(.sent(sent, number: message ?? number))
            } else if requests.finish(id) != nil {
                report(.done(request: id, number: number))
            }
        case .error(let error, let id): take(error, id, at: now)
        case .data(let count, let uid, let sequence, let text, let missed):
            guard count > dataCount else { return }
            dataCount = count
            unacknowledged += text.utf8.count
            guard senders.isNew(sequence, of: uid, in: room) else { return }
            report(.data(from: uid, text: text, missed: missed))
        case .levels(let levels): report(.levels(levels))
        case .slot(let slot): report(.slot(slot))
        case .layer(let interest): report(.layer(interest))
        case .chatState, .history, .marks, .typing, .blocked, .report, .reports: takeChat(message)
        case .alive: break
        case .bye(let reason):
            if reason.mayReturn {
                reopen(after: schedule.fail(wasIn: session != nil), at: now)
            } else {
                end(.ended(reason))
            }
        }
    }

    private func take(_ welcome: Welcome, at now: MediaTime) {
        schedule.succeed()
        phase = .entered
        let isOther = epoch != welcome.epoch || uid != welcome.uid
        (session, uid, epoch, number) = (welcome.session, welcome.uid, welcome.epoch, welcome.number)
        lastSession = session
        if isOther || welcome.snapshot != nil || welcome.isFresh { dataCount = welcome.count }
        if let snapshot = welcome.snapshot {
            room = snapshot
            if let chat = welcome.chat { conversation.take(chat) } else { conversation.becomeUnavailable() }
        }
        aliveTime = now + settings.aliveInterval
        set(.connected)
        report(.entered(welcome.uid, isFresh: welcome.isFresh))
        if welcome.snapshot != nil { report(.snapshot) }
        if let answer = welcome.answer { report(.answer(answer)) }
        for slot in welcome.slots { report(.slot(slot)) }
        media.needsOffer = settings.hasMedia && (media.needsOffer || !welcome.hasMedia)
        media.restarts = welcome.hasMedia
        if welcome.isFresh {
            requests.forgetOffers()
            for command in media.commands { actions.append(.send(RoomRequest(command, id: requests.nextID()))) }
        }
        for request in requests.all { actions.append(.send(request)) }
    }

    private func take(_ event: NumberedEvent, at now: MediaTime) {
        guard phase == .entered else { return }
        guard event.number > number else {
            duplicateCount += 1
            return
        }
        guard event.number == number + 1 else {
            gapCount += 1
            // Not at once: should the server leave the gap, the client would do nothing else.
            return reopen(after: schedule.fail(wasIn: true), at: now)
        }
        number = event.number
        room?.apply(event.event)
        conversation.take(event.event)
        media.note(event.event, of: uid)
        report(.room(event))
    }

    private func take(_ error: RoomError, _ id: Int, at now: MediaTime) {
        if case .entering(let deadline, id) = phase { return takeRefusal(error, deadline, at: now) }
        var wait = MediaDuration.zero
        if case .tooFast(_, let time, _) = error { wait = time }
        if wait > .zero, queue.delay(id, by: wait, at: now) { return }
        if conversation.fail(id, at: now) { return }
        if let failed = queue.finish(id) {
            if case .chat(let message) = failed { conversation.refused(message, error) }
            report(.failed(failed, error))
        } else if let command = requests.finish(id) {
            if case .publish(let kind, mid: _, isMuted: _) = command { media.note(.unpublish(kind, of: nil), in: room) }
            report(.refused(request: id, error))
        }
    }

    private func takeRefusal(_ error: RoomError, _ deadline: MediaTime, at now: MediaTime) {
        switch error {
        case .tooFast(_, let wait, _): reopen(after: schedule.fail(wasIn: session != nil, asked: wait), at: now)
        case .draining, .timedOut: reopen(after: schedule.fail(wasIn: session != nil), at: now)
        case .replaced: end(.ended(.replaced))
        case .removed: end(.ended(.removed))
        case .sessionEnded where session != nil, .unauthorized where session != nil:
            // It was away for too long: it comes in as if for the first time.
            session = nil
            join(until: deadline)
        default: end(.refused(error))
        }
    }

    // MARK: Coming in

    private func openChannel(at now: MediaTime) {
        attemptTime = .distantFuture
        phase = .opening(now + schedule.timeout)
        actions.append(.openChannel)
    }

    /// Gives the channel up and opens another one.
    private func reopen(after wait: MediaDuration, at now: MediaTime) {
        phase = .closed
        forgetRequests()
        actions.append(.closeChannel)
        attemptTime = now + wait
    }

    private func join(until deadline: MediaTime) {
        guard settings.hasMedia else { return enter(offer: nil, deadline) }
        phase = .offering(deadline)
        actions.append(.makeOffer(restarts: false))
    }

    private func enter(offer: String?, _ deadline: MediaTime) {
        let id = requests.nextID()
        phase = .entering(deadline, request: id)
        var join = settings.join
        (join.offer, join.token, join.session) = (offer, token, lastSession)
        actions.append(.send(RoomRequest(.join(join), id: id)))
    }

    private func negotiate(_ offer: String) {
        guard let request = try? requests.add(.negotiate(offer: offer)) else {
            // Requested again with the next poll that finds a place.
            media.needsOffer = true
            return
        }
        actions.append(.send(request))
    }

    private func end(_ status: RoomClientStatus) {
        if phase != .closed { actions.append(.closeChannel) }
        phase = .closed
        attemptTime = .distantFuture
        forgetRequests()
        set(status)
    }

    var isOver: Bool { status.isOver }
    var isEntered: Bool { phase == .entered }

    private func set(_ status: RoomClientStatus) {
        guard self.status != status else { return }
        self.status = status
        report(.status(status))
    }

    func report(_ event: RoomClientEvent) { actions.append(.event(event)) }

    /// Sends what is not repeated, and whose answer does not matter.
    func sendPassing(_ command: RoomCommand) { actions.append(.send(RoomRequest(command, id: requests.nextID()))) }

    /// The channel is gone: what waits for its answer is requested again.
    private func forgetRequests() {
        queue.reset()
        conversation.reset()
    }

    // MARK: Polling

    /// What to do next. Call it until it returns `wait`.
    public func poll(at now: MediaTime) -> RoomClientAction {
        if actions.isEmpty, !isOver, status != .idle { act(at: now) }
        if let action = actions.next() { return action }
        return .wait(until: isOver || status == .idle ? .distantFuture : PollBound.wait(until: wakeTime, after: now))
    }

    private func act(at now: MediaTime) {
        let silence = now - heardTime
        if status == .connected, silence >= settings.interruptedAfter { set(.interrupted) }
        if status == .interrupted, silence >= settings.lostAfter { set(.lost) }
        switch phase {
        case .closed:
            if now >= attemptTime { openChannel(at: now) }
        case .opening(let deadline), .offering(let deadline), .entering(let deadline, request: _):
            if now >= deadline { reopen(after: schedule.fail(wasIn: session != nil), at: now) }
        case .entered:
            if silence >= settings.interruptedAfter { return reopen(after: .zero, at: now) }
            if now >= aliveTime || unacknowledged > 32_768 {
                aliveTime = now + settings.aliveInterval
                unacknowledged = 0
                let alive = RoomCommand.alive(number: number, count: dataCount, message: conversation.receivedNumber)
                actions.append(.send(RoomRequest(alive, id: 0)))
            }
            if media.needsOffer {
                media.needsOffer = false
                actions.append(.makeOffer(restarts: media.restarts))
            }
            if let command = queue.next(id: requests.lastID + 1, at: now) { sendPassing(command) }
            if let command = conversation.next(id: requests.lastID + 1, at: now) { sendPassing(.chat(command)) }
        }
    }

    private var wakeTime: MediaTime {
        var time: MediaTime
        switch phase {
        case .closed: time = attemptTime
        case .opening(let deadline), .offering(let deadline), .entering(let deadline, request: _): time = deadline
        case .entered:
            let queued = min(queue.wakeTime ?? .distantFuture, conversation.wakeTime)
            time = min(aliveTime, heardTime + settings.interruptedAfter, queued)
        }
        switch status {
        case .connected: time = min(time, heardTime + settings.interruptedAfter)
        case .interrupted: time = min(time, heardTime + settings.lostAfter)
        case .idle, .joining, .lost, .ended, .refused: break
        }
        return time
    }
}
