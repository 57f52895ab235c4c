// library-roomclient: RillRoomClient alone, over a channel of its own. Two apps meet in a room whose server is in the
// same process: one writes, the other answers.

import RillRoomClient
import Synchronization

/// Session tokens as plain text: a server would add an HMAC.
struct PlainSeal: SessionSealer {
    func seal(_ bytes: [UInt8]) -> String { bytes.map { "\($0)" }.joined(separator: ".") }
    func open(_ token: String) -> [UInt8]? {
        let bytes = token.split(separator: ".").map { UInt8($0) }
        return bytes.contains(nil) ? nil : bytes.compactMap(\.self)
    }
}

/// A server of rooms, and the way to it.
final class OwnServer: RoomSignaling {
    private struct State: ~Copyable {
        let rooms = Rooms(sealer: PlainSeal(), wallClockAtZero: 1_800_000_000_000, seed: 1)
        /// Chats in memory; a server would have a database.
        var chats = ChatTables()
        var handles: [RoomChannelID: @Sendable (RoomSignal) -> Void] = [:]
    }

    private let state = Mutex(State())
    private let clock = LiveClock()

    func open(_ handle: @escaping @Sendable (RoomSignal) -> Void) -> RoomChannel {
        let channel = state.withLock { state in
            let channel = state.rooms.open(at: clock.now)
            state.handles[channel] = handle
            return channel
        }
        handle(.opened)
        return RoomChannel { [self] request in
            state.withLock { state in
                state.rooms.handle(request, from: channel, at: clock.now)
                serve(&state)
            }
        } close: { [self] in
            state.withLock { state in
                state.handles[channel] = nil
                state.rooms.closed(channel, at: clock.now)
                serve(&state)
            }
            handle(.closed(reason: nil))
        }
    }

    private func serve(_ state: inout State) {
        let now = clock.now
        while true {
            switch state.rooms.poll(at: now) {
            case .send(let message, let channels):
                for channel in channels { state.handles[channel]?(.message(message)) }
            case .checkToken(_, _, let channel): state.rooms.grant(RoomGrant(), to: channel, at: now)
            case .negotiate(_, let offer): state.rooms.refuse(.descriptionRefused("no media here"), for: offer, at: now)
            case .store(let changes, let work):
                do throws(RoomStoreError) {
                    state.rooms.stored(try state.chats.write(changes), for: work, at: now)
                } catch {
                    state.rooms.storeFailed(error, for: work, at: now)
                }
            case .read(let read, let work): state.rooms.read(state.chats.perform(read), for: work, at: now)
            case .close, .media: break
            case .wait: return
            }
        }
    }
}

let server = OwnServer()

func join(_ name: String) async throws -> Room {
    var settings = RoomSettings(room: "lobby", name: name)
    settings.slots = 0
    return try await Room.join(settings, over: server)
}

let (anna, ben) = (try await join("Anna"), try await join("Ben"))
try anna.chat.send("hello")
for await event in ben.events {
    guard case .message(let message) = event else { continue }
    try ben.chat.send("hello, \(message.name)", replyTo: message.number)
    break
}
for await event in anna.events {
    guard case .message(let message) = event, message.name == "Ben" else { continue }
    print("\(anna.participants.map(\.name)): \(message.content?.text ?? ""), to message \(message.replyTo ?? 0)")
    break
}
await ben.leave()
await anna.leave()
print("over: \(anna.status)")
