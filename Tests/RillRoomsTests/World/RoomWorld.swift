import Foundation
import RillCore
import RillRooms
import RillTestSupport
import Testing

/// A server with rooms and its clients in virtual time. What must hold is checked at each step.
final class RoomWorld {
    static let room = "lobby"
    private(set) var now = MediaTime.zero
    var timeline = Timeline()
    var generator: SeededGenerator
    /// `nil` while the server is down.
    private(set) var rooms: Rooms?
    private(set) var clients: [WorldClient] = []
    private(set) var recorder = Recorder()
    /// It outlives the server.
    let store = WorldStore()
    private let settings: RoomSettings
    private let encodes: Bool
    /// Whether all but the host are guests.
    private let hasGuests: Bool
    private var wires: [RoomChannelID: (wire: Wire, client: WorldClient)] = [:]
    private var serverWake = MediaTime.distantFuture
    private(set) var startCount = 0
    /// When the server started the last time.
    private(set) var startTime = MediaTime.zero
    /// Members that the server has media of.
    private(set) var media: Set<RoomMember> = []
    /// When something arrived from a number for the last time.
    private var contacts: [UID: MediaTime] = [:]
    private(set) var problems: [String] = []
    private(set) var eventCount = 0

    init(seed: UInt64, settings: RoomSettings = RoomSettings(), encodes: Bool = false, hasGuests: Bool = false) {
        generator = SeededGenerator(seed: seed)
        (self.settings, self.encodes, self.hasGuests) = (settings, encodes, hasGuests)
        start()
    }

    func problem(_ text: String) { if problems.count < 20 { problems.append("\(now): \(text)") } }

    // MARK: The server

    func start() {
        startCount += 1
        startTime = now
        rooms = Rooms(
            settings, sealer: TestSealer(), wallClockAtZero: 1_767_225_600_000, seed: generator.next())
        recorder.begin()
        guard let rooms else { return }
        let channel = rooms.open(at: now)
        recorder.channel = channel
        let join = JoinRequest(room: Self.room, token: "recorder", name: "recorder", role: .viewer)
        rooms.handle(RoomRequest(.join(join), id: 1), from: channel, at: now)
        serve()
        beat()
    }

    private func beat() {
        let start = startCount
        timeline.add(at: now + .seconds(1)) { [unowned self] in
            guard startCount == start, let rooms, let channel = recorder.channel else { return }
            rooms.handle(RoomRequest(.alive(number: recorder.number, count: .max), id: 0), from: channel, at: now)
            serve()
            checkGhosts()
            beat()
        }
    }

    /// The process is killed: its sockets are closed, and it remembers nothing.
    func kill() {
        rooms = nil
        startCount += 1
        serverWake = .distantFuture
        store.serverEnded()
        media = []
        contacts = [:]
        for (wire, client) in wires.values {
            wire.isOpenAtServer = false
            timeline.deliver(on: wire, up: false, at: now, in: self) { client.closed(wire) }
        }
        wires = [:]
    }

    /// Does what the server asks for.
    func serve() {
        guard let rooms else { return }
        while true {
            switch rooms.poll(at: now) {
            case .send(let message, let channels):
                for channel in channels { send(message, on: channel) }
            case .close(let channel):
                guard let (wire, client) = wires.removeValue(forKey: channel) else { continue }
                wire.isOpenAtServer = false
                timeline.deliver(on: wire, up: false, at: now, in: self) { client.closed(wire) }
            case .checkToken(let token, room: _, of: let channel):
                let isGuest = hasGuests && token != "host" && token != "recorder"
                let role: Role = token == "host" ? .host : .speaker
                rooms.grant(RoomGrant(identity: isGuest ? nil : token, role: role), to: channel, at: now)
            case .negotiate(offer: _, let negotiation):
                media.insert(negotiation.member)
                rooms.answer("answer", to: negotiation, at: now)
            case .media(.end, let member): media.remove(member)
            case .media: break
            case .store(let changes, let work): store.write(changes, work, in: self)
            case .read(let read, let work): store.read(read, work, in: self)
            case .wait(let time):
                recorder.check(rooms.state(of: Self.room), in: self)
                return wake(at: time)
            }
        }
    }

    private func wake(at time: MediaTime) {
        guard time < serverWake else { return }
        serverWake = time
        let start = startCount
        timeline.add(at: time) { [unowned self] in
            guard startCount == start, serverWake == time else { return }
            serverWake = .distantFuture
            serve()
        }
    }

    private func send(_ message: RoomMessage, on channel: RoomChannelID) {
        if channel == recorder.channel { return recorder.receive(message, in: self) }
        guard let (wire, client) = wires[channel] else { return }
        wire.inFlight += 1
        if wire.inFlight == 40 { rooms?.setWritable(false, channel, at: now) }
        let message = encodes ? coded(message) : message
        timeline.deliver(on: wire, up: false, at: now, in: self) { [unowned self] in
            wire.inFlight -= 1
            if wire.inFlight == 20, wire.isOpenAtServer {
                rooms?.setWritable(true, channel, at: now)
                serve()
            }
            client.receive(message, on: wire)
        }
    }

