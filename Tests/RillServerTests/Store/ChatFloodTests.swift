#if Server
import FoundationEssentials
import Glibc
import RillRooms
import RillTestSupport
import Testing

/// Clients that send as much as they can, to a server with a disk.
@Suite(.serialized) struct ChatFloodTests {
    let folder = TemporaryFolder()

    @Test(arguments: isLongRun ? [true, false] : [true])
    func `10,000 messages a second from one client are limited and told, and others are not harmed`(
        readsAnswers: Bool
    ) async throws {
        let server = try ServerProcess(["--data", folder.path("data")], hasMedia: true)
        let (anna, ben) = (try server.enter("Anna").client, try server.enter("Ben").client)
        let flooder = try server.enter("Flora").client
        let calm = try (0..<(isLongRun ? 20 : 3)).map { try answerTime(anna, "before \($0)", pause: 50_000) }
        // One thread sends on it, and another one reads: they share nothing but its descriptor.
        nonisolated(unsafe) let channel = flooder
        let (rate, seconds) = (10_000, isLongRun ? 10 : 2)
        let start = ContinuousClock.now
        let flood = Task {
            try await onOwnThread {
                for second in 0..<seconds {
                    var frames: [UInt8] = []
                    for number in (second * rate)..<((second + 1) * rate) {
                        let text = #"{"type":"chat","id":\#(number + 1),"key":"\#(number)","text":"x"}"#
                        frames += SocketClient.frame(1, Array(text.utf8))
                    }
                    unsafe channel.send(raw: frames)
                    let rest = (start + .seconds(second + 1) - .now) / .milliseconds(1)
                    if rest > 0 { usleep(UInt32(rest * 1000)) }
                }
                return (ContinuousClock.now - start) / .seconds(1)
            }
        }
        let reading = Task {
            if !readsAnswers { _ = try await flood.value }
            return try await onOwnThread { unsafe Answers(of: channel, count: rate * seconds) }
        }
        // Anna goes on writing, and is answered each time.
        var times: [Double] = []
        for number in 0..<(10 * seconds) {
            times.append(try answerTime(anna, "message \(number)", pause: 90_000))
            // Who says nothing for 15 s is out.
            if number % 10 == 0 { ben.send(#"{"type":"alive","number":0}"#) }
        }
        let time = try await flood.value
        let answers = try await reading.value
        note("reads: \(readsAnswers), \(rate * seconds) in \(Int(time * 1000)) ms: \(answers)")
        note("others are answered after \(figures(calm)) before it, \(figures(times)) meanwhile")
        // One who does not read is closed at last; the other one is told of each.
        #expect(answers.stored + answers.missed == rate * seconds || answers.isClosed && !readsAnswers, "\(answers)")
        // What was saved up, and 20 a second.
        #expect(answers.missed > 100 && answers.stored > 0 && Double(answers.stored) <= 21 + 20 * (time + 1))
        // Ben has all that Anna wrote, in order.
        #expect(try ben.history().isEmpty == false)
        let texts = ben.events.compactMap { message -> String? in
            guard case .event(let event) = message, case .chat(let message) = event.event, message.name == "Anna",
                message.key.hasPrefix("message")
            else { return nil }
            return message.content?.text
        }
        #expect(texts == (0..<(10 * seconds)).map { "message \($0)" })
        #expect(try server.end() == 0)
    }

    /// What the server says to a flood.
    private struct Answers {
        var (stored, missed, isClosed) = (0, 0, false)

        /// Reads them until all are there, the channel is closed, or it is silent for ten seconds.
        init(of channel: SocketClient, count: Int) {
            while stored + missed < count, let frame = channel.next() {
                let text = String(decoding: frame.bytes, as: UTF8.self)
                if text.contains(#""type":"done""#) { stored += 1 }
                if text.contains(#""code":429"#) { missed += 1 }
                if text.contains(#""type":"bye""#) { isClosed = true }
            }
        }
    }

    /// Milliseconds until a message is answered.
    private func answerTime(_ client: SocketClient, _ text: String, pause: UInt32) throws -> Double {
        let start = ContinuousClock.now
        #expect(try client.write(text) > 0)
        defer { usleep(pause) }
        return (ContinuousClock.now - start) / .milliseconds(1)
    }

    private func figures(_ times: [Double]) -> String {
        let sorted = times.sorted().map { ($0 * 10).rounded() / 10 }
        return "\(sorted[sorted.count / 2]) ms (median), \(sorted[sorted.count - 1]) ms (most)"
    }

    @Test func `Under load the server commits once in 5 ms at most`() async throws {
        let server = try ServerProcess(["--data", folder.path("data"), "--address-requests", "0"], hasMedia: true)
        let clients = try (0..<40).map { try server.enter("client \($0)").client }
        let before = try #require(try server.metric("rill_room_store_batches_total"))
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients {
                // Each is used by its own task alone.
                nonisolated(unsafe) let client = client
                // One after the other, 20 a second at most: up to 800 a second in all.
                group.addTask {
                    try await onOwnThread {
                        for number in 0..<40 {
                            _ = try unsafe client.write("\(number)")
                            usleep(50_000)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let time = (ContinuousClock.now - start) / .milliseconds(5)
        let batches = try #require(try server.metric("rill_room_store_batches_total")) - before
        let messages = try #require(try server.metric("rill_room_chat_messages_total"))
        note("\(messages) messages in \(batches) commits, \(time * 5) ms")
        #expect(messages == 1_600 && Double(batches) <= time + 1)
    }
}
#endif
