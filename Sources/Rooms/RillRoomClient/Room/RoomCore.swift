import Rill
import RillCore
import RillRooms
import RillSession
import RillThreads

/// The core of a ``Room``. Its thread holds this object and not the room, so a room that is released ends.
///
/// `rill-room` polls the client, negotiates and reports. Everybody else feeds the client, and wakes it.
final class RoomCore: Sendable {
    let media: RoomMedia
    let pictures: RoomPictures
    let events: AsyncStream<Room.Event>
    let encryption: FrameEncryption?
    private let settings: RoomSettings
    private let signaling: any RoomSignaling
    private let report: AsyncStream<Room.Event>.Continuation
    private let state: Monitor<State>
    private let people = RoomPeople()
    let answers = RoomAnswers()
    private let watch = Monitor<Task<Void, Never>?>(nil)

    private struct State: ~Copyable {
        let client: RoomClient
        var channel: RoomChannel?
        /// The number of its channel among all: what comes of former ones is not its any more.
        var attempt = 0
        /// The channels that are not closed, former ones too.
        var openCount = 0
        /// Why there is no channel.
        var reason: String?
        /// Whether there is something to poll for.
        var isDue = true
        var isEntered = false
        var isOver = false
        var wants = RoomWants()
        var hasPublished = false
        /// The epoch of the log whose people are known.
        var epoch: Int?

        /// Asks for what is wanted now; returns when that changes by itself.
        mutating func want(isEncrypted: Bool, at now: MediaTime) -> MediaTime {
            guard isEntered, let room = client.room else { return .distantFuture }
            for want in wants.takeDue(in: room, isEncrypted: isEncrypted, at: now) {
                // So many requests wait for an answer: it is asked for with the next one.
                do throws(RoomError) { try client.ask(.want(want), at: now) } catch {
                    wants.forgetAsked(RoomPictures.Key(uid: want.uid, kind: want.kind))
                }
            }
            return wants.nextTime(after: now)
        }
    }

    private var clock: LiveClock { media.call.clock }
    /// A channel that is cut does not hold up who leaves for longer.
    private static let farewellTime = MediaDuration.seconds(1)
    var name: String { settings.join.room }

    init(
        _ settings: RoomSettings, over signaling: any RoomSignaling, source: sending (any FrameSource)?,
        taps: sending SendTaps
    ) throws {
        (self.settings, self.signaling) = (settings, signaling)
        (events, report) = AsyncStream.makeStream(of: Room.Event.self, bufferingPolicy: .bufferingNewest(4096))
        encryption = try settings.encryption.map {
            try FrameEncryption(secret: $0.secret, room: settings.join.room, $0.suite)
        }
        var call = settings.call
        call.encryption = encryption
        // Who neither sends nor receives is in the chat alone.
        let hasMedia = source != nil || settings.slots > 0
        let made = try VideoCall(call, source: source, taps: taps)
        let target = Monitor<(@Sendable (RoomPictures.Event) -> Void)?>(nil)
        let broke = Monitor<(@Sendable () -> Void)?>(nil)
        pictures = RoomPictures(clock: made.clock) { event in target.withLock { $0 }?(event) }
        media = try RoomMedia(made, slots: min(max(settings.slots, 0), 64), pictures) { broke.withLock { $0 }?() }
        var join = settings.join
        if encryption != nil { join.attributes.merge(Participant.encryptedAttributes) { own, _ in own } }
        let client = RoomClient(RoomClientSettings(join, hasMedia: hasMedia), seed: .random(in: 0 ... .max))
        client.join(at: made.clock.now)
        state = Monitor(State(client: client))
        target.withLock { $0 = { [weak self] in self?.take($0) } }
        broke.withLock { $0 = { [weak self] in self?.pathBroke() } }
        if settings.isMuted || !settings.publishesVideo { made.setMuted(true) }
        watch.withLock { $0 = Task { [weak self] in for await event in made.events { self?.take(event) } } }
        _ = try NamedThread("rill-room", timeSlice: .short) { [self] in run() }
    }

