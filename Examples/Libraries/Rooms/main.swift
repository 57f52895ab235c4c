// library-rooms: RillRooms alone. Two people meet in a room; one is cut off, the other writes, and the first reads on.
// Time is virtual.

import RillRooms

/// Session tokens as plain text: a server would add an HMAC.
struct PlainSeal: SessionSealer {
    func seal(_ bytes: [UInt8]) -> String { bytes.map { "\($0)" }.joined(separator: ".") }
    func open(_ token: String) -> [UInt8]? {
        let bytes = token.split(separator: ".").map { UInt8($0) }
        return bytes.contains(nil) ? nil : bytes.compactMap(\.self)
    }
}

/// A server whose channels are lists of messages.
final class Server {
    let rooms = Rooms(sealer: PlainSeal(), wallClockAtZero: 1_800_000_000_000, seed: 1)
    var now = MediaTime.zero
    /// Chats in memory; a server would have a database.
    private var chats = ChatTables()
    private var messages: [RoomChannelID: [RoomMessage]] = [:]

    /// Opens a channel with its first request; returns it with the welcome.
    func open(_ command: RoomCommand) -> (channel: RoomChannelID, welcome: Welcome?) {
        let channel = rooms.open(at: now)
        ask(command, on: channel)
        guard case .welcome(let welcome, _) = messages[channel]?.first else { return (channel, nil) }
        return (channel, welcome)
    }

    func ask(_ command: RoomCommand, on channel: RoomChannelID) {
        rooms.handle(RoomRequest(command, id: 1), from: channel, at: now)
        while true {
            switch rooms.poll(at: now) {
            case .send(let message, let channels): for to in channels { messages[to, default: []].append(message) }
            case .checkToken(_, _, let channel): rooms.grant(RoomGrant(), to: channel, at: now)
            case .negotiate(_, let offer): rooms.refuse(.descriptionRefused("no media here"), for: offer, at: now)
            case .store(let changes, let work):
                do throws(RoomStoreError) {
                    rooms.stored(try chats.write(changes), for: work, at: now)
                } catch {
                    rooms.storeFailed(error, for: work, at: now)
                }
            case .read(let read, let work): rooms.read(chats.perform(read), for: work, at: now)
            case .close, .media: break
            case .wait: return
            }
        }
    }

    /// The events that came on a channel.
    func events(_ channel: RoomChannelID) -> [NumberedEvent] {
        (messages[channel] ?? []).compactMap { if case .event(let event) = $0 { event } else { nil } }
    }
}

let server = Server()
let anna = server.open(.join(JoinRequest(room: "lobby", name: "Anna")))
let ben = server.open(.join(JoinRequest(room: "lobby", name: "Ben")))
let known = server.events(anna.channel)
server.rooms.closed(anna.channel, at: server.now)
server.now = server.now + .seconds(2)
server.ask(.chat(key: "1", text: "hello"), on: ben.channel)
let again = server.open(
    .resume(
        session: anna.welcome?.session ?? "", epoch: anna.welcome?.epoch ?? 0, number: known.last?.number ?? 0, count: 0
    ))
let texts = server.events(again.channel).compactMap { event in
    if case .chat(let message) = event.event { message.content?.text } else { nil }
}
print("before the cut: \(known.count) event; after it: \(texts), without a snapshot: \(again.welcome?.snapshot == nil)")
print("people:", server.rooms.state(of: "lobby")?.participants.map(\.name) ?? [])
