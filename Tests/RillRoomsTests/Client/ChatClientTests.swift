import Foundation
import RillCore
import RillTestSupport
import Testing

@testable import RillRooms

@Suite("A client's chat")
struct ChatClientTests {
    private let world = RoomWorld(seed: 1)

    private func join(_ name: String) -> WorldClient {
        let client = world.addClient(name)
        client.join()
        world.run(.seconds(1))
        return client
    }

    private func texts(_ client: WorldClient) -> [String] {
        client.client.conversation.messages.map { $0.content?.text ?? "-" }
    }

    private func delivery(_ client: WorldClient, _ text: String) -> ChatDelivery? {
        let conversation = client.client.conversation
        if let message = conversation.messages.first(where: { $0.content?.text == text }) {
            return conversation.delivery(of: message)
        }
        return client.client.outgoing.first { $0.message.text == text }?.delivery
    }

    @Test func `Row 66: sending, sent, delivered, read; failed while the server is away, and sent once after that`() {
        let anna = join("anna")
        world.store.delay = .milliseconds(40)
        anna.chat("one")
        #expect(delivery(anna, "one") == .sending)
        world.run(.seconds(2))
        #expect(delivery(anna, "one") == .sent)
        // The recorder says nothing of the chat.
        let ben = join("ben")
        world.run(.seconds(2))
        #expect(delivery(anna, "one") == .delivered && ben.client.conversation.unreadCount == 1)
        ben.read(upTo: 1)
        world.run(.seconds(1))
        #expect(delivery(anna, "one") == .read && ben.client.conversation.unreadCount == 0)
        #expect(ben.client.conversation.messages.first.flatMap { ben.client.conversation.delivery(of: $0) } == nil)
        world.kill()
        world.run(.milliseconds(10))
        anna.chat("two")
        #expect(delivery(anna, "two") == .sending)
        world.run(.seconds(12))
        #expect(delivery(anna, "two") == .failed(.timedOut))
        world.start()
        anna.resend("two")
        world.run(.seconds(5))
        #expect(delivery(anna, "two") == .delivered)
        #expect(texts(ben) == ["one", "two"] && texts(anna) == ["one", "two"])
        #expect(delivery(anna, "one") == .read)
        #expect(world.problems == [])
    }

    @Test func `A message that was refused is kept with its reason, and can be resent`() throws {
        let (host, ben) = (join("host"), join("ben"))
        host.ask(.chat(.block("ben", true)))
        world.run(.seconds(1))
        #expect(ben.client.conversation.isBlocked)
        ben.chat("hello")
        world.run(.seconds(1))
        #expect(delivery(ben, "hello") == .failed(.blocked) && texts(host) == [])
        #expect(ben.client.unsentChat == [OutgoingChat("hello", key: "hello")])
        host.ask(.chat(.block("ben", false)))
        world.run(.seconds(1))
        ben.resend("hello")
        world.run(.seconds(1))
        #expect(texts(host) == ["hello"] && ben.client.outgoing.isEmpty)
        // A store that fails, likewise.
        world.store.failures = 1_000
        ben.chat("again")
        world.run(.seconds(1))
        #expect(delivery(ben, "again") == .failed(.storeFailed))
        world.store.failures = 0
        ben.resend("again")
        world.run(.seconds(1))
        #expect(texts(host) == ["hello", "again"])
    }

    @Test func `What was not sent outlives the app, and is there once`() throws {
        let anna = join("anna")
        // It is stored, but the answer does not reach the client, which then ends.
        anna.chat("first")
        world.run(.milliseconds(15))
        anna.cut(.seconds(60))
        for text in ["second", "third"] { anna.chat(text) }
        world.run(.seconds(2))
        let kept = try JSONEncoder().encode(anna.client.unsentChat)
        #expect(anna.client.unsentChat.map(\.text) == ["first", "second", "third"])
        let again = world.addClient("anna")
        again.restore(try JSONDecoder().decode([OutgoingChat].self, from: kept))
        again.join()
        world.run(.seconds(3))
        #expect(texts(again) == ["first", "second", "third"] && again.client.outgoing.isEmpty)
        #expect(world.store.tables.record(of: RoomWorld.room).lastNumber == 3)
        #expect(anna.client.unsentChat.count == 3)
    }

