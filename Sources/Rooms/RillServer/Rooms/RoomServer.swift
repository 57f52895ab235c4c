#if Server
import FoundationEssentials
import Logging
import NIOCore
import RillCore
import RillForward
import RillPeer
import RillRooms
import RillThreads

/// Drives ``/RillRooms/Rooms``: with the channels of clients, the media of a forwarder, tokens, and time.
///
/// All of it happens on this actor, one call after the other: what is written on a channel has the order of the room's
/// log. Nothing waits for clients.
actor RoomServer {
    private let rooms: Rooms
    private let tokens: (any RoomTokenVerifier)?
    private let store: any RoomStore
    /// What is with the store.
    private var storeWork: Set<RoomStoreWork> = []
    private var storeWaiters: [CheckedContinuation<Void, Never>] = []
    private let logger: Logger
    private let clock = LiveClock()
    private var writers: [RoomChannelID: any RoomWriter] = [:]
    /// The epoch of what a channel reads.
    private var epochs: [RoomChannelID: Int] = [:]
    /// Channels that could not take more when they were last written to.
    private var full: Set<RoomChannelID> = []
    private var media: RoomMedia
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()
    private var ticks = 0
    /// When it is woken before the next tick.
    private var wakeTime = MediaTime.distantFuture
    private var eventLoop: (any EventLoop)?
    private var ticker: RepeatedTask?

    /// A server without rooms.
    ///
    /// - Parameters:
    ///   - forwarder: forwards the media.
    ///   - tokens: check tokens; `nil` if none are needed.
    ///   - store: keeps the chats.
    ///   - settings: limits and times.
    ///   - secret: what session tokens are sealed with; `nil` for a secret of this run.
    ///   - logger: where it logs to.
    init(
        forwarder: LiveForwarder, tokens: (any RoomTokenVerifier)?, store: any RoomStore = MemoryRoomStore(),
        settings: RoomSettings, secret: [UInt8]?, logger: Logger
    ) {
        rooms = Rooms(
            settings, sealer: SessionSeal(secret: secret),
            wallClockAtZero: Int(clock.wallClockAtZero / 1_000_000), seed: .random(in: 0 ... .max))
        (self.tokens, self.store, self.logger) = (tokens, store, logger)
        media = RoomMedia(forwarder)
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// From one look at the time to the next: that of levels.
    private static let interval = TimeAmount.milliseconds(100)

    /// The longest message of a client, in bytes: an offer of 21 sections has 106 kB from a browser.
    static let maximumMessageByteCount = 1 << 18

    /// Begins to count time, on a loop of events, as soon as there is a channel.
    func start(on eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    // MARK: Channels

    /// A client opened a channel.
    ///
    /// - Parameter address: whose it is; `nil` if that is not known.
    func open(_ writer: any RoomWriter, from address: IPAddress?) -> RoomChannelID {
        let channel = rooms.open(from: address.map { "\($0)" }, at: clock.now)
        writers[channel] = writer
        if ticker == nil {
            ticker = eventLoop?.scheduleRepeatedTask(initialDelay: Self.interval, delay: Self.interval) { [self] _ in
                Task { await tick() }
            }
        }
        advance()
        return channel
    }

    /// A client's channel is closed.
    func closed(_ channel: RoomChannelID) {
        forget(channel)
        rooms.closed(channel, at: clock.now)
        advance()
    }

    /// A client sent a message.
    func receive(_ bytes: ByteBuffer, from channel: RoomChannelID) {
        let now = clock.now
        do {
            let request = try decoder.decode(RoomRequest.self, from: Data(bytes.readableBytesView))
            rooms.handle(request, from: channel, at: now)
        } catch {
            // One whose number can be read is answered by it.
            struct Numbered: Decodable { var id: Int }
            let request = (try? decoder.decode(Numbered.self, from: Data(bytes.readableBytesView)))?.id ?? 0
            rooms.handleMalformed(Self.reason(error), request, from: channel, at: now)
        }
        advance()
    }

    /// A client sent what is no message.
    func refuse(_ reason: String, from channel: RoomChannelID) {
        rooms.handleMalformed(reason, from: channel, at: clock.now)
        advance()
    }

    /// A client sent a message beside its channel.
    ///
    /// - Returns: whether the session has a channel, on which it is answered.
    func receive(_ bytes: ByteBuffer, ofSession session: String) -> Bool {
        guard let channel = rooms.channel(ofSession: session) else { return false }
        receive(bytes, from: channel)
        return true
    }

    /// Comes in, or back, on a channel.
    func begin(_ request: RoomRequest, on channel: RoomChannelID) {
        rooms.handle(request, from: channel, at: clock.now)
        advance()
    }

    /// Tells clients that the server stops: they come back to the next one.
    func drain() {
        rooms.drain(at: clock.now)
        advance()
    }

    private func forget(_ channel: RoomChannelID) {
        (writers[channel], epochs[channel]) = (nil, nil)
        full.remove(channel)
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "the field \(key.stringValue) is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            String(
                (context.codingPath.map(\.stringValue) + [context.debugDescription]).joined(separator: ": ").prefix(200)
            )
        default: "it is not JSON of this schema"
        }
    }

    // MARK: Time and media

    /// Does what is due; called ten times a second while there are rooms.
    func tick() {
        let now = clock.now
        ticks += 1
        if writers.isEmpty, rooms.names.isEmpty {
            ticker?.cancel()
            ticker = nil
        }
        for channel in full where writers[channel]?.isWritable == true {
            full.remove(channel)
            rooms.setWritable(true, channel, at: now)
        }
        if ticks % 10 == 0 {
            for member in media.heard() { rooms.heard(member, at: now) }
            for (channel, writer) in writers where writer.isOneWay { rooms.heard(channel, at: now) }
        }
        for (room, levels) in media.levels() { rooms.setLevels(levels, in: room, at: now) }
        advance()
    }

    /// Something happened to media.
    func take(_ event: ForwardEvent) {
        let now = clock.now
        switch media.take(event) {
        case .slot(let slot, let member): rooms.setSlot(slot, of: member, at: now)
        case .interest(let interest, let member): rooms.setInterest(interest, of: member, at: now)
        case .firstPicture(let kind, let member, let size):
            rooms.firstPicture(kind, of: member, width: size?.width, height: size?.height, at: now)
        case .speaker(let uid, let room): rooms.setSpeaker(uid, in: room, at: now)
        case .ended(let member): rooms.mediaEnded(member, at: now)
        case nil: return
        }
        advance()
    }

    // MARK: Actions

    private func advance() {
        while true {
            switch rooms.poll(at: clock.now) {
            case .send(let message, let channels): send(message, to: channels)
            case .close(let channel):
                writers[channel]?.close()
                forget(channel)
            case .checkToken(let token, let room, let channel): check(token, room, channel)
            case .negotiate(let offer, let negotiation):
                do throws(RoomError) {
                    let answer = try media.answer(offer, negotiation)
                    rooms.answer(answer, to: negotiation, at: clock.now)
                } catch {
                    rooms.refuse(error, for: negotiation, at: clock.now)
                }
            case .media(let change, let member): media.apply(change, to: member)
            case .store(let changes, let work): write(changes, work)
            case .read(let read, let work): perform(read, work)
            case .wait(let time): return wake(at: time)
            }
        }
    }

    /// What is due before the next look at the time: a batch for the store.
    private func wake(at time: MediaTime) {
        let wait = time - clock.now
        guard let eventLoop, wait.nanoseconds < Self.interval.nanoseconds, time < wakeTime else { return }
        wakeTime = time
        eventLoop.scheduleTask(in: .nanoseconds(max(wait.nanoseconds, 0))) { [self] in
            Task { await wake() }
        }
    }

    private func wake() {
        wakeTime = .distantFuture
        advance()
    }

    // MARK: The store

    private func write(_ changes: [ChatChange], _ work: RoomStoreWork) {
        storeWork.insert(work)
        Task {
            do throws(RoomStoreError) {
                let results = try await store.write(changes)
                rooms.stored(results, for: work, at: clock.now)
            } catch {
                fail(work, error)
            }
            finish(work)
        }
    }

    private func perform(_ read: ChatRead, _ work: RoomStoreWork) {
        storeWork.insert(work)
        Task {
            do throws(RoomStoreError) {
                let result = try await store.perform(read)
                rooms.read(result, for: work, at: clock.now)
            } catch {
                fail(work, error)
            }
            finish(work)
        }
    }

    private func fail(_ work: RoomStoreWork, _ error: RoomStoreError) {
        logger.error("the store of chats failed", metadata: ["reason": "\(error)"])
        rooms.storeFailed(error, for: work, at: clock.now)
    }

    private func finish(_ work: RoomStoreWork) {
        storeWork.remove(work)
        advance()
        guard storeWork.isEmpty, rooms.isStoreIdle else { return }
        for waiter in storeWaiters { waiter.resume() }
        storeWaiters = []
    }

    /// Returns once all that members wrote is stored, or has failed: before the store is closed.
    func finishStoring() async {
        guard !storeWork.isEmpty || !rooms.isStoreIdle else { return }
        await withCheckedContinuation { storeWaiters.append($0) }
    }

    private func send(_ message: RoomMessage, to channels: [RoomChannelID]) {
        // Its own types: they are always encoded.
        guard let data = try? encoder.encode(message) else {
            return logger.critical("a message cannot be encoded", metadata: ["message": "\(message)"])
        }
        let json = ByteBuffer(bytes: data)
        for channel in channels {
            guard let writer = writers[channel] else { continue }
            var position: LogPosition?
            switch message {
            case .welcome(let welcome, _):
                epochs[channel] = welcome.epoch
                position = LogPosition(epoch: welcome.epoch, number: welcome.number)
            case .event(let event): position = epochs[channel].map { LogPosition(epoch: $0, number: event.number) }
            default: break
            }
            writer.write(json, position)
            guard !writer.isWritable, full.insert(channel).inserted else { continue }
            rooms.setWritable(false, channel, at: clock.now)
        }
    }

    private func check(_ token: String?, _ room: String, _ channel: RoomChannelID) {
        guard let tokens else {
            return rooms.grant(RoomGrant(role: .host), to: channel, at: clock.now)
        }
        guard let token else { return rooms.refuse(.unauthorized, for: channel, at: clock.now) }
        Task {
            let grant = await tokens.grant(of: token, in: room)
            if let grant {
                rooms.grant(grant, to: channel, at: clock.now)
            } else {
                rooms.refuse(.unauthorized, for: channel, at: clock.now)
            }
            advance()
        }
    }

    // MARK: Reading

    /// Whether a token lets its bearer into a room.
    func admits(_ token: String?, to room: String) async -> Bool {
        guard let tokens else { return true }
        guard let token else { return false }
        return await tokens.grant(of: token, in: room) != nil
    }

    /// What goes on in all rooms.
    func report() -> OperatorReport {
        let (media, shown) = (media.report(), media.shown)
        return OperatorReport(
            rooms: rooms.names.sorted().compactMap(rooms.state(of:)).map { state in
                OperatorReport.Room(state, members: state.participants.map { .init($0, media[$0.session], shown) })
            })
    }

    /// Revokes the tokens that an identity has.
    ///
    /// - Returns: how many sessions ended.
    func revoke(_ identity: String) -> Int {
        defer { advance() }
        return rooms.revoke(identity, at: clock.now)
    }

    /// Whose a session is; `nil` if it is nobody's now.
    func member(ofSession session: String) -> RoomMember? { rooms.member(ofSession: session) }

    /// Whether a member may write to its room's chat.
    func mayWriteChat(_ member: RoomMember) -> Bool { rooms.mayWriteChat(member) }

    /// Counts, for metrics.
    var statistics: RoomStatistics { rooms.statistics }
}

extension RoomStatistics {
    /// What there is now, for metrics.
    var levels: [String: Int] {
        ["rooms": roomCount, "room_members": memberCount, "room_channels": channelCount, "room_entries": entryCount]
    }

    /// What has happened, for metrics.
    var totals: [String: Int] {
        [
            "room_joins": joins, "room_resumes": resumes, "room_snapshots": snapshots, "room_events": events,
            "room_messages": dataMessages, "room_chat_messages": chatMessages, "room_store_batches": storeBatches,
            "room_store_failures": storeFailures, "room_requests_refused": refusals.values.reduce(0, +),
            "room_sessions_refused": refusals[.tooManySessions] ?? 0,
            "room_channels_slow": endings[.slow] ?? 0, "room_members_dropped": endings[.dropped] ?? 0,
        ]
    }
}
#endif
