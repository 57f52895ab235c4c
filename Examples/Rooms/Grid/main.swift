// grid URL ROOM FOLDER COUNT
//
// Up to seventeen people in a grid of two columns that scrolls: who is visible is received in high, the others in low.
// It scrolls once COUNT people are seen, and leaves when those at the end are high.
//
//     rill serve & rill join http://127.0.0.1:8080 --room lobby --count 6
//     grid http://127.0.0.1:8080 lobby . 6

import RillFiles
import RillRoomClient
import RillTranscode

/// A window's tile.
func tile() -> sending any FrameSink { FrameTap { _ in } }

let arguments = CommandLine.arguments
guard arguments.count >= 5, let count = Int(arguments[4]) else { fatalError("URL ROOM FOLDER COUNT") }

/// The tiles, in the order in which people came, oneself among them; so many are visible at a time.
var tiles: [RoomParticipant] = []
let visibleCount = 4
var first = 0

/// Visible tiles want high, the others low; none is wanted of oneself.
@MainActor func scroll(to place: Int) {
    first = place
    for (place, them) in tiles.enumerated() where !them.isOwn {
        them.want((first..<first + visibleCount).contains(place) ? .high : .low)
    }
}

var settings = RoomSettings(room: arguments[2], name: "Grid")
// Both streams: 640x360, and 160x120 at 5 frames a second and 45 kbit/s. The number is the server's to give.
settings.call = VideoCallSettings(layers: [.high(VideoProfile.p640x360), .low])
settings.join.role = .speaker
let camera = try LiveClip(atEnd: .loop) { try Clip.open("SampleMedia/portrait.ivf") }
let room = try await Room.join(settings, at: arguments[1], source: camera)
print("in as a number of the server's: \(room.own?.uid.rawValue ?? 0 > 0)")

var seen: Set<RoomParticipant> = []
var isScrolled = false
for await event in room.events {
    switch event {
    case .joined(let them):
        tiles.append(them)
        scroll(to: first)
        if !them.isOwn { them.show(on: tile()) }
    case .left(let them, _):
        tiles.removeAll { $0 == them }
        scroll(to: first)
    case .firstPicture(let them, .video, _, _): seen.insert(them)
    case .muted(let them, .video, _), .unpublished(let them, .video): print("tile of \(them.name) is hidden")
    case .unmuted(let them, .video): print("tile of \(them.name) is shown again")
    case .roleChanged(let them) where them.isOwn && them.info.role == .viewer: print("only watching now")
    case .layerChanged, .sizeChanged: break
    default: continue
    }
    guard seen.count >= count else { continue }
    let layers = tiles.map { $0.isOwn ? "own" : $0.slot()?.layer ?? "none" }
    let isRight = tiles.enumerated().allSatisfy { place, them in
        them.isOwn || layers[place] == ((first..<first + visibleCount).contains(place) ? "high" : "low")
    }
    guard isRight else { continue }
    print("layers: \(layers.joined(separator: " "))")
    guard isScrolled else {
        isScrolled = true
        scroll(to: max(tiles.count - visibleCount, 0))
        continue
    }
    break
}
for (place, them) in tiles.enumerated() {
    if let picture = them.picture() { try PNGWriter.write(picture, to: "\(arguments[3])/grid-\(place).png") }
}
await room.leave()
print("left, tiles: \(tiles.count)")