    @Test func `Row 28: text that cannot be seen is not sent, and what is too long is cut to whole characters`() throws
    {
        let client = RoomClient(RoomClientSettings(JoinRequest(room: "a", name: "b")), seed: 1)
        for text in ["", " ", "\n", "\u{0}"] {
            #expect(throws: RoomError.self) { try client.chat(text, key: "k", at: .zero) }
        }
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
        try client.chat(String(repeating: family, count: 300), key: "k", at: .zero)
        #expect(client.unsentChat.map(\.text) == [String(repeating: family, count: 255)])
    }

    @Test func `Row 38: who was out for long has all messages, and those that were edited meanwhile`() throws {
        let (host, ben) = (join("host"), join("ben"))
        for index in 1...150 { world.at(world.now + .milliseconds(60 * index)) { host.chat("\(index)") } }
        world.run(.seconds(10))
        #expect(texts(ben).count == 150)
        ben.cut(.seconds(100))
        world.run(.seconds(1))
        host.ask(.chat(.edit(3, text: "three")))
        host.ask(.chat(.delete(60)))
        for index in 151...300 { world.at(world.now + .milliseconds(60 * index)) { host.chat("\(index)") } }
        world.run(.seconds(110))
        #expect(ben.isIn && ben.snapshotCount == 2 && ben.client.conversation.isComplete)
        #expect(texts(ben) == texts(host) && texts(ben).count == 300)
        #expect(texts(ben)[2] == "three" && texts(ben)[59] == "-")
        #expect(ben.client.conversation.unreadCount == 299)
    }

    @Test func `Older messages come page by page, and there is an end`() {
        let host = join("host")
        for index in 1...180 { world.at(world.now + .milliseconds(60 * index)) { host.chat("\(index)") } }
        world.run(.seconds(15))
        let ben = join("ben")
        #expect(texts(ben) == (131...180).map { "\($0)" } && ben.client.conversation.hasOlder)
        for count in [150, 180] {
            ben.loadOlder()
            world.run(.seconds(1))
            #expect(texts(ben).count == count)
        }
        #expect(!ben.client.conversation.hasOlder && texts(ben) == texts(host))
    }

    @Test func `Messages that are gone are not unread, of a room that was closed too`() {
        let host = join("host")
        for index in 1...60 { world.at(world.now + .milliseconds(60 * index)) { host.chat("\(index)") } }
        world.run(.seconds(8))
        let ben = join("ben")
        // It has the last 50, and knows nothing of the others.
        #expect(ben.client.conversation.unreadCount == 60 && ben.client.conversation.hasOlder)
        for number in 55...60 { host.ask(.chat(.delete(number))) }
        world.run(.seconds(2))
        #expect(ben.client.conversation.unreadCount == 54)
        ben.read(upTo: 58)
        world.run(.seconds(1))
        #expect(ben.client.conversation.unreadCount == 0)
        host.ask(.close)
        world.run(.seconds(1))
        let next = join("anna")
        #expect(next.client.conversation.lastNumber == 60 && next.client.conversation.unreadCount == 0)
        #expect(!next.client.conversation.hasOlder)
        let again = join("host")
        again.chat("new")
        world.run(.seconds(1))
        #expect(texts(next) == ["new"] && next.client.conversation.unreadCount == 1)
    }

