#if Server
import RillCore
import RillPeer
import RillRoomClient
import RillRooms

/// A member of a room that publishes a coded clip, wants what others publish, and counts what it sees.
///
/// Feed it what its channel and its socket receive; then poll until it returns `wait`. It has no channel, thread, clock
/// or socket, and one owner.
final class Bot {
    enum Action {
        /// Open a channel: a WebSocket.
        case openChannel
        /// Close it. It is forgotten already.
        case closeChannel
        case send(RoomRequest)
        /// Send the datagram that was written.
        case transmit(on: ICEPath)
        case wait(until: MediaTime)
    }

    let name: String
    let client: RoomClient
    private let media: BotMedia
    private var wants: BotWants
    /// How often it goes over from high to low or back, and when next.
    private let switchInterval: MediaDuration?
    private var nextSwitch = MediaTime.distantFuture
    private let hasSound: Bool
    private let isEncrypted: Bool
    private var log = BotLog()
    /// What was asked for of each participant.
    private var asked: [UID: Want.Picture] = [:]
    private var heard: Set<UID> = []
    private var hasPublished = false
    private let start: MediaTime

    init(
        _ name: String, _ settings: RoomClientSettings, _ media: BotMedia, wants: BotWants,
        switchInterval: MediaDuration? = nil, hasSound: Bool, seed: UInt64, at now: MediaTime
    ) {
        (self.name, self.media, self.wants, self.hasSound, start) = (name, media, wants, hasSound, now)
        (isEncrypted, self.switchInterval) = (media.frames.opened != nil, switchInterval)
        client = RoomClient(settings, seed: seed)
        client.join(at: now)
    }

    // MARK: Input

    /// The channel is open.
    func channelOpened(at now: MediaTime) {
        log.channels += 1
        client.channelOpened(at: now)
    }

    /// The channel is closed, or could not be opened.
    func channelClosed(_ reason: String?, at now: MediaTime) {
        if let reason { log.note(error: reason) }
        log.interrupted(at: now)
        client.channelClosed(at: now)
    }

    /// A message came.
    func receive(_ message: RoomMessage, at now: MediaTime) { client.receive(message, at: now) }

    /// What came is not a message.
    func note(error: String) { log.note(error: error) }

    /// A datagram came, at that time and not after `now`.
    func insert(
        _ datagram: inout MutableSpan<UInt8>, on path: ICEPath, at now: MediaTime, arrival: MediaTime
    ) {
        media.insert(&datagram, on: path, at: now, arrival: arrival)
    }

    /// Leaves the room.
    func leave(at now: MediaTime) {
        log.missing = missing(at: now)
        log.participants = client.room?.participants.map(\.name).sorted() ?? []
        client.leave(at: now)
        media.close(at: now)
    }

    // MARK: Polling

    /// What to do next. Call it until it returns `wait`.
    func poll(at now: MediaTime, into bytes: inout [UInt8]) -> Action {
        if now >= nextSwitch { switchLayers(at: now) }
        while true {
            switch client.poll(at: now) {
            case .openChannel: return .openChannel
            case .closeChannel:
                log.interrupted(at: now)
                return .closeChannel
            case .send(let request): return .send(request)
            case .makeOffer(let restarts): offer(restarts: restarts, at: now)
            case .event(let event): take(event, at: now)
            case .wait(let clientTime):
                guard let (action, time) = pollMedia(at: now, into: &bytes) else { continue }
                return action ?? .wait(until: min(clientTime, time, nextSwitch))
            }
        }
    }

    /// What media ask for; `nil` if the client is to be polled again.
    private func pollMedia(at now: MediaTime, into bytes: inout [UInt8]) -> (Action?, MediaTime)? {
        while true {
            switch media.poll(at: now, into: &bytes) {
            case .transmit(on: let path): return (.transmit(on: path), now)
            case .picture(let uid): log.picture(of: uid, at: now)
            case .stateChanged(let state):
                guard state == .disconnected || state == .failed else { continue }
                log.pathLosses += 1
                client.restartMedia(at: now)
                return nil
            case .wait(until: let time): return (nil, time)
            }
        }
    }

    private func offer(restarts: Bool, at now: MediaTime) {
        do throws(PeerError) {
            client.offer(try media.offer(restarts: restarts, at: now), at: now)
        } catch {
            // The client tries again when its time is over.
            log.note(error: "no offer: \(error)")
        }
    }

