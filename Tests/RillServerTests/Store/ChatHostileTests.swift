#if Server
import Foundation
import Glibc
import RillRooms
import RillTestSupport
import RillWHIP
import Testing

@testable import RillServer

/// A whole server whose disk, database and clients do what they should not.
@Suite struct ChatHostileTests {
    let folder = TemporaryFolder()
    private var data: String { folder.path("data") }

    private func start(_ more: [String] = []) throws -> ServerProcess {
        try ServerProcess(["--data", data] + more, hasMedia: true)
    }

    // MARK: Text

    @Test func `Text is stored as it is, whatever it would do elsewhere, or refused; a megabyte closes its channel`()
        throws
    {
        let server = try start()
        let (anna, ben) = (try server.enter("Anna").client, try server.enter("Ben").client)
        let texts = [
            "<script>alert(1)</script><img src=x onerror=alert(1)>", "\u{202E}\u{2066}abc\u{2069}", "a\u{200D}b",
            "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "{{7*7}} ${x} %00 '; DROP TABLE message; --", "\\u0000",
        ]
        for text in texts { _ = try anna.write(text) }
        #expect(try ben.history().map { Array(($0.content?.text ?? "").utf8) } == texts.map { Array($0.utf8) })
        for (text, code) in [("a\u{1}b", RoomError.Code.malformed), ("\u{200B}\u{202E}", .malformed)] {
            guard case .error(let error, to: _) = try anna.ask(.chat(key: "x", text: text)), error.code == code else {
                throw TestFailure("\(text.debugDescription) is not refused")
            }
        }
        let marks = { "x" + String(repeating: "\u{301}", count: $0) }
        guard
            case .error(.tooLarge(field: "text", limit: 16_384), to: _) = try anna.ask(
                .chat(key: "x", text: marks(100_000)))
        else { throw TestFailure("a tower of marks is not refused") }
        // More than a message may have closes the channel with its code.
        let (carl, _) = try server.enter("Carl")
        carl.send(#"{"type":"chat","key":"x","text":"\#(marks(524_288))"}"#)
        var last: SocketClient.Frame?
        while let frame = carl.next() { last = frame }
        #expect(last == SocketClient.Frame(opcode: 8, bytes: [0x03, 0xF1]))
        // Row 29: bytes that are not UTF-8 are counted and nobody's message; the channel is closed, as RFC 6455 has it.
        let refused = try #require(try server.metric("rill_room_requests_refused_total"))
        let (dora, _) = try server.enter("Dora")
        dora.send(1, Array(#"{"type":"chat","key":"x","text":""#.utf8) + [0xC3, 0x28, 0x22, 0x7D])
        last = nil
        while let frame = dora.next() { last = frame }
        #expect(last == SocketClient.Frame(opcode: 8, bytes: [0x03, 0xEF]))
        #expect(try server.metric("rill_room_requests_refused_total") == refused + 1)
        #expect(try ben.history().count == texts.count && ben.write("on") == texts.count + 1)
        #expect(try server.end() == 0)
    }

    // MARK: People

    @Test(arguments: [true, false])
    func `A guest whose page loads again is the same author, also of a server that was killed`(hasSecret: Bool) throws {
        let secret = try folder.write(String(repeating: "s", count: 48), as: "secret")
        let outcome = try rill(["token", "--secret-file", secret, "--room", "lobby"])
        let token = hasSecret ? outcome.text.split(separator: "\n").first.map(String.init) : nil
        let options = hasSecret ? ["--secret-file", secret, "--host", "127.0.0.1"] : []
        var server = try start(options)
        let (page, first) = try server.enter("Anna", token: token)
        #expect(try page.write("one", key: "k") == 1)
        // Another tab of the same page takes its place, and only one of them is in.
        let (other, second) = try server.enter("Anna", token: token, session: first.session)
        #expect(second.chat?.author == first.chat?.author && second.uid == first.uid)
        var isReplaced = false
        // Until the server closes its channel.
        while let message = try? page.message() { if case .bye(.replaced) = message { isReplaced = true } }
        #expect(isReplaced)
        #expect(try other.write("one", key: "k") == 1 && other.write("two", key: "l") == 2)
        #expect(try server.end(by: SIGKILL) == 128 + SIGKILL)
        server = try start(options)
        let (again, third) = try server.enter("Anna", token: token, session: second.session)
        #expect(third.chat?.author == first.chat?.author && third.chat?.messages.map(\.key) == ["k", "l"])
        #expect(try again.write("two", key: "l") == 2 && again.write("three", key: "m") == 3)
    }

    // MARK: Images

    @Test func `A server that is killed in mid-upload has nothing of the image, and takes it afterwards`() throws {
        var server = try start()
        let bytes = ImageSample.png.bytes
        let (_, welcome) = try server.enter("Anna")
        let upload = try RawConnection(port: server.port)
        upload.send(
            "POST /rooms/images HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes.count)\r\n"
                + "Authorization: Bearer \(welcome.session)\r\n\r\n")
        upload.send(Array(bytes.prefix(100)))
        usleep(100_000)
        #expect(try server.end(by: SIGKILL) == 128 + SIGKILL)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: "\(data)/images").isEmpty)
        server = try start()
        #expect(try server.metric("rill_room_images") == 0)
        let (_, next) = try server.enter("Anna")
        #expect(try server.post(bytes, of: next.session).status == 201)
        // The former session is nobody's now.
        #expect(try server.post(bytes, of: welcome.session).status == 401)
        #expect(try server.metric("rill_room_images") == 1 && server.metric("rill_room_images_added_total") == 1)
        #expect(try server.end() == 0)
    }

    @Test func `A room's images, and all images, have their limit, told by name`() throws {
        let server = try start(["--room-images", "1", "--all-images", "2"])
        let (_, welcome) = try server.enter("Anna")
        // Bytes behind the end of a picture belong to its file.
        func image(_ number: UInt8) -> [UInt8] {
            ImageSample.png.bytes + Array(repeating: number, count: 700_000)
        }
        #expect(try server.post(image(1), of: welcome.session).status == 201)
        var answer = try server.post(image(2), of: welcome.session)
        #expect(answer.status == 507 && answer.body == "{\"error\":\"room-full\",\"limit\":1048576}\n")
        let (_, other) = try server.enter("Ben", "other")
        #expect(try server.post(image(2), of: other.session).status == 201)
        let (_, third) = try server.enter("Carl", "third")
        answer = try server.post(image(3), of: third.session)
        #expect(answer.status == 507 && answer.body == "{\"error\":\"store-full\",\"limit\":2097152}\n")
        #expect(try server.metric("rill_room_images_full_total") == 2 && server.metric("rill_room_images") == 2)
        #expect(try server.metric("rill_room_image_bytes").map { (1_400_000...1_500_000).contains($0) } == true)
        #expect(try server.end() == 0)
    }

    // MARK: The disk

    @Test func `A database at its limit fails messages, reads on, and goes on with a larger one`() throws {
        var server = try start(["--all-chats", "1"])
        var client = try server.enter("Anna").client
        let text = String(repeating: "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}", count: 255)
        var (number, stored) = (0, 0)
        var failure: RoomMessage?
        while failure == nil, number < 1_000 {
            number += 1
            usleep(50_000)
            let answer = try client.ask(.chat(key: "\(number)", text: text))
            if case .done(_, number: _, answer: _, message: let message?) = answer {
                stored = message
            } else {
                failure = answer
            }
        }
        guard case .error(.storeFailed, to: _)? = failure else { throw TestFailure("it is not full: \(stored)") }
        #expect(stored == number - 1 && stored > 50)
        #expect(try client.history().last?.number == stored)
        #expect(try server.metric("rill_room_store_failures_total") == 1)
        #expect(try server.end() == 0)
        server = try start(["--all-chats", "2"])
        client = try server.enter("Anna").client
        #expect(try client.write(text, key: "\(number)") == stored + 1)
        #expect(try server.end() == 0)
    }

    @Test func `A folder that is renamed fails what needs it, and goes on when it is back`() throws {
        let server = try start()
        let (anna, welcome) = try server.enter("Anna")
        for number in 1...10 { #expect(try anna.write("\(number)") == number) }
        try FileManager.default.moveItem(atPath: data, toPath: folder.path("moved"))
        // Its open files are where they were: what is stored is stored there, else it is told.
        var numbers: [Int] = []
        for number in 11...13 {
            switch try anna.ask(.chat(key: "\(number)", text: "\(number)")) {
            case .done(_, number: _, answer: _, message: let number?): numbers.append(number)
            case .error(.storeFailed, to: _): break
            case let answer: throw TestFailure("\(answer)")
            }
        }
        let image = try server.post(ImageSample.png.bytes, of: welcome.session)
        #expect(image.status == 503 && image.body == "{\"error\":\"failed\"}\n")
        #expect(try server.send("GET", "/healthz").status == 200)
        try FileManager.default.moveItem(atPath: folder.path("moved"), toPath: data)
        #expect(try server.post(ImageSample.png.bytes, of: welcome.session).status == 201)
        #expect(try anna.write("14") == 11 + numbers.count)
        #expect(try server.end() == 0)
    }

    @Test func `A database that is damaged while it is open fails what needs it, and is named at the next start`()
        throws
    {
        var server = try start()
        let anna = try server.enter("Anna").client
        for number in 1...10 { #expect(try anna.write("\(number)") == number) }
        #expect(try server.end() == 0)
        server = try start()
        _ = try server.enter("Anna", "first")
        // Noise over all pages but the first one.
        let path = "\(data)/rooms.sqlite"
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        #expect(size > 8192)
        try server.send(SIGSTOP)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: size - 4096))
        try file.close()
        try server.send(SIGCONT)
        for room in ["second", "third"] {
            // Who comes in does not wait for what cannot be read.
            let ben = try server.enter("Ben", room).client
            guard case .error(.storeFailed, to: _) = try ben.ask(.chat(key: "1", text: "x")) else {
                throw TestFailure("it is stored in noise")
            }
        }
        #expect(try server.send("GET", "/healthz").status == 200)
        _ = try server.end()
        let outcome = try rill(["serve", "--http", "0", "--media", "0", "--data", data])
        #expect(outcome.status == 1 && outcome.text.contains("rooms.sqlite is damaged"), "\(outcome.text)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount"))
    func `A folder that cannot be written to is said in a sentence`() throws {
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        let program = try Program(builtAs: "rill")
        let mount = "mount --bind \(data) \(data)\nmount -o remount,bind,ro \(data)\nexec \"$@\""
        let outcome = try existing(Program(named: "unshare")).run(
            ["--mount", "--propagation", "private", "sh", "-ec", mount, "sh", program.path]
                + ["serve", "--http", "0", "--media", "0", "--data", data])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("lock cannot be written to: change its permissions"), "\(outcome.errors)")
    }

    @Test func `A backup is made while people write, as the documents say, and has all that was answered before`()
        throws
    {
        #expect(try Self.page().contains("sqlite3 -readonly data/rooms.sqlite '.backup backup.sqlite'"))
        let sqlite = try existing(Program(named: "sqlite3"))
        let server = try start()
        let (anna, _) = try server.enter("Anna")
        for number in 1...10 { #expect(try anna.write("\(number)") == number) }
        let backup = folder.path("backup.sqlite")
        let copying = try sqlite.start(["-readonly", "\(data)/rooms.sqlite", ".backup \(backup)"])
        for number in 11...20 { #expect(try anna.write("\(number)") == number) }
        #expect(try copying.wait().status == 0)
        let count = try sqlite.run(["-readonly", backup, "SELECT count(*) >= 10 FROM message"])
        #expect(count.text == "1\n", "\(count.errors)")
        #expect(try anna.history().count == 20 && server.end() == 0)
        // It is a folder's database as it is.
        try FileManager.default.removeItem(atPath: data)
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: backup, toPath: "\(data)/rooms.sqlite")
        let next = try start()
        #expect(try next.enter("Ben").welcome.chat?.messages.prefix(10).map(\.key) == (1...10).map { "\($0)" })
    }

    private static func page() throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        return String(decoding: try read(folder + "/../../../Documentation/Rill.docc/Serving.md"), as: UTF8.self)
    }

    @Test func `Each metric of chats is documented, and there`() throws {
        let server = try start()
        _ = try server.enter("Anna")
        let rows = try Self.page().split(separator: "\n").filter { $0.hasPrefix("| `rill_room") }
        let names = rows.flatMap { row in
            row.split(separator: "|")[0].split(separator: "`").filter { $0.hasPrefix("rill_") }.map(String.init)
        }
        #expect(names.count == 9)
        for name in names { #expect(try server.metric(name) != nil, "\(name)") }
        // All of images, and of the store, are among them.
        let lines = try server.send("GET", "/metrics").body.split(separator: "\n")
        let counted = lines.compactMap { $0.split(separator: " ").first.map(String.init) }.filter { name in
            name.hasPrefix("rill_room_image") || name.hasPrefix("rill_room_store") || name.hasPrefix("rill_room_chat")
        }
        #expect(Set(counted).isSubset(of: names), "\(counted)")
    }
}
#endif
