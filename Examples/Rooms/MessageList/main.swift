// message-list URL ROOM
//
// A list of chat messages with runs of one author, states and proportional pictures: two people in one program write to
// each other. Needs a chat that is stored:
//
//     rill serve --data FOLDER &
//     message-list http://127.0.0.1:8080 notes

import RillRoomClient

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { fatalError("URL ROOM") }

func join(_ name: String) async throws -> Room {
    var settings = RoomSettings(room: arguments[2], name: name)
    settings.join.avatar = "https://example.org/\(name.lowercased()).png"
    (settings.publishesVideo, settings.slots) = (false, 0)
    return try await Room.join(settings, at: arguments[1])
}

/// Where a message stands in a run of its author: its bubble's corners follow from it.
enum Place: String { case single, first, middle, last }

func place(of index: Int, in messages: [ChatMessage]) -> Place {
    let isAfterOwn = index > 0 && messages[index - 1].author == messages[index].author
    let isBeforeOwn = index + 1 < messages.count && messages[index + 1].author == messages[index].author
    return isAfterOwn ? (isBeforeOwn ? .middle : .last) : (isBeforeOwn ? .first : .single)
}

let (anna, ben) = (try await join("Anna"), try await join("Ben"))
/// Waits until something is so; it is looked at with each event.
func wait(until isThere: () -> Bool) async {
    if isThere() { return }
    for await _ in anna.events where isThere() { return }
}

try anna.chat.send("one")
try anna.chat.send("two")
print("waiting: \(anna.chat.outgoing.map { "\($0.message.text) \($0.delivery)" })")
try anna.chat.send("three")
await wait { anna.chat.conversation.messages.count == 3 }
ben.chat.typing()
try ben.chat.send("four", replyTo: anna.chat.conversation.messages.last?.number)
await wait { anna.chat.conversation.messages.count == 4 }
ben.chat.read(upTo: anna.chat.conversation.lastNumber)
let last = anna.chat.conversation.messages[2]
await wait { anna.chat.conversation.delivery(of: last) == .read }
try await anna.chat.edit(last.number, "three, corrected")
await wait { anna.chat.conversation.messages[2].edited != nil }

let conversation = anna.chat.conversation
for (index, message) in conversation.messages.enumerated() {
    let hasAvatar = anna[message.uid]?.info.avatar != nil
    let state = conversation.delivery(of: message).map { "\($0)" } ?? "theirs, with an avatar: \(hasAvatar)"
    print("\(place(of: index, in: conversation.messages)): \(message.content?.text ?? "deleted"), \(state)")
}
print("unread: \(conversation.unreadCount)")

// An image is shown within a square, as large as its shape allows.
for (width, height) in [(400, 300), (300, 400), (300, 300), (1, 2000)] {
    let size = ChatImage(hash: "", .png, width: width, height: height, byteCount: 0).size(within: 240)
    print("\(width)x\(height) is shown as \(size.width)x\(size.height)")
}
try await anna.chat.delete(last.number)
await wait { anna.chat.conversation.messages[2].content == nil }
print("deleted: \(last.content?.text ?? "")")
await anna.leave()
await ben.leave()
