#if Window
import Dispatch
import Glibc
import Rill
import RillCore
import RillWindow

/// Runs the window with its calls, people and keys.
///
/// Threads: the main thread.
final class Show {
    private let window: Window
    private let people: [Person]
    private let calls: [VideoCall]
    private var beauty: PreviewCommand.Beauty
    private var layer: PreviewCommand.Layer
    private var areFiguresShown: Bool
    private var large: Int?
    private let isGrid: Bool
    private let duration: MediaDuration?
    private let news: News

    /// Messages from other threads to the main thread.
    final class News: Sendable {
        private let state = Monitor(State())
        let waker: Window.Waker

        struct State {
            var statistics: [Int: CallStatistics] = [:]
            /// How many faces the beauty filter of each call knows in our pictures.
            var faces: [Int: Int] = [:]
            var lines: [String] = []
            /// Whose frames cannot be opened: the end-to-end encryption has another key.
            var unopened: Set<String> = []
            var isEnding = false
            var ended = 0
        }

        init(_ waker: Window.Waker) { self.waker = waker }

        func note(_ line: String) { change { $0.lines.append(line) } }
        func end() { change { $0.isEnding = true } }

        func change(_ body: (inout State) -> Void) {
            state.withLock { body(&$0) }
            waker.wake()
        }

        /// The messages so far; the statistics and lines are taken.
        func take() -> State {
            state.withLock { state in
                defer { (state.statistics, state.lines) = ([:], []) }
                return state
            }
        }

        var isEnding: Bool { state.withLock { $0.isEnding } }
        var endedCount: Int { state.withLock { $0.ended } }
        /// How many faces the beauty filter of a call knows in our pictures.
        func faceCount(ofCall call: Int) -> Int { state.withLock { $0.faces[call] ?? 0 } }
        func isUnopened(_ name: String) -> Bool { state.withLock { $0.unopened.contains(name) } }
    }

    init(_ command: PreviewCommand, on window: Window) throws {
        self.window = window
        news = News(window.waker)
        (beauty, layer, areFiguresShown) = (command.beauty, command.layer, command.figures)
        (isGrid, duration) = (command.grid, command.duration)
        (calls, people) = try command.makePeople(in: window)
        for index in people.indices {
            window.views[index].scaling = command.fill ? .fill : .fit
            window.views[index].isMirrored = people[index].isMirrored
        }
        arrange()
        if command.fullScreen { window.setFullScreen(true) }
    }

    /// Runs until the user quits or the time is over.
    func run() throws {
        listen()
        watchSignals()
        applyLayers()
        while !news.isEnding { try take(try window.next()) }
        // The calls end on threads of the runtime, while the window still handles events.
        for call in calls {
            Task.detached { [news] in
                await call.end(reason: "the window was closed")
                news.change { $0.ended += 1 }
            }
        }
        while news.endedCount < calls.count { _ = try window.next() }
    }

    private func listen() {
        for (index, call) in calls.enumerated() {
            Task.detached { [news, events = call.events] in
                for await event in events {
                    switch event {
                    case .statistics(let statistics): news.change { $0.statistics[index] = statistics }
                    case .facesChanged(let faces): news.change { $0.faces[index] = faces.count }
                    case .unopened(let them, _, _):
                        news.change { $0.unopened.insert(them.name) }
                        news.note("\(event)")
                    case .opened(let them, _):
                        news.change { $0.unopened.remove(them.name) }
                        news.note("\(event)")
                    case .over, .wanted: break
                    default: news.note("\(event)")
                    }
                }
            }
        }
    }

