import Foundation
import RillPeer
import RillRTP
import RillTestSupport
import RillTransport
import Testing

/// Offers and answers after the first, between Rill and browsers: after each change, frames go on in both directions.
@Suite(.serialized) struct RenegotiationTests {
    /// A change, with the side that makes it.
    enum Step: CustomStringConvertible {
        case offer(Side)
        case restart(Side)
        case add(Side)
        /// Stops a section: of those in use, the first, or the last.
        case stop(Side, isFirst: Bool)
        /// Both stop sending in the first section, and resume.
        case rest(Side)
        case wake(Side)
        /// Both offer at once; the side that is named gives way, and offers again.
        case glare(polite: Side, restarts: Bool)
        case data

        var description: String {
            switch self {
            case .offer(let side): "\(side) offers"
            case .restart(let side): "\(side) restarts ICE"
            case .add(let side): "\(side) adds a section"
            case .stop(let side, let isFirst): "\(side) stops the \(isFirst ? "first" : "last") section"
            case .rest(let side): "\(side) lets the first section rest"
            case .wake(let side): "\(side) wakes the first section"
            case .glare(let side, let restarts): "both offer\(restarts ? " and restart ICE" : ""), \(side) gives way"
            case .data: "the page adds a data channel"
            }
        }
    }

    enum Side: String { case rill, page }

    /// A course of changes.
    struct Course: CustomStringConvertible, Sendable {
        var name: String
        /// Who offers first.
        var first: Side
        /// How many sections there are at first.
        var sectionCount = 2
        /// The encodings that each of our sections offers; a browser takes the first only.
        var layers = ["h", "l"]
        /// Whether the page has a data channel before all else.
        var hasData = false
        var steps: [Step]

        var description: String { name }

        /// The same course, in which the first section stays.
        var keepingFirst: Course {
            var course = self
            course.steps = steps.map { step in
                if case .stop(let side, _) = step { .stop(side, isFirst: false) } else { step }
            }
            return course
        }
    }

    /// What CI has the time for.
    private static let short = Course(
        name: "short", first: .rill,
        steps: [
            .offer(.rill), .offer(.page), .add(.page), .glare(polite: .rill, restarts: true),
            .stop(.rill, isFirst: true), .stop(.page, isFirst: true), .offer(.rill),
        ])

    private static func long(_ first: Side, layers: [String]) -> [Course] {
        let other: Side = first == .rill ? .page : .rill
        let name = "\(first) offers\(layers.count > 1 ? " a simulcast" : "")"
        return [
            Course(
                name: "\(name), then each again", first: first, sectionCount: 1, layers: layers,
                steps: [
                    .offer(first), .offer(other), .offer(first), .restart(first), .restart(other), .add(first),
                    .add(other), .offer(first), .rest(first), .wake(first), .rest(other), .wake(other),
                ]),
            Course(
                name: "\(name), and sections stop", first: first, layers: layers,
                steps: [
                    .stop(first, isFirst: false), .add(other), .stop(first, isFirst: true), .offer(other), .add(first),
                    .stop(other, isFirst: true), .restart(first), .add(other), .stop(other, isFirst: false),
                    .offer(first), .add(first), .stop(first, isFirst: true), .offer(other),
                ]),
            Course(
                name: "\(name), and both at once", first: first, layers: layers,
                steps: [
                    .glare(polite: .rill, restarts: false), .glare(polite: .page, restarts: false),
                    .glare(polite: .rill, restarts: true), .glare(polite: .page, restarts: true), .add(first),
                    .stop(first, isFirst: true), .glare(polite: .rill, restarts: true), .offer(other),
                ]),
            Course(
                name: "\(name), and data", first: first, layers: layers, hasData: true,
                steps: [.offer(other), .add(.rill), .data, .stop(.page, isFirst: true), .offer(.rill), .add(.page)]),
        ]
    }

    private static let all =
        long(.rill, layers: ["h", "l"]) + long(.page, layers: ["h", "l"]) + long(.rill, layers: []) + [short]

    @Test(
        .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"),
        arguments: isLongRun ? all : [short])
    func `Chromium and Rill`(course: Course) throws { try run(course, ChromiumBrowser.start(limit: 300)) }

    @Test(
        .enabled(if: isLongRun, "only with --all"), .enabled(if: Peer.firefox.isInstalled, "firefox is not installed"),
        .enabled(if: MachineAddresses.known.count > 1, "firefox gathers nothing without a route"),
        arguments: all.map(\.keepingFirst))
    func `Firefox and Rill`(course: Course) throws { try run(course, FirefoxBrowser.start(limit: 300)) }

    /// When the first section stops, Firefox 153 connects again; what it then sends in the sections that it had mostly
    /// does not arrive, also at another Firefox (findings/firefox-stop-first-section.sh). What is added then goes both
    /// ways.
    @Test(
        .enabled(if: isLongRun, "only with --all"), .enabled(if: Peer.firefox.isInstalled, "firefox is not installed"),
        .enabled(if: MachineAddresses.known.count > 1, "firefox gathers nothing without a route"),
        arguments: [Side.rill, .page])
    func `Firefox connects again when the first section stops`(side: Side) throws {
        let page = try RenegotiationPage(FirefoxBrowser.start(limit: 120))
        try page.begin()
        let end = try LivePeer(.controlling)
        defer { end.end() }
        let call = Call(page: page, end: end, layers: [])
        for _ in 0..<2 { try call.add(.rill) }
        try call.negotiate(.rill)
        try call.requireFlow(in: 2, "at first")
        _ = try call.make(.stop(side, isFirst: true))
        _ = try call.make(.add(.rill))
        try call.requireFlow(in: 2, of: "2", "in the section that was added after \(side) stopped the first")
        #expect(end.connectionState == .connected)
    }

