import RillCore
import RillRooms

/// A client over a link. It checks what it is told against what the server was at that event.
final class WorldClient {
    let name: String
    let link: Link
    private(set) var client: RoomClient
    private unowned let world: RoomWorld
    private let hasMedia: Bool
    private var wire: Wire?
    private var wakeTime = MediaTime.distantFuture
    private var joinCount = 0
    /// The epoch and number of the last event that it saw, and whether a snapshot is expected.
    private var last: (epoch: Int, number: Int)?
    private(set) var snapshotCount = 0
    private(set) var enteredTime: MediaTime?
    private(set) var events: [RoomEvent] = []
    private(set) var statuses: [RoomClientStatus] = []
    /// App data that came, by sender: the texts.
    private(set) var data: [UID: [String]] = [:]
    private(set) var results: [RoomClientEvent] = []
    private(set) var answerCount = 0
    /// Who was seen typing.
    private(set) var typing: [UID] = []
    /// Whether each offer that was requested restarts ICE.
    private(set) var offers: [Bool] = []
    /// Whether more than one snapshot an epoch is right: for one who reads too slowly.
    var mayFallBehind = false

    init(_ name: String, _ link: Link, hasMedia: Bool, session: String?, in world: RoomWorld) {
        (self.name, self.link, self.hasMedia, self.world) = (name, link, hasMedia, world)
        let join = JoinRequest(room: RoomWorld.room, token: name, session: session, name: name.uppercased())
        client = RoomClient(RoomClientSettings(join, hasMedia: hasMedia), seed: world.generator.next())
    }

    /// The number under which the server knows it.
    var serverUID: UID? {
        world.rooms?.state(of: RoomWorld.room)?.participants.first { $0.name == name.uppercased() }?.uid
    }

    var isIn: Bool { client.status == .connected }

    // MARK: The app

    func join() {
        joinCount += 1
        last = nil
        client.join(at: world.now)
        pump()
    }

    func leave() {
        client.leave(at: world.now)
        pump()
    }

    func ask(_ command: RoomCommand) {
        do { try client.ask(command, at: world.now) } catch { world.problem("\(name): \(error)") }
        pump()
    }

    func restartMedia() {
        client.restartMedia(at: world.now)
        pump()
    }

    func send(_ text: String, to uid: UID? = nil) {
        do { try client.send(text, to: uid, at: world.now) } catch {
            results.append(.failed(.data(text, to: uid), error))
        }
        pump()
    }

    func chat(_ text: String) {
        do { try client.chat(text, key: text, at: world.now) } catch { world.problem("\(name): \(error)") }
        pump()
    }

    func resend(_ key: String) {
        do { try client.resend(key: key, at: world.now) } catch { world.problem("\(name): \(error)") }
        pump()
    }

    func restore(_ messages: [OutgoingChat]) {
        do { try client.restore(messages, at: world.now) } catch { world.problem("\(name): \(error)") }
    }

    func read(upTo number: Int) {
        client.read(upTo: number, at: world.now)
        pump()
    }

    func loadOlder() {
        client.loadOlder(at: world.now)
        pump()
    }

    func type() {
        client.typing(at: world.now)
        pump()
    }

    /// The network is cut: nothing arrives for a while.
    func cut(_ duration: MediaDuration) { link.cutUntil = max(link.cutUntil, world.now + duration) }

    /// The system closes the channel, as when an interface goes away. The server does not get to know.
    func reset() {
        guard let wire, wire.isOpenAtClient else { return }
        wire.isOpenAtClient = false
        closed(wire)
    }

    // MARK: The channel

    func opened(_ wire: Wire) {
        guard wire === self.wire, wire.isOpenAtClient else { return }
        client.channelOpened(at: world.now)
        pump()
    }

    func closed(_ wire: Wire) {
        guard wire === self.wire else { return }
        wire.isOpenAtClient = false
        self.wire = nil
        client.channelClosed(at: world.now)
        pump()
    }

    func receive(_ message: RoomMessage, on wire: Wire) {
        guard wire === self.wire, wire.isOpenAtClient else { return }
        client.receive(message, at: world.now)
        pump()
    }

    func pump() {
        while true {
            switch client.poll(at: world.now) {
            case .openChannel:
                let wire = Wire(link)
                self.wire = wire
                world.open(wire, of: self)
            case .closeChannel:
                if let wire { world.close(wire) }
                wire = nil
            case .send(let request): if let wire { world.send(request, on: wire) }
            case .makeOffer(let restarts):
                offers.append(restarts)
                client.offer("offer", at: world.now)
            case .event(let event): take(event)
            case .wait(let time): return wake(at: time)
            }
        }
    }

    private func wake(at time: MediaTime) {
        guard time < wakeTime else { return }
        wakeTime = time
        world.at(time) { [unowned self] in
            guard wakeTime == time else { return }
            wakeTime = .distantFuture
            pump()
        }
    }

    // MARK: Checks

    private func take(_ event: RoomClientEvent) {
        switch event {
        case .status(let status): statuses.append(status)
        case .entered: enteredTime = world.now
        case .snapshot:
            snapshotCount += 1
            if let last, last.epoch == client.epoch, !mayFallBehind { world.problem("\(name) got a second snapshot") }
            check()
        case .room(let numbered):
            world.countEvent()
            events.append(numbered.event)
            if let last, last.epoch == client.epoch, numbered.number != last.number + 1, !mayFallBehind {
                world.problem("\(name) got \(numbered.number) after \(last.number)")
            }
            check(numbered.number)
        case .data(let uid, let text, missed: _): data[uid, default: []].append(text)
        case .answer: answerCount += 1
        case .typing(let uid): typing.append(uid)
        case .levels, .slot, .layer, .conversation, .reported, .reports, .messages: break
        case .done, .refused, .sent, .failed: results.append(event)
        }
    }

    /// Its picture is what the room was after this event. Later events may have been applied already.
    private func check(_ number: Int? = nil) {
        last = (client.epoch, number ?? client.number)
        guard client.number == number ?? client.number else { return }
        let state = world.recorder.states[client.epoch]?[client.number]
        if state == nil || client.room != state {
            let picture = client.room.map { "\($0)" } ?? "nothing"
            world.problem("\(name) has \(picture) at \(client.number), not \(state.map { "\($0)" } ?? "nothing")")
        }
        if client.duplicateCount > 0 || client.gapCount > 0 {
            world.problem("\(name): \(client.duplicateCount) duplicates, \(client.gapCount) gaps")
        }
    }
}