    private func watchSignals() {
        for number in Interruption.signals {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [news] in news.end() }
            source.resume()
            signals.append(source)
        }
        if let duration {
            Task.detached { [news] in
                try await Task.sleep(for: .nanoseconds(duration.nanoseconds))
                news.end()
            }
        }
    }
    private var signals: [any DispatchSourceSignal] = []

    // MARK: Events

    private func take(_ event: Window.Event) throws {
        switch event {
        case .closed, .escape: news.end()
        case .key(let key): take(key)
        case .click(let tile):
            guard people.count > 1, !isInset else { return }
            large = large == tile ? nil : tile
            arrange()
        case .resized: applyLayers()
        case .woken:
            let news = news.take()
            for line in news.lines { StandardError.print(line) }
            for (call, statistics) in news.statistics { note(statistics, ofCall: call) }
            noteFigures()
        }
    }

    private func take(_ key: Character) {
        switch key {
        case "q": news.end()
        case "f": window.toggleFullScreen()
        case " ":
            for index in people.indices { window.views[index].scaling.toggle() }
        case "m":
            // Your own picture if it is shown, otherwise all.
            let own = people.indices.filter { people[$0].participant == nil }
            for index in own.isEmpty ? Array(people.indices) : own { window.views[index].isMirrored.toggle() }
        case "b":
            beauty = beauty.next
            for call in calls { call.setBeauty(beauty.options) }
            noteFigures()
        case "l":
            layer = layer.next
            applyLayers()
            noteFigures()
        case "i":
            areFiguresShown.toggle()
            if areFiguresShown, !window.hasLettering {
                news.note("figures need a font: Debian's fonts-dejavu-core")
            }
            noteFigures()
        case "g":
            large = large == nil && people.count > 1 ? 0 : nil
            arrange()
        default: break
        }
    }

    // MARK: Layout

    /// Whether your own picture is in the corner of the other side's.
    private var isInset: Bool { people.count == 2 && people[0].participant != nil && people[1].participant == nil }

    private func arrange() {
        if isInset {
            window.arrangement = .inset
        } else if let large {
            window.arrangement = .one(large)
        } else {
            window.arrangement = .grid
        }
        applyLayers()
    }

    /// Requests from each participant the layer that fits its area.
    private func applyLayers() {
        let areas = window.areas
        for (person, area) in zip(people, areas) {
            guard let participant = person.participant else { continue }
            let wanted: CallParticipant.WantedLayer =
                switch layer {
                case .size:
                    .automatic(
                        shownAt: area.width > 0 && area.height > 0
                            ? Resolution(width: area.width, height: area.height) : nil)
                case .high: .layer(participant.layers.first ?? .high)
                case .low: .layer(participant.layers.last ?? .low)
                case .none: .none
                }
            do { try participant.want(wanted) } catch { news.note("\(person.name): \(error)") }
        }
    }

    // MARK: Figures

    private func note(_ statistics: CallStatistics, ofCall call: Int) {
        for index in people.indices where people[index].call == call {
            people[index].figures.note(statistics, people[index])
        }
        noteFigures()
    }

    private func noteFigures() {
        for index in people.indices {
            var lines = people[index].figures.lines
            if people[index].participant == nil, beauty != .off {
                let count = news.faceCount(ofCall: people[index].call)
                lines.append("beauty \(beauty.rawValue), \(count) \(count == 1 ? "face" : "faces")")
            }
            if people[index].participant != nil, layer != .size { lines.append("requested: \(layer.rawValue)") }
            // There is no picture of it, whether or not figures are shown.
            let isUnopened = people[index].participant != nil && news.isUnopened(people[index].name)
            let shown = areFiguresShown ? [people[index].name] + lines : []
            window.views[index].lines = (isUnopened ? ["encrypted"] : []) + shown
        }
    }
}

/// A person shown in the window.
final class Person {
    let name: String
    let tile: Tile
    /// The index of the call.
    let call: Int
    /// The other side; `nil` for yourself.
    let participant: CallParticipant?
    let isMirrored: Bool
    let figures = Figures()

    init(_ name: String, _ tile: Tile, call: Int, _ participant: CallParticipant?, isMirrored: Bool) {
        (self.name, self.tile, self.call, self.participant) = (name, tile, call, participant)
        self.isMirrored = isMirrored
    }
}

/// The figures of one picture over the last second.
final class Figures {
    private(set) var lines: [String] = []
    private var last: (time: MediaTime, count: Int, bytes: Int, lost: Int)?

    func note(_ statistics: CallStatistics, _ person: Person) {
        let streams = them(statistics, person)?.shown.map(\.received.stream) ?? []
        let bytes = streams.map { $0.bytesReceived + $0.headerBytesReceived }.reduce(0, +)
        let lost = streams.map(\.packetsLost).reduce(0, +)
        let now = (time: statistics.time, count: person.tile.count, bytes: bytes, lost: lost)
        defer { last = now }
        guard let last, now.time > last.time else { return }
        let seconds = (now.time - last.time).seconds
        var texts = ["\(size(person)) \(Decimal.text(Double(now.count - last.count) / seconds, decimals: 1)) fps"]
        if let them = them(statistics, person) {
            let rate = Double(now.bytes - last.bytes) * 8 / seconds / 1000
            texts.append("\(Int(rate.rounded())) kbit/s, lost \(now.lost - last.lost)")
            if let layer = them.wanted { texts.append("layer \(layer)") }
            let delay = streams.map(\.targetDelay).max() ?? .zero
            texts.append("jitter buffer \(delay.nanoseconds / 1_000_000) ms")
        }
        lines = texts
    }

    private func them(_ statistics: CallStatistics, _ person: Person) -> CallStatistics.Participant? {
        person.participant == nil ? nil : statistics.participants.first { $0.name == person.name }
    }

    private func size(_ person: Person) -> String { person.tile.size.map { "\($0)" } ?? "no picture" }
}
#endif