    // MARK: The thread

    private func run() {
        var wakeTime = MediaTime.zero
        while !state.withLock({ $0.isOver }) {
            state.wait(untilMonotonic: clock.monotonic(wakeTime)) { state in state.isDue ? () : nil }
            state.withLock { $0.isDue = false }
            wakeTime = step()
            pictures.finishHidden()
        }
        finish()
    }

    /// Does what is due. Returns when to do so again.
    private func step() -> MediaTime {
        while true {
            let now = clock.now
            let (action, next) = state.withLock { state -> (RoomClientAction, MediaTime) in
                let next = state.want(isEncrypted: encryption != nil, at: now)
                let action = state.client.poll(at: now)
                return (action, next)
            }
            switch action {
            case .openChannel: openChannel()
            case .closeChannel: takeChannel()?.close()
            case .send(let request): state.withLock { $0.channel }?.send(request)
            case .makeOffer(let restarts): offer(restarts: restarts)
            case .event(let event): take(event)
            case .wait(let time):
                for them in people.takeGone(at: now) { end(them, .dropped) }
                return min(time, next, people.nextTime)
            }
        }
    }

    private func finish() {
        takeChannel()?.close()
        // What was sent last is out then: others know at once that one has left.
        state.wait(untilMonotonic: clock.monotonic(clock.now + Self.farewellTime)) { $0.openCount <= 0 ? () : nil }
        watch.withLock { $0 }?.cancel()
        media.end()
        pictures.finishHidden(all: true)
        report.yield(.over)
        report.finish()
        answers.end()
    }

    /// Changes the client, and has the thread look at it.
    func change<Value, Failure: Error>(
        _ body: (RoomClient, MediaTime) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let now = clock.now
        return try state.change { (state) throws(Failure) in
            defer { state.isDue = true }
            return try body(state.client, now)
        }
    }

    /// Reads what the client knows.
    func look<Value>(_ body: (RoomClient) -> Value) -> Value { state.withLock { body($0.client) } }

    // MARK: The channel

    private func openChannel() {
        let attempt = state.withLock { state in
            (state.attempt, state.openCount) = (state.attempt + 1, state.openCount + 1)
            return state.attempt
        }
        let channel = signaling.open { [weak self] signal in self?.take(signal, attempt) }
        state.withLock { state in if state.attempt == attempt { state.channel = channel } }
    }

    private func takeChannel() -> RoomChannel? {
        state.withLock { state in
            state.attempt += 1
            return state.channel.take()
        }
    }

    private func take(_ signal: RoomSignal, _ attempt: Int) {
        let now = clock.now
        state.change { state in
            if case .closed = signal { state.openCount -= 1 }
            guard state.attempt == attempt else { return }
            state.isDue = true
            switch signal {
            case .opened: state.client.channelOpened(at: now)
            case .message(let message): state.client.receive(message, at: now)
            // A server that is newer than this client may say more.
            case .unreadable(let reason): state.reason = reason
            case .closed(let reason):
                state.reason = reason
                state.client.channelClosed(at: now)
            }
        }
    }

    // MARK: Media

    private func offer(restarts: Bool) {
        do {
            let offer = try media.offer(restarts: restarts)
            change { client, now in client.offer(offer, at: now) }
        } catch {
            // The client tries again when its time is over.
            report.yield(.mediaFailed(error))
        }
    }

    private func pathBroke() { change { client, now in client.restartMedia(at: now) } }

    private func take(_ event: CallEvent) {
        switch event {
        case .sourceEnded: report.yield(.sourceEnded)
        case .sourceFailed(let error): report.yield(.sourceFailed(error))
        case .sendingFailed(let error): report.yield(.sendingFailed(error))
        case .unopened(_, let layer, let why):
            if let (them, kind) = whose(layer) { report.yield(.unopened(them, kind, why)) }
        case .opened(_, let layer): if let (them, kind) = whose(layer) { report.yield(.opened(them, kind)) }
        default: break
        }
    }

