#if Server
import Rill
import RillCore
import RillPeer
import RillRoomClient
import RillRooms
import RillSecurity
import RillThreads
import RillTransport

/// Runs bots: each with a UDP socket and a WebSocket of its own, all on the thread that calls ``run(until:)``.
final class BotRun {
    /// What makes bots.
    struct Settings {
        let room: String
        let name: String
        let count: Int
        let wants: BotWants
        /// How often each goes over from high to low or back; `nil` for never.
        let switchInterval: MediaDuration?
        /// The token of the bot with that name; `nil` for none.
        let token: (String) throws -> String?
        /// The keys of frames; `nil` in the clear.
        let encryption: (keys: any SFrameKeys, suite: SFrameSuite)?
        /// How many further ones join or leave each second.
        let changesPerSecond: Double
        /// How long to try while none is in the room.
        let timeout: MediaDuration
    }

    /// A bot with its channels.
    private struct Place {
        let bot: Bot
        let socket: UDPSocket
        let addresses: LocalAddresses
        var webSocket: RoomChannel?
        /// The number of its WebSocket among all that it opened: what comes of former ones is not its any more.
        var attempt = 0
        var wakeTime = MediaTime.zero
        /// When it is forgotten, after it has left.
        var endTime: MediaTime?
    }

    private struct Input: Sendable {
        let place: Int
        let attempt: Int
        let input: RoomSignal
    }

    /// What became of the further ones.
    struct Guests: Encodable {
        var joined = 0
        var left = 0
        /// Of those who left: how many had seen a picture.
        var sawPictures = 0
        var freezes = 0
        var undecodable = 0
        var errors: [String: Int] = [:]
    }

    private let settings: Settings
    private let media: BotMediaSettings
    private let webSockets: RoomWebSockets
    private let clock: LiveClock
    private let sockets: SocketSet
    private let inbox = Monitor([Input]())
    private var places: [Int: Place] = [:]
    private var placeCount = 0
    private var guests: [Int] = []
    private(set) var guestCounts = Guests()
    private var nextChange: MediaTime
    private var lastLine = ""
    private static let guestName = "guest "
    private var bytes: [UInt8] = []
    private var incoming = IncomingDatagrams(capacity: 64)
    private var outgoing = OutgoingDatagrams(capacity: 64)

    init(
        _ settings: Settings, _ media: BotMediaSettings, over webSockets: RoomWebSockets, clock: LiveClock
    ) throws {
        (self.settings, self.media, self.webSockets, self.clock) = (settings, media, webSockets, clock)
        sockets = try SocketSet()
        nextChange = settings.changesPerSecond > 0 ? clock.now : .distantFuture
        for number in 1...settings.count { try add("\(settings.name) \(number)") }
    }

    @discardableResult
    private func add(_ name: String) throws -> Int {
        let now = clock.now
        let (socket, addresses) = try LocalAddresses.listen(at: UDPAddress(.anyV6, port: 0), announcing: nil)
        let local = addresses.candidates.map { ip, number in
            (address: UDPAddress(ip, port: socket.localAddress.port), socket: number)
        }
        // Each is a sender of its own.
        let encryption = try settings.encryption.map { try FrameEncryption($0.keys, $0.suite) }
        let join = JoinRequest(
            room: settings.room, token: try settings.token(name), name: name,
            attributes: encryption == nil ? [:] : Participant.encryptedAttributes)
        let bot = Bot(
            name, RoomClientSettings(join, hasMedia: true), BotMedia(media, encryption, place: placeCount, at: local),
            wants: settings.wants, switchInterval: settings.switchInterval, hasSound: media.sound != nil,
            seed: .random(in: 0 ... .max), at: now)
        try sockets.add(socket, key: placeCount)
        places[placeCount] = Place(bot: bot, socket: socket, addresses: addresses)
        placeCount += 1
        return placeCount - 1
    }

    // MARK: The thread

    /// Runs the bots.
    ///
    /// - Parameter isOver: asked at least five times a second; then they leave.
    /// - Returns: what each saw, in their order.
    /// - Throws: ``TransportError``; ``CommandError`` if none came in.
    func run(until isOver: () -> Bool) throws -> [BotReport] {
        var lastConnected = clock.now
        while !isOver() {
            if nextChange <= clock.now { try change() }
            try step(until: min(clock.now + .milliseconds(200), nextChange))
            let statuses = places.values.map(\.bot.client.status)
            tell()
            if statuses.contains(where: { $0 == .connected }) { lastConnected = clock.now }
            let isLost = clock.now - lastConnected > settings.timeout || statuses.allSatisfy(\.isOver)
            guard isLost else { continue }
            let errors = places[0].map { $0.bot.report(at: clock.now).errors.keys.sorted() } ?? []
            throw CommandError(
                "no bot is in the room: \((errors.isEmpty ? ["no answer"] : errors).joined(separator: "; "))",
                .unreadableInput)
        }
        return try finish()
    }

    /// Says how many are in the room, and whether they see all that they want, when that changes.
    private func tell() {
        let now = clock.now
        let bots = places.filter { !guests.contains($0.key) && $0.value.endTime == nil }.map(\.value.bot)
        let present = bots.count { $0.client.status == .connected }
        let missing = bots.reduce(0) { sum, bot in
            // Who comes or goes each second is not waited for.
            sum + bot.missing(at: now).count { !$0.hasPrefix(Self.guestName) }
        }
        let line =
            "\(present) of \(settings.count) in the room"
            + (present < settings.count ? "" : missing == 0 ? ", all pictures there" : ", pictures missing")
        guard line != lastLine else { return }
        lastLine = line
        StandardError.print(line)
    }

