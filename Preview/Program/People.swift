import Foundation
import Rill
import RillContainers
import RillCore
import RillFiles
import RillSecurity
import RillTransport
import Scenes
import Screen

extension PreviewCommand {
    /// Starts the source, the call or the streams, and adds a tile to the window for each.
    func makePeople(in window: Window) throws -> (calls: [VideoCall], people: [Person]) {
        if areDescriptions { return try receive(in: window) }
        return call ? try callThem(in: window) : try showSource(in: window)
    }

    // MARK: Yourself

    private func showSource(in window: Window) throws -> (calls: [VideoCall], people: [Person]) {
        let tile = window.add(sources.first ?? "the portrait scene")
        let call = try begin(shownIn: tile, try openSource())
        return ([call], [Person(tile.name, tile, call: 0, nil, isMirrored: mirror ?? isCamera)])
    }

    private func begin(shownIn tile: Tile, _ source: sending any FrameSource) throws -> VideoCall {
        let size = source.format.resolution
        var settings = VideoCallSettings(layers: [.high(size, bitrate: .suggested(for: size, codec: .vp8)), .low])
        settings.send.beauty = beauty.options
        settings.send.faces = try faceDetection()
        settings.statisticsInterval = .seconds(1)
        return try VideoCall(settings, source: source, taps: SendTaps(preprocessed: tile))
    }

    private var isCamera: Bool { camera != nil }

    private var camera: CameraSelection? {
        guard let name = sources.first else { return nil }
        let prefix = "camera:"
        if name.hasPrefix(prefix) { return CameraSelection(String(name.dropFirst(prefix.count))) }
        return name.hasPrefix("/dev/") ? .path(name) : nil
    }

    private func openSource() throws -> sending any FrameSource {
        if let camera { return try V4L2Camera(camera) }
        guard let path = sources.first else { return try PortraitScene(resolution: .vga, frameRate: 30) }
        return try LiveClip(atEnd: .loop) { try PreviewCommand.openClip(path) }
    }

    private static func openClip(_ path: String) throws -> any FrameSource {
        if path.lowercased().hasSuffix(".y4m") { return try Y4MReader(path: path) }
        return try ContainerSource(path: path)
    }

    // MARK: A call

    private func callThem(in window: Window) throws -> (calls: [VideoCall], people: [Person]) {
        guard let to, let listen else { throw PreviewError("--call needs --to and --listen") }
        let key = try readKey()
        let address = try UDPAddress.resolve(to)
        guard key != nil || address.isOnThisMachine else {
            throw PreviewError(
                "without --key-file the call to \(to) would not be encrypted, which is allowed on this machine only")
        }
        let (theirs, own) = (window.add(to), window.add("you"))
        let call = try begin(shownIn: own, try openSource())
        let socket = try UDPSocket(boundTo: PreviewCommand.local(like: address, port: listen, isOpen: key != nil))
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

    private func readKey() throws -> SRTPKey? {
        guard let keyFile else { return nil }
        // Foundation's own error has only a code. The same below.
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: keyFile)) else {
            throw PreviewError("\(keyFile): no such key file, or it cannot be read")
        }
        return try SRTPKey(base64: String(decoding: data, as: UTF8.self))
    }

    // MARK: Streams

    /// Receives the streams of each description on its own port.
    private func receive(in window: Window) throws -> (calls: [VideoCall], people: [Person]) {
        var settings = VideoCallSettings()
        settings.statisticsInterval = .seconds(1)
        let call = try VideoCall(settings, source: nil)
        var people: [Person] = []
        for path in sources {
            do {
                people.append(try receive(path, call, in: window))
            } catch { throw PreviewError("\(path): \(error)") }
        }
        return ([call], people)
    }

    private func receive(_ path: String, _ call: VideoCall, in window: Window) throws -> Person {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            throw PreviewError("no such file, or it cannot be read")
        }
        let bytes = [UInt8](data)
        let description = try SessionDescription(parsing: bytes.span)
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        var settings = try ParticipantSettings(name, described: description, sending: nil)
        guard let address = settings.address else { throw PreviewError("the description has no address") }
        // The same key protects both directions: the description has no other.
        settings.sendingKey = settings.receivingKey
        // The described address is local; the sender's address is that of the first packet.
        settings.address = nil
        settings.layers = []
        let isProtected = settings.receivingKey != nil
        let socket = try UDPSocket(
            boundTo: PreviewCommand.local(like: address, port: address.port, isOpen: isProtected))
        let tile = window.add(name)
        let them = try call.add(settings, over: socket) { them in try them.show(on: tile) }
        return Person(name, tile, call: 0, them, isMirrored: false)
    }

    /// The address to listen on: without a key, the loopback address only.
    private static func local(like address: UDPAddress, port: UInt16, isOpen: Bool) -> UDPAddress {
        switch address.ip {
        case .v4: UDPAddress(isOpen ? .v4(0) : .loopback, port: port)
        case .v6: UDPAddress(.v6(isOpen ? 0 : 1, zone: 0), port: port)
        }
    }
}

extension UDPAddress {
    /// 127.0.0.0/8, or ::1.
    fileprivate var isOnThisMachine: Bool {
        switch ip {
        case .v4(let number): number >> 24 == 127
        case .v6(let number, _): number == 1
        }
    }
}