    // MARK: A course

    private func run(_ course: Course, _ browser: any BrowserPage) throws {
        let page = try RenegotiationPage(browser)
        try page.begin()
        let end = try LivePeer(course.first == .rill ? .controlling : .controlled)
        defer { end.end() }
        let call = Call(page: page, end: end, layers: course.layers)
        if course.hasData { try page.addData() }
        for _ in 0..<course.sectionCount { try call.add(course.first) }
        try call.negotiate(course.first)
        try call.requireFlow(in: course.sectionCount, "\(course): at first")
        for (number, step) in course.steps.enumerated() {
            let start = ContinuousClock.now
            let count = try call.make(step)
            try call.requireFlow(in: count, "\(course), \(number + 1): \(step)")
            note("\(course), \(number + 1): \(step): \(Int((ContinuousClock.now - start).milliseconds)) ms")
        }
        #expect(end.connectionState == .connected)
    }
}

/// A connection between a page and us.
struct Call {
    let page: RenegotiationPage
    let end: LivePeer
    let layers: [String]
    private typealias Side = RenegotiationTests.Side

    init(page: RenegotiationPage, end: LivePeer, layers: [String]) {
        (self.page, self.end, self.layers) = (page, end, layers)
    }

    /// The sections in use.
    private var mids: [String] {
        get throws { try end.change { peer, _ in peer.negotiator.sections.map(\.mid) } }
    }

    /// Makes a change, and returns in how many sections frames go both ways then.
    func make(_ step: RenegotiationTests.Step) throws -> Int {
        switch step {
        case .offer(let side): try negotiate(side)
        case .restart(let side): try negotiate(side, restartsICE: true)
        case .add(let side):
            try add(side)
            try negotiate(side)
        case .data:
            try page.addData()
            try negotiate(.page)
        case .stop(let side, let isFirst):
            let mid = try existing(isFirst ? mids.first : mids.last)
            if side == .page { try page.stop(mid) } else { try change(mid) { try $0.stop($1) } }
            try negotiate(side)
            return try mids.count
        case .rest(let side), .wake(let side):
            let isResting = if case .rest = step { true } else { false }
            let mid = try existing(mids.first)
            if side == .page {
                try page.turn(mid, isResting ? "inactive" : "sendrecv")
            } else {
                try change(mid) { try $0.setDirection(isResting ? .inactive : .sendAndReceive, of: $1) }
            }
            try negotiate(side)
            return try mids.count - (isResting ? 1 : 0)
        case .glare(let polite, let restarts):
            let (theirs, ours) = try (page.offer(restartsICE: restarts), offer(restartsICE: restarts))
            if polite == .rill { try take(theirs) } else { try end.accept(page.answer(ours)) }
            try negotiate(polite)
        }
        return try mids.count
    }

    /// Adds a section with video in both directions. What the page offers, a transceiver of ours waits for.
    func add(_ side: RenegotiationTests.Side) throws {
        if side == .page { try page.add() }
        var settings = TransceiverSettings(.video)
        if layers.count > 1 { settings.sending = layers.map { SendingEncoding(rid: $0) } }
        try end.change { peer, _ in _ = try peer.change { try $0.addTransceiver(settings) } }
    }

    func negotiate(_ side: RenegotiationTests.Side, restartsICE: Bool = false) throws {
        if side == .page {
            try take(page.offer(restartsICE: restartsICE))
        } else {
            try end.accept(page.answer(offer(restartsICE: restartsICE)))
        }
    }

    private func take(_ offer: String) throws {
        try page.accept(end.change { peer, now in try peer.answer(offer, at: now).text })
    }

    private func offer(restartsICE: Bool) throws -> String {
        try end.change { peer, now in try peer.offer(restartsICE: restartsICE, at: now).text }
    }

    private func change(_ mid: String, _ body: (inout Negotiator, TransceiverID) throws -> Void) throws {
        try end.change { peer, _ in
            try peer.change { negotiator in
                let transceiver = try existing(negotiator.transceivers.first { $0.mid == mid })
                try body(&negotiator, transceiver.id)
            }
        }
    }

    /// Waits until frames of this moment were decoded on both sides, in that many sections each, or in the one of a
    /// MID.
    func requireFlow(in count: Int, of mid: String? = nil, _ what: String) throws {
        let before = try (page.framesDecoded(), end.framesDecoded())
        var after = before
        func flows(_ after: [String: Int], _ before: [String: Int]) -> Bool {
            after.count == count
                && after.allSatisfy { mid ?? $0.key != $0.key || $0.value > (before[$0.key] ?? 0) + 4 }
        }
        let isFlowing = try wait(15) {
            after = try (page.framesDecoded(), end.framesDecoded())
            return flows(after.0, before.0) && flows(after.1, before.1)
        }
        guard isFlowing else {
            let report = try page.report()
            throw TestFailure(
                """
                \(what): decoded there \(before.0), then \(after.0); here \(before.1), then \(after.1); \(end.report); \
                \(report)
                """)
        }
    }
}

extension LivePeer {
    /// Takes an answer.
    func accept(_ answer: String) throws { try change { peer, now in try peer.setRemote(.answer, answer, at: now) } }
}
