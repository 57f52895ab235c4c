import RillCore
import RillSession
import Testing

@testable import RillForward
@testable import RillPeer

@Suite struct PublishedLayerTests {
    private func frame(
        _ number: Int64, after references: [Int64] = [], isKey: Bool = false, at milliseconds: Int = 0
    ) -> EncodedFrame {
        var all = FrameReferences()
        for reference in references { all.append(reference) }
        return EncodedFrame(
            codec: .vp8, layer: StreamLayer(rid: .high), number: number, references: all, isKey: isKey,
            resolution: .vga, captureTime: .zero + .milliseconds(milliseconds), byteCount: 10)
    }

    @Test func `frames are counted without gaps, and references follow`() {
        var numbering = FrameRenumbering()
        #expect(numbering.number(frame(100, isKey: true)).number == 0)
        let second = numbering.number(frame(103, after: [100]))
        #expect(second.number == 1 && second.references == FrameReferences(0))
        let third = numbering.number(frame(110, after: [103, 100]))
        #expect(third.number == 2 && third.references.contains(1) && third.references.contains(0))
        // One that never came.
        #expect(numbering.number(frame(111, after: [105])).references.count == 0)
        for index in 0..<1000 { _ = numbering.number(frame(112 + Int64(index), after: [111 + Int64(index)])) }
        let far = numbering.number(frame(2000, after: [1111, 110]))
        #expect(far.references == FrameReferences(far.number - 1))
    }

    @Test func `recent frames begin with a key frame, and end after a second and a half`() {
        var recent = RecentFrames()
        func append(_ isKey: Bool, at milliseconds: Int) {
            let now = MediaTime.zero + .milliseconds(milliseconds)
            let published = PublishedFrame(
                frame: frame(Int64(milliseconds), isKey: isKey), wallClock: nil, arrival: now)
            recent.append(published, [UInt8](repeating: 1, count: 100).span)
        }
        append(false, at: 0)
        #expect(recent.frames.isEmpty && !recent.isFresh(at: .zero))
        append(true, at: 100)
        for time in stride(from: 133, through: 1500, by: 33) { append(false, at: time) }
        #expect(recent.keyFrame == 100 && recent.frames.count == 43 && recent.byteCount == 4300)
        #expect(recent.isFresh(at: .zero + .milliseconds(1600)))
        #expect(!recent.isFresh(at: .zero + .milliseconds(1601)))
        append(false, at: 1700)
        #expect(recent.keyFrame == nil && recent.frames.isEmpty)
        append(false, at: 1733)
        #expect(recent.frames.isEmpty)
        append(true, at: 1766)
        #expect(recent.frames.count == 1 && recent.payload(0).count == 100)
    }

    @Test func `frames that open once are known to who was sent their key frame, and others are not`() {
        let (one, two) = (ICEPeerID(rawValue: 1), ICEPeerID(rawValue: 2))
        for (last, opensOnce) in [(UInt8(0), true), (9, true), (10, false), (0xC1, false)] {
            var recent = RecentFrames()
            func append(_ number: Int64, isKey: Bool, last: UInt8) {
                let published = PublishedFrame(frame: frame(number, isKey: isKey), wallClock: nil, arrival: .zero)
                recent.append(published, ([UInt8](repeating: 200, count: 99) + [last]).span)
            }
            append(0, isKey: true, last: last)
            recent.note(holder: one)
            #expect(recent.isKnown(to: one) == opensOnce && !recent.isKnown(to: two))
            append(1, isKey: false, last: last)
            #expect(recent.isKnown(to: one) == opensOnce)
            // The next ones are others.
            append(2, isKey: true, last: last)
            #expect(!recent.isKnown(to: one))
            recent.note(holder: one)
            append(3, isKey: false, last: 77)
            #expect(!recent.isKnown(to: one), "one that ends otherwise is not sealed")
        }
    }

    @Test func `what is kept has a limit in bytes`() {
        var recent = RecentFrames()
        let big = [UInt8](repeating: 0, count: 900_000)
        for index in 0..<4 {
            recent.append(
                PublishedFrame(frame: frame(Int64(index), isKey: index == 0), wallClock: nil, arrival: .zero), big.span)
            #expect(recent.byteCount <= 2_000_000)
        }
    }

    @Test func `a key frame is asked for once a second, and again if nothing comes`() {
        func time(_ milliseconds: Int) -> MediaTime { .zero + .milliseconds(milliseconds) }
        var requestTimer = KeyFrameRequestTimer()
        func due(_ now: Int) -> MediaTime { requestTimer.dueTime(lastArrival: time(now)) }
        #expect(due(0) == .distantFuture)
        requestTimer.want()
        #expect(due(0) <= .zero)
        requestTimer.noteRequest(at: time(10))
        requestTimer.want()
        #expect(due(10) == time(510))
        requestTimer.noteRequest(at: time(510))
        #expect(due(510) == time(1010))
        // Frames come that are no key frames: it is asked more and more seldom.
        for _ in 0..<20 { requestTimer.noteRequest(at: time(600)) }
        #expect(due(600) == time(4600))
        requestTimer.noteKeyFrame(at: time(600))
        #expect(due(600) == .distantFuture)
        requestTimer.want()
        #expect(due(600) == time(1600))
    }

    @Test func `a layer that has stopped is asked once more, and again when it is back`() {
        func time(_ milliseconds: Int) -> MediaTime { .zero + .milliseconds(milliseconds) }
        var requestTimer = KeyFrameRequestTimer()
        requestTimer.want()
        #expect(requestTimer.dueTime(lastArrival: time(0)) <= .zero)
        requestTimer.noteRequest(at: time(2000))
        #expect(requestTimer.dueTime(lastArrival: time(0)) == .distantFuture)
        #expect(requestTimer.dueTime(lastArrival: time(9000)) == time(2500))
    }

    @Test func `rates are those of the last seconds`() {
        var meter = LayerMeter()
        #expect(meter.rates(at: .zero).frames == 0)
        for step in 0..<300 { meter.add(byteCount: 1000, at: .zero + .milliseconds(step * 1000 / 30)) }
        let rates = meter.rates(at: .zero + .seconds(10))
        #expect(abs(rates.frames - 30) < 1.5 && abs(rates.bits - 240_000) < 12_000, "\(rates)")
        #expect(meter.rates(at: .zero + .seconds(13)).frames == 0)
    }
}