    // MARK: Events

    private func take(_ event: RoomClientEvent, at now: MediaTime) {
        switch event {
        case .status(let status):
            if case .refused(let error) = status { log.note(error: error) }
        case .entered(_, let isFresh):
            log.entered(isFresh: isFresh, at: now)
            publish(at: now)
        case .snapshot:
            log.snapshots += 1
            // What this client asked for of those who are gone is forgotten.
            asked = asked.filter { client.room?[$0.key] != nil }
            for participant in client.room?.participants ?? [] where participant[.video] != nil {
                log.published(participant.uid, at: now)
            }
            want(at: now)
        case .room(let event):
            log.events += 1
            take(event.event, at: now)
        case .answer(let answer):
            do throws(PeerError) { try media.accept(answer, at: now) } catch {
                log.note(error: "the answer cannot be used: \(error)")
            }
        case .slot(let slot):
            log.slotChanges += 1
            media.slots.set(slot)
        case .refused(_, let error): log.note(error: error)
        case .failed(_, let error): log.note(error: error)
        case .data, .levels, .layer, .done, .sent, .conversation, .typing, .reported, .reports, .messages: break
        }
    }

    private func take(_ event: RoomEvent, at now: MediaTime) {
        switch event {
        case .published(let uid, .video, isMuted: _):
            log.published(uid, at: now)
            want(at: now)
        case .published, .unpublished, .joined: want(at: now)
        case .offline(let uid, _):
            asked[uid] = nil
            heard.remove(uid)
            want(at: now)
        case .muted(let uid, _, by: _), .unmuted(let uid, _), .interrupted(let uid), .back(let uid):
            media.slots.interrupt(uid)
        default: break
        }
    }

    // MARK: Requests

    private func publish(at now: MediaTime) {
        media.isPublishing = true
        guard !hasPublished else { return }
        hasPublished = true
        let mids = media.sendingMids
        for kind in hasSound ? [MediaKind.video, .sound] : [.video] {
            ask(.publish(kind, mid: mids[kind], isMuted: false), at: now)
        }
    }

    /// Asks for what changed since it was last asked for.
    private func want(at now: MediaTime) {
        guard let room = client.room else { return }
        if nextSwitch == .distantFuture, let switchInterval { nextSwitch = now + switchInterval }
        let wanted = wants.pictures(in: room, for: client.uid, isEncrypted: isEncrypted)
        let chosen = Set(wanted.map(\.uid))
        for uid in asked.keys.sorted() where !chosen.contains(uid) && asked[uid] != Want.Picture.none {
            if ask(.want(Want(.none, of: uid)), at: now) { asked[uid] = Want.Picture.none }
        }
        for want in wanted where asked[want.uid] != want.picture {
            if ask(.want(want), at: now) { asked[want.uid] = want.picture }
        }
        guard hasSound else { return }
        for participant in room.participants
        where participant.uid != client.uid && participant[.sound] != nil && !heard.contains(participant.uid)
            && participant.isReadable(isEncrypted: isEncrypted)
        {
            if ask(.want(Want(.high, of: participant.uid, .sound)), at: now) { heard.insert(participant.uid) }
        }
    }

    /// Wants in high what it wanted in low, and the other way round.
    private func switchLayers(at now: MediaTime) {
        nextSwitch = now + (switchInterval ?? .zero)
        wants = wants.swapped
        log.switches += 1
        want(at: now)
    }

    /// Returns whether it waits for an answer.
    @discardableResult
    private func ask(_ command: RoomCommand, at now: MediaTime) -> Bool {
        do throws(RoomError) {
            try client.ask(command, at: now)
            return true
        } catch {
            log.note(error: error)
            return false
        }
    }

    // MARK: Report

    /// Of whom pictures are wanted, and none came in the last two seconds.
    func missing(at now: MediaTime) -> [String] {
        guard let room = client.room else { return [] }
        return wants.pictures(in: room, for: client.uid, isEncrypted: isEncrypted).map(\.uid).filter { uid in
            media.slots.lastPictures[uid].map { now - $0 > .seconds(2) } ?? true
        }.map { room[$0]?.name ?? "\($0)" }.sorted()
    }

    /// What it saw.
    func report(at now: MediaTime) -> BotReport {
        BotReport(name, client, media, log, missing: log.missing ?? missing(at: now), since: start)
    }
}
#endif