    @Test func `A list keeps to its limit when the server has more, and begins again with another store`() {
        var conversation = Conversation(limit: 3)
        func state(_ range: ClosedRange<Int>, isWhole: Bool = false, mark: Int = 0) -> ChatState {
            let messages = range.map { number in
                var message = ChatMessage(author: "b", uid: 2, name: "B", key: "\(number)", .init(text: "x"))
                message.number = number
                return message
            }
            return ChatState(
                author: "a", lastNumber: range.upperBound, mark: mark, messages: messages, isWhole: isWhole)
        }
        conversation.take(state(1...5, isWhole: true))
        #expect(conversation.messages.map(\.number) == [3, 4, 5] && conversation.unreadCount == 5)
        conversation.read(5)
        conversation.take(state(6...7))
        #expect(conversation.messages.map(\.number) == [5, 6, 7] && conversation.unreadCount == 2)
        #expect(!conversation.isComplete)
        // A backup that has less.
        conversation.take(state(1...2, isWhole: true, mark: 1))
        #expect(conversation.messages.map(\.number) == [1, 2] && conversation.unreadCount == 1)
        #expect(conversation.isComplete && !conversation.hasOlder)
    }

    @Test func `A gap in the numbers is seen, and filled`() {
        var conversation = Conversation(limit: 100)
        func message(_ number: Int) -> ChatMessage {
            var message = ChatMessage(author: "b", uid: 2, name: "B", key: "\(number)", .init(text: "\(number)"))
            (message.number, message.time) = (number, 1)
            return message
        }
        func ask(_ id: Int) -> ChatCommand? { conversation.next(id: id, at: .zero) }
        let page = { (number: Int) in ChatCommand.history(ChatPage(.before(number), limit: 100)) }
        conversation.take(ChatState(author: "a", lastNumber: 2, messages: [message(1), message(2)]))
        conversation.take(.chat(message(2)))
        conversation.take(.chat(message(6)))
        #expect(conversation.messages.map(\.number) == [1, 2, 6] && conversation.gapCount == 1)
        #expect(conversation.receivedNumber == nil)
        #expect(ask(7) == page(6) && ask(8) == nil)
        let isOther = conversation.take([message(3)], request: 9)
        let isOwn = conversation.take((1...5).map(message), request: 7)
        #expect(!isOther && isOwn)
        #expect(conversation.messages.map(\.number) == Array(1...6) && conversation.receivedNumber == 6)
        // The channel was lost before an answer came: it is asked again.
        conversation.take(.chat(message(8)))
        #expect(ask(9) == page(8))
        conversation.reset()
        #expect(ask(10) == page(8))
        let isTaken = conversation.fail(10, at: .zero)
        #expect(isTaken && ask(11) == nil && conversation.wakeTime == .zero + .seconds(1))
    }

    @Test func `Others see that somebody types, each 2 s at most`() {
        let (anna, ben) = (join("anna"), join("ben"))
        for _ in 0..<10 {
            anna.type()
            world.run(.milliseconds(500))
        }
        #expect(ben.typing == Array(repeating: anna.client.uid ?? 0, count: 3))
        #expect(anna.typing.isEmpty)
    }

    @Test func `Row 30: a list of 20 has the last 20, and grows back to it by asking`() {
        var conversation = Conversation(limit: 20)
        conversation.take(ChatState(author: "anna"))
        for number in 1...25 {
            var message = ChatMessage(author: "ben", uid: 1, name: "Ben", key: "\(number)", .init(text: "x"))
            message.number = number
            conversation.take(.chat(message))
        }
        #expect(conversation.messages.map(\.number) == Array(6...25))
        #expect(conversation.lastNumber == 25 && conversation.unreadCount == 25 && !conversation.hasOlder)
    }

    @Test func `Row 69: an image is shown with its longer side, and its ratio`() {
        func size(_ width: Int, _ height: Int) -> [Int] {
            let size = ChatImage(hash: "", .png, width: width, height: height, byteCount: 1).size(within: 200)
            return [size.width, size.height]
        }
        #expect(size(400, 300) == [200, 150] && size(300, 400) == [150, 200] && size(300, 300) == [200, 200])
        #expect(size(1, 2000) == [1, 200] && size(2000, 1) == [200, 1] && size(301, 200) == [200, 132])
        #expect(size(0, 5) == [200, 200] && size(.max, .max - 1)[0] == 200)
    }
}
