#if Server
import FoundationEssentials
import Glibc
import RillRooms
import RillTestSupport
import RillWHIP
import Testing

@testable import RillServer

@Suite struct ImageRequestTests {
    let folder = TemporaryFolder()

    private func start() throws -> ServerProcess {
        try ServerProcess(["--data", folder.path("data")], hasMedia: true)
    }

    /// Joins, and returns the field with the session's token.
    private func join(_ server: ServerProcess, _ room: String = "lobby") throws -> String {
        let answer = try server.send("POST", "/rooms", [], "{\"type\":\"join\",\"room\":\"\(room)\",\"name\":\"Anna\"}")
        guard case .welcome(let welcome, _) = try JSONDecoder().decode(RoomMessage.self, from: Data(answer.body.utf8))
        else { throw TestFailure(answer.body) }
        return "Authorization: Bearer \(welcome.session)"
    }

    private func post(
        _ bytes: [UInt8], _ server: ServerProcess, _ fields: [String], length: Int? = nil
    ) throws -> WHIPResponse {
        let connection = try RawConnection(port: server.port)
        let head =
            ["POST /rooms/images HTTP/1.1", "Host: localhost", "Content-Length: \(length ?? bytes.count)"] + fields
        connection.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + bytes)
        return try existing(connection.response(seconds: 60))
    }

    @Test func `Row 70: An image is taken, checked, and known by its hash`() throws {
        let server = try start()
        let session = try join(server)
        for sample in ImageSample.allCases {
            // What a client calls it does not matter.
            let answer = try post(sample.bytes, server, [session, "Content-Type: image/svg+xml"])
            #expect(answer.status == 201 && answer.headers["Content-Type"] == "application/json")
            let image = try JSONDecoder().decode(ChatImage.self, from: Data(answer.body.utf8))
            #expect(image.width == 24 && image.height == 16 && image.byteCount == sample.bytes.count)
            let file = folder.path("data/images/\(image.hash.prefix(2))/\(image.hash)")
            #expect(try read(file) == sample.bytes)
            // The same bytes are the same image.
            #expect(try post(sample.bytes, server, [session]).body == answer.body)
            // It is no message's, so there is nobody to see it.
            #expect(try server.send("GET", "/rooms/images/\(image.hash)", [session]).status == 404)
        }
        #expect(try server.end() == 0)
    }

    @Test func `Who may not write adds no image: while the chat is off, or when blocked`() throws {
        let server = try start()
        let (host, welcome) = try server.enter("Hanna")
        let (_, other) = try server.enter("Ben")
        let author = try #require(other.chat?.author)
        func statuses() throws -> [Int] {
            try [welcome, other].map { try server.post(ImageSample.png.bytes, of: $0.session).status }
        }
        #expect(try statuses() == [201, 201])
        let states: [(ChatCommand, [Int])] = [
            (.setEnabled(false), [403, 403]), (.setEnabled(true), [201, 201]), (.block(author, true), [201, 403]),
            (.block(author, false), [201, 201]),
        ]
        for (command, expected) in states {
            guard case .done = try host.ask(.chat(command)) else { throw TestFailure("\(command)") }
            #expect(try statuses() == expected, "\(command)")
        }
        #expect(try server.metric("rill_room_images_refused_total") == 0 && server.end() == 0)
    }

    @Test func `Members of the room see an image, and nobody else does`() throws {
        let server = try start()
        let client = try SocketClient(port: server.port)
        guard case .welcome(let welcome, _) = try client.ask(.join(JoinRequest(room: "lobby", name: "Anna"))) else {
            throw TestFailure("Anna is not in")
        }
        let anna = "Authorization: Bearer \(welcome.session)"
        let (ben, other) = (try join(server), try join(server, "other"))
        for (index, sample) in ImageSample.allCases.enumerated() {
            let added = try post(sample.bytes, server, [anna])
            let image = try JSONDecoder().decode(ChatImage.self, from: Data(added.body.utf8))
            // Two messages a turn: 20 a second are few enough.
            usleep(110_000)
            let answer = try client.ask(.chat(key: "\(index)", text: "", image: image))
            guard case .done = answer else { throw TestFailure("the image is not written: \(answer)") }
            let path = "/rooms/images/\(image.hash)"
            for (path, isWhole) in [(path, true), (path + "?thumbnail", false)] {
                let answer = try server.send("GET", path, [ben])
                #expect(answer.status == 200)
                #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
                #expect(answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox")
                #expect(answer.headers["Cache-Control"]?.contains("private") == true)
                if isWhole {
                    #expect(answer.body == String(decoding: sample.bytes, as: UTF8.self))
                    #expect(answer.headers["Content-Type"] == image.format.mediaType)
                } else {
                    #expect(["image/png", "image/jpeg"].contains(answer.headers["Content-Type"] ?? ""))
                }
                #expect(
                    try server.send("HEAD", path, [ben]).headers["Content-Length"] == answer.headers["Content-Length"])
                #expect(try server.send("GET", path, [other]).status == 404)
            }
            // An image that the store does not have is none of a message.
            var wrong = image
            wrong.width += 1
            let refusal = try client.ask(.chat(key: "\(index) wrong", text: "", image: wrong))
            guard case .error(let error, to: _) = refusal, error.code != .tooFast else {
                throw TestFailure("an image with another size: \(refusal)")
            }
        }
        #expect(try server.end() == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount"))
    func `On a full disk a message fails, and others go on when there is room`() throws {
        try FileManager.default.createDirectory(atPath: folder.path("data"), withIntermediateDirectories: true)
        let server = try ServerProcess(
            ["--data", folder.path("data")], hasMedia: true,
            mounting: "mount -t tmpfs -o size=2m none \(folder.path("data"))")
        let client = try SocketClient(port: server.port)
        _ = try client.ask(.join(JoinRequest(room: "lobby", name: "Anna")))
        // The server's mount is seen by its process only.
        let ballast = try server.root() + folder.path("data/ballast")
        _ = try client.ask(.chat(key: "0", text: "before"))
        let file = unsafe open(ballast, O_WRONLY | O_CREAT, 0o600)
        let block = [UInt8](repeating: 1, count: 4096)
        // Until there is no place.
        while unsafe Glibc.write(file, block, block.count) > 0 {}
        close(file)
        var stored: [Int] = []
        var failed: [Int] = []
        for number in 1...200 where failed.count < 3 {
            // 20 messages a second are few enough.
            usleep(60_000)
            let text = String(repeating: "e\u{301}\u{302}\u{303}", count: 255)
            switch try client.ask(.chat(key: "\(number)", text: text)) {
            case .done: stored.append(number)
            case .error(.storeFailed, to: _): failed.append(number)
            case let answer: throw TestFailure("\(answer)")
            }
        }
        #expect(failed.count == 3)
        // Nor is there a place for an image, of which nothing stays.
        let session = try join(server)
        let image = ImageSample.png.bytes + [UInt8](repeating: 0, count: 100_000)
        let refusal = try post(image, server, [session])
        #expect(refusal.status == 507 && refusal.body == "{\"error\":\"full\"}\n", "\(refusal.body)")
        let files = try server.root() + folder.path("data/images")
        let left = try FileManager.default.subpathsOfDirectory(atPath: files).filter { $0.contains("/") }
        #expect(left.isEmpty, "\(left)")
        #expect(unsafe unlink(ballast) == 0)
        #expect(try post(image, server, [session]).status == 201)
        for number in failed {
            guard case .done = try client.ask(.chat(key: "\(number)", text: "again")) else {
                throw TestFailure("it does not go on")
            }
        }
        guard case .history(let messages, to: _) = try client.ask(.chat(.history(ChatPage(.before(nil), limit: 100))))
        else { throw TestFailure("no history") }
        let keys = (["0"] + (stored + failed).map { "\($0)" }).suffix(100)
        #expect(messages.map(\.key) == Array(keys))
        #expect(try server.end() == 0)
    }

    @Test func `Without a session nothing is read of a body, and nothing shown`() throws {
        let server = try start()
        let session = try join(server)
        for fields in [[], ["Authorization: Bearer nobody"], [session + "x"]] {
            // No byte of the body is sent.
            #expect(try post([], server, fields, length: 1000).status == 401)
            #expect(try server.send("GET", "/rooms/images/\(String(repeating: "0", count: 64))", fields).status == 401)
        }
        #expect(try post([], server, [session], length: 10 << 20 + 1).status == 413)
        #expect(try server.send("PUT", "/rooms/images", [session]).status == 405)
        #expect(try server.send("POST", "/rooms/images/00", [session]).status == 405)
        for hash in ["..", "../rooms.sqlite", "%2e%2e", String(repeating: "0", count: 63), "A", "0/1"] {
            #expect(try server.send("GET", "/rooms/images/\(hash)", [session]).status == 404)
        }
        #expect(try server.send("POST", "/rooms/images", [session, "Origin: https://example.net"]).status == 403)
    }

    @Test func `Row 70: Other files are refused with a reason`() throws {
        let server = try start()
        let session = try join(server)
        let refusals: [([UInt8], Int, String)] = [
            (Array("<svg/>".utf8), 415, "unknown-format"), ([], 415, "unknown-format"),
            (Array(ImageSample.gif.bytes.dropLast(3)), 422, "damaged"),
        ]
        for (bytes, status, word) in refusals {
            let answer = try post(bytes, server, [session])
            #expect(answer.status == status && answer.body.contains("\"error\":\"\(word)\""), "\(answer.body)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("data/images")).isEmpty)
    }

    @Test func `Without a folder there are no images`() throws {
        let server = try ServerProcess(hasMedia: true)
        #expect(try post(ImageSample.png.bytes, server, [try join(server)]).status == 404)
    }

    @Test func `A folder that cannot be used is said in a sentence`() throws {
        try FileManager.default.createDirectory(atPath: folder.path("data"), withIntermediateDirectories: true)
        try write(Array(repeating: 65, count: 4096), to: folder.path("data/rooms.sqlite"))
        let (status, text) = try rill(["serve", "--http", "0", "--media", "0", "--data", folder.path("data")])
        #expect(status == 1)
        #expect(text.contains("rooms.sqlite is damaged (file is not a database)"), "\(text)")
    }

    @Test(.enabled(if: Program(path: ".build/pillow/bin/python") != nil, "Pillow is not installed"))
    func `The largest images take less than 64 MiB while they are checked`() throws {
        let server = try start()
        let script = """
            import os, sys
            from PIL import Image
            side = 4990
            noise = Image.frombytes("RGB", (499, 499), os.urandom(499 * 499 * 3))
            flat = Image.new("RGB", (side, side), (200, 100, 50))
            tiles = flat.copy()
            for x in range(0, side, 499): tiles.paste(noise, (x, x))
            folder = sys.argv[1]
            tiles.resize((2200, 2200)).save(folder + "/noise.jpg", quality=90)
            flat.save(folder + "/flat.png")
            flat.convert("RGBA").save(folder + "/alpha.png")
            flat.save(folder + "/flat.jpg")
            flat.save(folder + "/progressive.jpg", progressive=True)
            flat.save(folder + "/full.jpg", progressive=True, subsampling=0)
            flat.save(folder + "/lossy.webp", method=0)
            flat.save(folder + "/lossless.webp", lossless=True, method=0)
            flat.resize((3200, 3200)).save(folder + "/small.webp", lossless=True, method=0)
            flat.convert("P").save(folder + "/flat.gif")
            """
        let python = try existing(Program(path: ".build/pillow/bin/python"))
        let made = try python.run(["-c", script, folder.root])
        #expect(made.status == 0, "\(made.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.root).filter { $0.contains(".") }
        #expect(names.count == 10)
        // The first one brings the libraries into memory.
        for sample in ImageSample.allCases { _ = try post(sample.bytes, server, [try join(server)]) }
        try server.forgetPeak()
        let before = try server.peak()
        for name in names.sorted() {
            let bytes = try read(folder.path(name))
            // A session without a channel lasts for 15 s.
            let session = try join(server)
            try server.forgetPeak()
            let answer = try post(bytes, server, [session])
            let growth = try server.peak() - before
            note("\(name): \(answer.status), \(growth >> 20) MiB")
            #expect(answer.status == 201 || answer.status == 413, "\(name): \(answer.body)")
            #expect(growth <= 64 << 20, "\(name): \(growth)")
        }
    }
}
#endif
