// two-way-call HOST:PORT LISTENING-PORT KEY-FILE [SECONDS]
//
// A two-way call over SRTP, with both layers in each direction. Halfway through, this side mutes for a second.
//
//     rill key call.key
//     two-way-call 127.0.0.1:5005 5004 call.key & two-way-call 127.0.0.1:5004 5005 call.key 12

import Foundation
import Rill
import RillTranscode

let arguments = CommandLine.arguments
guard arguments.count >= 4, let port = UInt16(arguments[2]) else {
    fatalError("HOST:PORT LISTENING-PORT KEY-FILE [SECONDS]")
}
let seconds = arguments.count > 4 ? Int(arguments[4]) ?? 8 : 8
let key = try SRTPKey(base64: String(contentsOfFile: arguments[3], encoding: .utf8))

let socket = try UDPSocket(boundTo: UDPAddress(.v4(0), port: port))
let call = try VideoCall(source: LiveClip(atEnd: .loop) { try Clip.open("SampleMedia/portrait.ivf") })
let them = try call.connect(to: .resolve(arguments[1]), over: socket, key: key)
for layer in them.layers { try them.show(layer, on: FrameTap { picture in _ = picture }) }
Task {
    try await Task.sleep(for: .seconds(seconds / 2))
    call.setMuted(true)
    try await Task.sleep(for: .seconds(1))
    call.setMuted(false)
    try await Task.sleep(for: .seconds(seconds / 2 - 1))
    await call.end(reason: "good night")
}
for await event in call.events { print(event) }
print(call.statistics)
