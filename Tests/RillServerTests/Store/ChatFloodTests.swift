#if Server
import FoundationEssentials
import Glibc
import RillRooms
import RillTestSupport
import Testing

/// Clients that send as much as they can, to a server with a disk.
@Suite(.serialized) struct ChatFloodTests {
    let folder = TemporaryFolder()

    @Test func `10,000 messages a second from one client are limited and told, and others are not harmed`()
        async throws
    {
        let server = try ServerProcess(["--data", folder.path("data")], hasMedia: true)
        let (anna, ben) = (try server.enter("Anna").client, try server.enter("Ben").client)
        let flooder = try server.enter("Flora").client
        // The flood is over before its answers are read.
        nonisolated(unsafe) let channel = flooder
        let (rate, seconds) = (10_000, isLongRun ? 10 : 2)
        let flood = Task {
            try await onOwnThread {
                // A second of the flood at a time; the first half of it is not read meanwhile.
                for second in 0..<seconds {
                    let start = ContinuousClock.now
                    var frames: [UInt8] = []
                    for number in (second * rate)..<((second + 1) * rate) {
                        let text = #"{"type":"chat","id":\#(number + 1),"key":"\#(number)","text":"x"}"#
                        frames += SocketClient.frame(1, Array(text.utf8))
                    }
                    unsafe channel.send(raw: frames)
                    let rest = (start + .seconds(1) - .now) / .milliseconds(1)
                    if rest > 0 { usleep(UInt32(rest * 1000)) }
                }
            }
        }
        // Anna goes on writing, and is answered each time.
        for number in 0..<(10 * seconds) {
            #expect(try anna.write("message \(number)") > 0)
            // Who says nothing for 15 s is out.
            if number % 10 == 0 { ben.send(#"{"type":"alive","number":0}"#) }
            usleep(90_000)
        }
        try await flood.value
        var (stored, missed, isClosed) = (0, 0, false)
        // Until its channel is closed, or silent for two seconds.
        while let message = try? flooder.message(seconds: 2) {
            switch message {
            case .done: stored += 1
            case .error(.tooFast, to: _): missed += 1
            case .bye(.slow): isClosed = true
            default: break
            }
        }
        // As its answers are not read, it may be closed as one that reads too slowly.
        #expect(stored > 0 && (isClosed || stored + missed == rate * seconds), "\(stored) \(missed)")
        #expect(missed > 100 && stored <= 22 * (seconds + 10))
        // Ben has all that Anna wrote, in order.
        #expect(try ben.history().isEmpty == false)
        let texts = ben.events.compactMap { message -> String? in
            guard case .event(let event) = message, case .chat(let message) = event.event, message.name == "Anna" else {
                return nil
            }
            return message.content?.text
        }
        #expect(texts == (0..<(10 * seconds)).map { "message \($0)" })
        #expect(try server.end() == 0)
        note("\(stored) stored, \(missed) refused of \(rate * seconds)")
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
