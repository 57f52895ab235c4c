// stream-chat URL ROOM
//
// The chat of a stream, without media: a streamer and a listener in one program. The streamer turns the chat off and
// on, blocks the listener and lets it write again; the listener reports a message. Needs a chat that is stored:
//
//     rill serve --data FOLDER &
//     stream-chat http://127.0.0.1:8080 stream

import RillRoomClient

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { fatalError("URL ROOM") }

func join(_ name: String, _ role: Role) async throws -> Room {
    var settings = RoomSettings(room: arguments[2], name: name)
    settings.join.role = role
    // Neither sends nor receives pictures.
    (settings.publishesVideo, settings.slots) = (false, 0)
    return try await Room.join(settings, at: arguments[1])
}

let streamer = try await join("Streamer", .host)
let listener = try await join("Listener", .speaker)
// The last messages and the chat's state came with the answer.
let known = listener.chat.conversation
print("known: \(known.messages.count) messages, on: \(known.isEnabled)")

/// Waits until an event of a room answers.
func wait<Value>(_ room: Room, _ find: (Room.Event) -> Value?) async -> Value? {
    for await event in room.events { if let value = find(event) { return value } }
    return nil
}

// A message is listed once it is stored, by its number.
try streamer.chat.send("welcome")
if let message = await wait(listener, { if case .message(let message) = $0 { message } else { nil } }) {
    print("\(message.name): \(message.content?.text ?? "")")
    listener.chat.read(upTo: message.number)
    try await listener.chat.report(message.number, .other, text: "just a try")
}
if let report = await wait(streamer, { if case .reported(let report) = $0 { report } else { nil } }) {
    print("reported: \(report.message?.content?.text ?? ""), because: \(report.report.reason)")
}
print("open reports: \(try await streamer.chat.reports().count)")

// A long text is cut to 255 characters.
let long = String(repeating: "é", count: 300)
try listener.chat.send(long)
let cut = await wait(streamer) {
    if case .message(let message) = $0, message.name == "Listener" { message } else { nil }
}
if let message = cut {
    print("cut to \(message.content?.text.count ?? 0) characters")
    // Who is blocked is told so, and keeps the text.
    try await streamer.chat.setBlocked(true, message.author)
    let key = try listener.chat.send("not now")
    let error = await wait(listener) {
        if case .failed(.chat(let chat), let error) = $0, chat.key == key { error } else { nil }
    }
    print("refused: \(error?.code.rawValue ?? 0), kept: \(listener.chat.unsent.map(\.text))")
    try await streamer.chat.setBlocked(false, message.author)
    try listener.chat.resend(key: key)
    let later = await wait(listener) { if case .message(let later) = $0, later.key == key { later } else { nil } }
    print("sent after all: \(later?.content?.text ?? "")")
}

// While the chat is off the page hides list, field and button.
try await streamer.chat.setEnabled(false)
_ = await wait(listener) { _ in listener.chat.conversation.isEnabled ? nil : true }
print("the chat is off")
try await streamer.chat.setEnabled(true)

// The stream ends: the room is closed, and everybody is out.
try await streamer.close()
let end = await wait(listener) { if case .status(.ended(let reason)) = $0 { reason } else { nil } }
print("ended: \(end.map { "\($0)" } ?? "")")
await streamer.leave()
