// sample-room URL ROOM FOLDER [SECRET]
//
// A room for a few people: one is large, the others small. The camera and its profile are switched while one is in,
// messages go as app data, and with a secret nobody else can watch. It leaves once it has seen and heard somebody.
//
//     rill serve &
//     sample-room http://127.0.0.1:8080 lobby . & sample-room http://127.0.0.1:8080 lobby .

import RillFiles
import RillRoomClient
import RillTranscode

/// A window's tile.
func tile() -> sending any FrameSink { FrameTap { _ in } }

let arguments = CommandLine.arguments
guard arguments.count >= 4 else { fatalError("URL ROOM FOLDER [SECRET]") }
let (url, folder) = (arguments[1], arguments[3])
let camera = try LiveClip(atEnd: .loop) { try Clip.open("SampleMedia/portrait.ivf") }
let other = try LiveClip(atEnd: .loop) { try Clip.open("SampleMedia/portrait-dark.ivf") }

var settings = RoomSettings(room: arguments[2], name: "Anna")
settings.call = VideoCallSettings(layers: [.high(VideoProfile.p640x360), .low])
if arguments.count > 4 { settings.encryption = RoomSettings.Encryption(secret: arguments[4], .aes256GCM) }

// The preview is there before one is in, and mirrored: people know themselves from mirrors.
let preview = AsyncStream.makeStream(of: Resolution.self, bufferingPolicy: .bufferingOldest(1))
let mirror = MirroredSink(FrameTap { picture in preview.continuation.yield(picture.resolution) })

let room: Room
do {
    room = try await Room.join(settings, at: url, source: camera, taps: SendTaps(preprocessed: mirror))
} catch let error as RoomJoinError {
    print(error)  // join failed: 401 unauthorized: …
    throw error
}
print("in \(room.name)")
for await size in preview.stream {
    print("own picture: \(size)")
    break
}

/// The list of messages: the last twenty.
var lines: [String] = [] {
    didSet { if lines.count > 20 { lines.removeFirst() } }
}
var (hasSeen, hasHeard) = (false, false)

/// The large tile has the high layer, and comes first where the network does not carry all.
@MainActor func layOut(large: RoomParticipant) {
    for them in room.participants where !them.isOwn {
        them.want(them == large ? .high : .low, priority: them == large ? 1 : 0)
    }
}

for await event in room.events {
    switch event {
    case .status(.interrupted): lines.append("Connection Interrupted")
    case .status(.lost): lines.append("Connection Lost")
    case .joined(let them) where !them.isOwn:
        layOut(large: them)
        them.show(on: tile())
    case .firstPicture(let them, .video, let size, let delay):
        print("first picture of \(them.name): \(size), within 5 s: \(delay < .seconds(5))")
        hasSeen = true
        try await room.setMuted(true)
        try await room.setMuted(false)
        room.setSource(other)
        room.setBeauty(BeautyOptions())
        try room.setProfile(.p320x240)
        room.setBeauty(.off)
        try room.send("I see you, \(them.name)", to: them.uid)
    case .muted(let them, .video, _): print("\(them.isOwn ? "own" : "their") pictures are muted")
    case .unmuted(let them, .video): print("\(them.isOwn ? "own" : "their") pictures go on")
    case .unopened(_, _, let reason): print("encrypted with another secret: \(reason)")
    case .data(let text, let uid, _):
        lines.append("\(room[uid]?.name ?? "\(uid)"): \(text)")
        hasHeard = true
    case .failed(.data(let text, _), let error): print("\(text) was refused: \(error)")
    case .refused(let error): print("refused: \(error.code.rawValue)")
    case .sourceFailed(let error): print("the camera is gone: \(error)")
    case .left(let them, let reason): print("\(them.name) is gone: \(reason)")
    default: break
    }
    guard hasSeen, hasHeard, let them = room.participants.first(where: { $0.picture() != nil }) else { continue }
    print("a message came: \(lines.last ?? "")")
    // Frames a second, bits and loss of the tile, as its label shows them.
    print("freezes: \(them.statistics()?.freezes.freezeCount ?? 0)")
    if let picture = them.picture() { try PNGWriter.write(picture, to: "\(folder)/sample-room.png") }
    break
}
await room.leave()
print("left")