    private func whose(_ layer: StreamLayer.RID) -> (RoomParticipant, MediaKind)? {
        guard let key = media.mid(of: layer).flatMap({ pictures.key(of: $0) }), let them = people[key.uid] else {
            return nil
        }
        return (them, key.kind)
    }

    private func take(_ event: RoomPictures.Event) {
        if case .sinkFailed(let key, _) = event {
            changeWants { wants, _ in wants.setShown(pictures.isShown(key), key) }
        }
        if let event = Room.Event(event, { people[$0] }) { report.yield(event) }
    }

    // MARK: People

    /// Who is there, in the order in which they came; oneself among them.
    var participants: [RoomParticipant] { people.all }

    func show(_ uid: UID, _ kind: MediaKind, on sink: sending any FrameSink) {
        let key = RoomPictures.Key(uid: uid, kind: kind)
        pictures.show(key, on: sink)
        // Somebody who is gone is shown no more.
        guard people[uid] != nil else { return pictures.hide(key) }
        changeWants { wants, _ in wants.setShown(true, key) }
    }

    func hide(_ uid: UID, _ kind: MediaKind) {
        let key = RoomPictures.Key(uid: uid, kind: kind)
        pictures.hide(key)
        changeWants { wants, _ in wants.setShown(false, key) }
    }

    func want(_ layer: CallParticipant.WantedLayer, _ uid: UID, _ kind: MediaKind, priority: Int) {
        changeWants { wants, now in
            wants.want(layer, RoomPictures.Key(uid: uid, kind: kind), priority: priority, at: now)
        }
    }

    private func changeWants(_ body: (inout RoomWants, MediaTime) -> Void) {
        let now = clock.now
        state.change { state in
            body(&state.wants, now)
            state.isDue = true
        }
    }

    // MARK: What the client reports

    private func take(_ event: RoomClientEvent) {
        switch event {
        case .status(let status): take(status)
        case .entered(_, let isFresh): enter(isFresh: isFresh)
        case .snapshot: takeSnapshot()
        case .room(let event): take(event.event)
        case .answer(let answer):
            do { try media.accept(answer) } catch { report.yield(.mediaFailed(error)) }
            publish()
        case .slot(let slot):
            pictures.set(slot)
            if let uid = slot.uid, let kind = slot.kind, let them = people[uid] {
                report.yield(.layerChanged(them, kind, slot))
            }
        case .layer(let interest):
            if interest.kind == .video { media.setWanted(interest.isWanted, interest.layer) }
        case .data(let uid, let text, let missed): report.yield(.data(text, from: uid, missed: missed))
        case .levels(let levels): report.yield(.levels(levels))
        case .conversation: report.yield(.chatChanged)
        case .typing(let uid): if let them = people[uid] { report.yield(.typing(them)) }
        case .reported(let message): report.yield(.reported(message))
        case .sent(let message, let number): report.yield(.sent(message, number: number))
        case .failed(let message, let error): report.yield(.failed(message, error))
        case .done(let request, let number): answers.answer(request, .success(.done(number: number)))
        case .refused(let request, let error):
            if !answers.answer(request, .failure(error)) { report.yield(.refused(error)) }
        case .reports(let request, let reports): answers.answer(request, .success(.reports(reports)))
        case .messages(let request, let messages): answers.answer(request, .success(.messages(messages)))
        }
    }

    private func take(_ status: RoomClientStatus) {
        report.yield(.status(status))
        switch status {
        case .idle, .joining, .connected, .interrupted, .lost: return
        case .refused(let error): answers.enter(.failure(.refused(error)))
        case .ended(let reason): answers.enter(.failure(reason == .left ? .left : .ended(reason)))
        }
        state.withLock { $0.isOver = true }
        answers.fail()
    }

