// meeting URL MEETING FOLDER
//
// A meeting with one large picture: a waiting view until somebody is there, then whoever speaks, or their avatar while
// their camera is off. One joins muted. It leaves when it is alone again.
//
//     rill serve & rill join http://127.0.0.1:8080 --room 4711 --sound speech.ogg --count 2 --duration 10s
//     meeting http://127.0.0.1:8080 4711 .

import RillFiles
import RillRoomClient
import RillTranscode

/// The one large view of a window.
func view() -> sending any FrameSink { FrameTap { _ in } }

let arguments = CommandLine.arguments
guard arguments.count >= 4 else { fatalError("URL MEETING FOLDER") }
guard !arguments[2].isEmpty else { fatalError("a meeting has a number") }

var settings = RoomSettings(room: arguments[2], name: "Me")
settings.isMuted = true
let camera = try LiveClip(atEnd: .loop) { try Clip.open("SampleMedia/portrait.ivf") }
let meeting = try await Room.join(settings, at: arguments[1], source: camera)

/// Whom the one large view shows.
var shown: RoomParticipant? {
    didSet {
        guard shown != oldValue else { return }
        oldValue?.hide()
        guard let shown else { return print("waiting for others") }
        print(shown.sends() ? "shows a picture" : "shows an avatar: \(shown.info.avatar ?? "initials")")
        shown.want(.high)
        shown.show(on: view())
    }
}

/// Those who are there, in the order in which they came.
var others: [RoomParticipant] { meeting.participants.filter { !$0.isOwn } }
var (hasSeen, hasHeard, count) = (false, false, 0)
print("waiting for others")

for await event in meeting.events {
    switch event {
    case .joined(let them) where them.isOwn: print("own pictures are muted: \(!them.sends())")
    // Who was there before one came is told in the same way.
    case .joined(let them):
        count += 1
        shown = shown ?? them
    case .published(let them, .video) where them == shown, .unmuted(let them, .video) where them == shown:
        print("shows a picture")
    case .muted(let them, .video, _) where them == shown: print("shows an avatar")
    case .speakerChanged(let speaker):
        guard let speaker, !speaker.isOwn else { break }
        if !hasHeard { print("somebody speaks") }
        hasHeard = true
        shown = speaker
    case .firstPicture(let them, .video, _, _):
        if !hasSeen { print("the first picture is there") }
        hasSeen = true
        if let picture = them.picture() { try PNGWriter.write(picture, to: "\(arguments[3])/meeting.png") }
    case .left(let them, _) where them == shown: shown = others.first
    case .profileChanged(let them): print("\(them.name) has another name or avatar")
    default: break
    }
    // Alone again, after there were others.
    if count > 0, others.isEmpty { break }
}
print("others were there: \(count)")
await meeting.leave()