    /// What another side reads of a message in JSON.
    func coded<Message: Codable & Equatable>(_ message: Message) -> Message {
        do {
            let other = try JSONDecoder().decode(Message.self, from: JSONEncoder().encode(message))
            if other != message { problem("\(message) became \(other)") }
            return other
        } catch {
            problem("\(message): \(error)")
            return message
        }
    }

    private func checkGhosts() {
        for participant in rooms?.state(of: Self.room)?.participants ?? [] where participant.identity != "recorder" {
            guard let contact = contacts[participant.uid], now - contact <= .seconds(15) else {
                problem("a ghost: \(participant.name), last heard \(contacts[participant.uid] ?? .zero)")
                continue
            }
        }
    }

    // MARK: The network

    func arrive(over link: Link, _ action: @escaping () -> Void) {
        guard link.cutUntil > now else { return action() }
        timeline.add(at: link.cutUntil) { [unowned self] in arrive(over: link, action) }
    }

    /// A client opens a channel: TCP tries at once, after 1, 3 and 7 s.
    func open(_ wire: Wire, of client: WorldClient) {
        for wait in [0, 1, 3, 7] as [Int] {
            timeline.add(at: now + .seconds(wait)) { [unowned self] in
                guard wire.isOpenAtClient, wire.channel == nil, wire.link.cutUntil <= now else { return }
                guard let rooms else {
                    wire.isOpenAtClient = false
                    return client.closed(wire)
                }
                let channel = rooms.open(at: now)
                wire.channel = channel
                wire.isOpenAtServer = true
                wires[channel] = (wire, client)
                serve()
                timeline.deliver(on: wire, up: false, at: now, in: self) { client.opened(wire) }
            }
        }
    }

    func send(_ request: RoomRequest, on wire: Wire) {
        let request = encodes ? coded(request) : request
        timeline.deliver(on: wire, up: true, at: now, in: self) { [unowned self] in
            guard wire.isOpenAtServer, let rooms, let channel = wire.channel else { return }
            if let uid = wires[channel]?.client.client.uid { contacts[uid] = now }
            rooms.handle(request, from: channel, at: now)
            serve()
            if let uid = wires[channel]?.client.serverUID { contacts[uid] = now }
        }
    }

    func close(_ wire: Wire) {
        wire.isOpenAtClient = false
        timeline.deliver(on: wire, up: true, at: now, in: self) { [unowned self] in
            guard wire.isOpenAtServer, let rooms, let channel = wire.channel else { return }
            wire.isOpenAtServer = false
            wires[channel] = nil
            rooms.closed(channel, at: now)
            serve()
        }
    }

    /// A participant came in on a client's channel.
    func contact(_ uid: UID) { contacts[uid] = now }

    // MARK: Clients

    /// - Parameter session: of an app of the same person before.
    func addClient(
        _ name: String, delay: MediaDuration = .milliseconds(20), hasMedia: Bool = false, session: String? = nil
    ) -> WorldClient {
        let client = WorldClient(name, Link(delay: delay), hasMedia: hasMedia, session: session, in: self)
        clients.append(client)
        return client
    }

    func countEvent() { eventCount += 1 }

    // MARK: Time

    func at(_ time: MediaTime, _ action: @escaping () -> Void) { timeline.add(at: time, action) }

    func run(until end: MediaTime) {
        while timeline.nextTime <= end {
            now = max(now, timeline.nextTime)
            timeline.next()()
        }
        now = end
    }

    func run(_ duration: MediaDuration) { run(until: now + duration) }
}

/// A viewer at the server itself, who sees each event at once, and keeps what the room was after each.
struct Recorder {
    var channel: RoomChannelID?
    private(set) var number = 0
    private var epoch = 0
    private var state: RoomState?
    /// The room after each event, by epoch and number.
    private(set) var states: [Int: [Int: RoomState]] = [:]

    mutating func begin() { (channel, number, state) = (nil, 0, nil) }

    mutating func receive(_ message: RoomMessage, in world: RoomWorld) {
        switch message {
        case .welcome(let welcome, to: _):
            (epoch, number, state) = (welcome.epoch, welcome.number, welcome.snapshot)
        case .event(let event):
            if event.number != number + 1 { world.problem("the recorder got \(event.number) after \(number)") }
            number = event.number
            state?.apply(event.event)
            // Participants are heard when they come in.
            if case .joined(let participant) = event.event { world.contact(participant.uid) }
        case .bye(let reason): world.problem("the recorder: \(reason)")
        default: return
        }
        states[epoch, default: [:]][number] = state
    }

    /// What it has seen is what the server has.
    func check(_ room: RoomState?, in world: RoomWorld) {
        if channel != nil, let room, let state, state != room {
            world.problem("the recorder has \(state), not \(room)")
        }
    }
}