    private func finish() throws -> [BotReport] {
        let all = places.keys.sorted()
        // All look at the room before the first one leaves.
        let reports = all.filter { !guests.contains($0) && places[$0]?.endTime == nil }.compactMap { place in
            places[place].map { $0.bot.report(at: clock.now) }
        }
        for place in all { leave(place) }
        let end = clock.now + .milliseconds(500)
        while clock.now < end { try step(until: end) }
        return reports
    }

    /// One more comes, or the oldest of those leaves.
    private func change() throws {
        nextChange += MediaDuration(nanoseconds: Int64(1e9 / settings.changesPerSecond))
        // Two are there in the mean.
        if guests.count < 2 || guests.count < 3 && Bool.random() {
            guestCounts.joined += 1
            guests.append(try add(Self.guestName + "\(guestCounts.joined)"))
            return
        }
        let place = guests.removeFirst()
        guard let bot = places[place]?.bot else { return }
        let report = bot.report(at: clock.now)
        guestCounts.left += 1
        if !report.received.isEmpty { guestCounts.sawPictures += 1 }
        guestCounts.freezes += report.freezes
        guestCounts.undecodable += report.undecodable
        for (error, count) in report.errors { guestCounts.errors[error, default: 0] += count }
        leave(place)
    }

    private func leave(_ place: Int) {
        guard let bot = places[place]?.bot, places[place]?.endTime == nil else { return }
        bot.leave(at: clock.now)
        places[place]?.endTime = clock.now + .milliseconds(300)
        places[place]?.wakeTime = clock.now
    }

    /// Does what is due, and waits for the next thing.
    private func step(until deadline: MediaTime) throws {
        takeInputs()
        let now = clock.now
        for (place, entry) in places {
            if entry.wakeTime <= now { try serve(place, at: now) }
            if let end = entry.endTime, end <= now { places[place] = nil }
        }
        let wakeTime = places.values.reduce(deadline) { min($0, $1.wakeTime) }
        var ready: [Int] = []
        try sockets.wait(untilMonotonic: clock.monotonic(wakeTime)) { ready.append($0) }
        for place in ready { try receive(place) }
    }

    private func takeInputs() {
        let inputs = inbox.withLock { inputs in
            defer { inputs = [] }
            return inputs
        }
        let now = clock.now
        for input in inputs {
            guard let entry = places[input.place], entry.attempt == input.attempt else { continue }
            switch input.input {
            case .opened: entry.bot.channelOpened(at: now)
            case .message(let message): entry.bot.receive(message, at: now)
            case .unreadable(let reason): entry.bot.note(error: "a message cannot be read: \(reason)")
            case .closed(let reason): entry.bot.channelClosed(reason, at: now)
            }
            places[input.place]?.wakeTime = now
        }
    }

    private func receive(_ place: Int) throws {
        guard let entry = places[place] else { return }
        do throws(TransportError) {
            guard case .received = try entry.socket.receive(into: &incoming, within: .zero) else { return }
        } catch {
            // A datagram of ours was refused somewhere: the next one may not be.
            return
        }
        let now = clock.now
        for index in incoming.indices {
            let path = ICEPath(
                socket: entry.addresses.number(of: incoming.localAddress(at: index)), incoming.source(at: index))
            // Many bots wait for this thread: the kernel knows when it came.
            let arrival = clock.arrival(monotonic: incoming.arrivalTime(at: index), notAfter: now)
            incoming.withBytes(at: index) { bytes in
                entry.bot.insert(&bytes, on: path, at: now, arrival: arrival)
            }
        }
        places[place]?.wakeTime = now
    }

    private func serve(_ place: Int, at now: MediaTime) throws {
        guard let entry = places[place] else { return }
        // Not copied: its memory is used again each time.
        var bytes: [UInt8] = []
        swap(&bytes, &self.bytes)
        defer { swap(&bytes, &self.bytes) }
        while true {
            switch entry.bot.poll(at: now, into: &bytes) {
            case .openChannel: open(place)
            case .closeChannel:
                places[place]?.webSocket?.close()
                places[place]?.webSocket = nil
                places[place]?.attempt += 1
            case .send(let request): places[place]?.webSocket?.send(request)
            case .transmit(on: let path):
                if outgoing.isFull { flush(entry.socket) }
                outgoing.append(to: path.remote, from: entry.addresses.source(path.socket)) { output in
                    output.append(copying: bytes.span)
                }
            case .wait(until: let time):
                flush(entry.socket)
                places[place]?.wakeTime = PollBound.wait(until: time, after: now)
                return
            }
        }
    }

    /// Sends datagrams. One that the system does not take is as if it were lost, and repeated like that.
    private func flush(_ socket: UDPSocket) {
        guard !outgoing.isEmpty else { return }
        _ = socket.send(&outgoing)
        outgoing.removeAll()
    }

    private func open(_ place: Int) {
        places[place]?.attempt += 1
        guard let attempt = places[place]?.attempt else { return }
        places[place]?.webSocket = webSockets.open { [inbox, sockets] input in
            inbox.withLock { $0.append(Input(place: place, attempt: attempt, input: input)) }
            sockets.wake()
        }
    }
}

extension RoomClientStatus {
    /// Whether it does not come back by itself.
    fileprivate var isOver: Bool {
        switch self {
        case .ended, .refused: true
        case .idle, .joining, .connected, .interrupted, .lost: false
        }
    }
}
#endif