    private func enter(isFresh: Bool) {
        let wasEntered = state.withLock { state in
            defer { state.isEntered = true }
            return state.isEntered
        }
        if wasEntered, isFresh { report.yield(.rejoined) }
    }

    private func takeSnapshot() {
        let now = clock.now
        let (present, own, isRestarted) = state.withLock { state in
            defer { state.epoch = state.client.epoch }
            let isRestarted = state.epoch.map { $0 != state.client.epoch } ?? false
            return (state.client.room?.participants ?? [], state.client.uid, isRestarted)
        }
        tell(people.take(present, own: own, isRestarted: isRestarted, in: self, at: now))
        publish()
        answers.enter(.success(()))
    }

    private func tell(_ change: RoomPeople.Change) {
        for them in change.gone { end(them, .dropped) }
        for them in change.changed {
            // Their wishes are requested again when they publish.
            for kind in MediaKind.allCases {
                state.withLock { $0.wants.forgetAsked(RoomPictures.Key(uid: them.uid, kind: kind)) }
            }
            report.yield(.presenceChanged(them))
        }
        for them in change.came { report.yield(.joined(them)) }
    }

    private func end(_ them: RoomParticipant, _ reason: OfflineReason) {
        pictures.hide(them.uid)
        state.withLock { $0.wants.forget(them.uid) }
        report.yield(.left(them, reason))
    }

    /// Publishes the camera, once both the room and its section are known. The client does so again by itself where the
    /// server has forgotten it.
    private func publish() {
        guard settings.publishesVideo, let mid = media.sendingMid else { return }
        let refusal = state.withLock { state -> RoomError? in
            guard state.isEntered, !state.hasPublished else { return nil }
            state.hasPublished = true
            do throws(RoomError) {
                try state.client.ask(.publish(.video, mid: mid, isMuted: media.call.isMuted), at: clock.now)
            } catch { return error }
            return nil
        }
        if let refusal { report.yield(.refused(refusal)) }
    }

    private func take(_ event: RoomEvent) {
        let (room, own) = look { ($0.room, $0.uid) }
        // The client's picture is newer: what happened since is in it.
        if case .joined(let participant) = event {
            return tell(people.join(room?[participant.uid] ?? participant, own: own, in: self))
        }
        if let room { people.refresh(room) }
        switch event {
        case .offline(_, .becameViewer): break
        case .offline(let uid, let reason):
            if let them = people.leave(uid) { end(them, reason) }
            return
        case .unpublished(let uid, let kind):
            state.withLock { $0.wants.forgetAsked(RoomPictures.Key(uid: uid, kind: kind)) }
            if uid == own, kind == .video { media.call.setMuted(true) }
        case .muted(own, .video, by: _): media.call.setMuted(true)
        default: break
        }
        if let event = Room.Event(event, { people[$0] }) { report.yield(event) }
    }

    /// Waits no longer to be let in.
    func giveUp() { answers.enter(.failure(.unreachable(reason: state.withLock { $0.reason }))) }

    /// Asks for something, and waits for the server's answer.
    func ask(_ command: RoomCommand) async throws(RoomError) -> RoomAnswer {
        let result: Result<RoomAnswer, RoomError> = await withCheckedContinuation { continuation in
            let now = clock.now
            let refusal = state.change { state -> RoomError? in
                guard !state.isOver else { return .sessionEnded }
                do throws(RoomError) {
                    let request = try state.client.ask(command, at: now)
                    answers.add(request) { continuation.resume(returning: $0) }
                    state.isDue = true
                    return nil
                } catch { return error }
            }
            if let refusal { continuation.resume(returning: .failure(refusal)) }
        }
        return try result.get()
    }

    /// Leaves, and does not wait for it.
    func leave() { change { client, now in client.leave(at: now) } }
}
