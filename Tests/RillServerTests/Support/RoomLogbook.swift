#if Server
import Foundation
import RillCore
import RillRoomClient
import RillScenes
import RillTestSupport

extension Resolution {
    /// Of the pictures that ``ServerProcess/app(_:token:_:)`` publishes.
    static let scene = Resolution(width: 320, height: 180)
}

enum TestScenes {
    static func portrait(_ size: Resolution = .scene) throws -> any FrameSource {
        try PortraitScene(resolution: size, frameRate: 15)
    }
}

extension ServerProcess {
    /// An app in the room, which publishes the portrait.
    func app(
        _ name: String, token: String? = nil, over signaling: (any RoomSignaling)? = nil,
        _ adjust: (inout RoomSettings) -> Void = { _ in }
    ) async throws -> Room {
        var settings = RoomSettings(room: "lobby", name: name, token: token)
        settings.call = VideoCallSettings(layers: [.high(.p320x180), .low])
        // Tests that block have the threads of tasks for a while.
        settings.joinTimeout = .seconds(120)
        adjust(&settings)
        let clip = try LiveClip(atEnd: .loop) { try TestScenes.portrait() }
        if let signaling { return try await Room.join(settings, over: signaling, source: clip) }
        return try await Room.join(settings, at: "http://127.0.0.1:\(port)", source: clip)
    }
}

/// The events of a room, which a task reads.
final class RoomLogbook: Sendable {
    private let events = Monitor([Room.Event]())

    init(_ room: Room) {
        let (stream, events) = (room.events, events)
        Task { for await event in stream { events.withLock { $0.append(event) } } }
    }

    var all: [Room.Event] { events.withLock { $0.map(\.self) } }

    /// Waits for an event.
    @discardableResult
    func wait<Value: Sendable>(_ what: String, _ find: (Room.Event) -> Value?) async throws -> Value {
        for _ in 0..<4000 {
            if let found = all.lazy.compactMap(find).first { return found }
            try await Task.sleep(nanoseconds: 5_000_000)
        }
        throw TestFailure("no \(what): \(all)")
    }

    func joined(_ name: String) async throws -> RoomParticipant {
        try await wait(name) { if case .joined(let them) = $0, them.name == name { them } else { nil } }
    }

    func left(_ name: String, _ reason: OfflineReason) async throws {
        try await wait("end of \(name)") {
            if case .left(let them, reason) = $0, them.name == name { true } else { nil }
        }
    }

    func over() async throws { try await wait("the end") { if case .over = $0 { true } else { nil } } }
}

/// A sink that counts pictures, and keeps their sizes.
final class PictureCounter: Sendable {
    private struct State: ~Copyable {
        var count = 0
        /// Each once, in order, as long as it lasts.
        var sizes: [Resolution] = []
        var isFinished = false
    }

    private final class Sink: FrameSink {
        let counter: PictureCounter

        init(_ counter: PictureCounter) { self.counter = counter }

        func consume(_ frame: VideoFrame) {
            counter.state.withLock { state in
                state.count += 1
                if state.sizes.last != frame.resolution { state.sizes.append(frame.resolution) }
            }
        }

        func finish() { counter.state.withLock { $0.isFinished = true } }
    }

    private let state = Monitor(State())

    func sink() -> sending any FrameSink { Sink(self) }
    var count: Int { state.withLock { $0.count } }
    var sizes: [Resolution] { state.withLock { $0.sizes.map(\.self) } }
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Waits for so many further pictures.
    func wait(for number: Int) async throws {
        let start = count
        try await wait("\(number) pictures") { _ in count >= start + number }
    }

    func wait(_ what: String, _ isThere: ([Resolution]) -> Bool) async throws {
        for _ in 0..<4000 {
            if isThere(sizes) { return }
            try await Task.sleep(nanoseconds: 5_000_000)
        }
        throw TestFailure("no \(what): \(count) pictures of \(sizes)")
    }

    /// Waits until it is finished.
    func finished() async throws -> Bool {
        for _ in 0..<2000 where !isFinished { try await Task.sleep(nanoseconds: 5_000_000) }
        return isFinished
    }

    /// Waits until no picture has come for half a second; returns how many came.
    func rest() async throws -> Int {
        for _ in 0..<40 {
            let before = count
            try await Task.sleep(nanoseconds: 500_000_000)
            if count == before { return before }
        }
        throw TestFailure("pictures still come: \(count)")
    }
}
#endif
