#if Window
import Foundation
import Rill
import RillCore
import RillRTP
import RillTransport
import RillWindow

extension PreviewCommand {
    /// Starts the source, the call or the streams, and adds a tile to the window for each.
    func makePeople(in window: Window) throws -> (calls: [VideoCall], people: [Person]) {
        if areDescriptions { return try receive(in: window) }
        return call ? try callThem(in: window) : try showSource(in: window)
    }

    // MARK: Yourself

    private func showSource(in window: Window) throws -> (calls: [VideoCall], people: [Person]) {
        let tile = window.add(sources.first ?? "the portrait scene")
        let call = try begin(shownIn: tile)
        let isCamera = sources.first.flatMap(cameraSelection) != nil
        return ([call], [Person(tile.name, tile, call: 0, nil, isMirrored: mirror ?? isCamera)])
    }

    private func begin(shownIn tile: Tile) throws -> VideoCall {
        let source = try openSource(sources.first, atEnd: .loop, clipOptions, cameraOptions)
        let size = source.format.resolution
        var settings = VideoCallSettings(layers: [.high(size, bitrate: .suggested(for: size, codec: .default)), .low])
        settings.send.beauty = beauty.options
        settings.send.faces = try facesOptions.detection(for: beauty.options) { StandardError.print($0) }
        settings.statisticsInterval = .seconds(1)
        return try VideoCall(settings, source: source, taps: SendTaps(preprocessed: tile))
    }

    // MARK: A call

    private func callThem(in window: Window) throws -> (calls: [VideoCall], people: [Person]) {
        guard let to, let listen else { throw CommandError("--call needs --to and --listen") }
        let key = try keyFile.map(KeyFile.read)
        let address = try resolve(to, of: "--to")
        guard key != nil || address.ip.isLoopback else {
            throw CommandError(
                "without --key-file the call to \(to) would not be encrypted, which is allowed on this machine only")
        }
        let (theirs, own) = (window.add(to), window.add("you"))
        let call = try begin(shownIn: own)
        let socket = try UDPSocket(boundTo: UDPAddress(address.ip.listening(isProtected: key != nil), port: listen))
        let them = try call.add(ParticipantSettings(to, at: address, key: key), over: socket) { them in
            try them.show(on: theirs)
        }
        return (
            [call],
            [
                Person(to, theirs, call: 0, them, isMirrored: false),
                Person("you", own, call: 0, nil, isMirrored: mirror ?? true),
            ]
        )
    }

    // MARK: Streams

    /// Receives the streams of each description on its own port.
    private func receive(in window: Window) throws -> (calls: [VideoCall], people: [Person]) {
        var settings = VideoCallSettings()
        settings.statisticsInterval = .seconds(1)
        let call = try VideoCall(settings, source: nil)
        var people: [Person] = []
        for path in sources { people.append(try receive(path, call, in: window)) }
        return ([call], people)
    }

    private func receive(_ path: String, _ call: VideoCall, in window: Window) throws -> Person {
        let incoming = try IncomingStream(describedIn: path)
        for remark in incoming.remarks { StandardError.print("\(path): \(remark)") }
        var settings = incoming.them
        settings.name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        settings.layers = []
        let isProtected = settings.receivingKey != nil
        let address = UDPAddress(incoming.address.ip.listening(isProtected: isProtected), port: incoming.address.port)
        let socket = try UDPSocket(boundTo: address)
        let tile = window.add(settings.name)
        let them = try call.add(settings, over: socket) { them in try them.show(on: tile) }
        return Person(settings.name, tile, call: 0, them, isMirrored: false)
    }
}
#endif
