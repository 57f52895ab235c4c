import Foundation
import RillTestSupport
import RillTransport
import Testing

/// `rill key` and `rill call`, as two people run them.
@Suite struct CallCommandTests {
    private let folder = TemporaryFolder()

    @Test func `A key is 44 bytes of base64, another one each time, and its file is the owner's alone`() throws {
        let path = folder.path("call.key")
        #expect(try rill("key", path).status == 0)
        let text = String(decoding: try read(path), as: UTF8.self)
        #expect(Data(base64Encoded: text.trimmingCharacters(in: .newlines))?.count == 44)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let second = try rill("key", path)
        #expect(second.status == 1 && second.errors.contains("never overwritten"))
        #expect(try read(path) == Array(text.utf8))
        let other = try rill("key", "--bits", "128").text
        #expect(Data(base64Encoded: other.trimmingCharacters(in: .newlines))?.count == 28)
        #expect(try rill("key", "--bits", "192").status == 64)
        for (suite, count) in [("gcm-256", 44), ("gcm-128", 28), ("cm-80", 30)] {
            let key = try rill("key", "--suite", suite).text.trimmingCharacters(in: .newlines)
            #expect(Data(base64Encoded: key)?.count == count)
        }
        #expect(try rill("key", "--suite", "cm-32").status == 64)
    }

    @Test func `What cannot be called is refused with its reason`() throws {
        let ports = try freePorts(2)
        let clear = try rill("call", "--to", "192.0.2.1:5004", "--listen", ports[0])
        #expect(clear.status == 64 && clear.errors.contains("not be encrypted"), "\(clear.errors)")
        let path = folder.path("bad.key")
        for (content, reason) in [("no base64!", "not base64"), ("AAAA", "3 bytes"), ("", "cannot be read")] {
            try write(Array(content.utf8), to: path)
            let outcome = try rill("call", "--to", "192.0.2.1:5004", "--listen", ports[0], "--key-file", path)
            #expect(outcome.status == 2 && outcome.errors.contains(reason), "\(content): \(outcome.errors)")
            // Nothing of a key is shown, however bad it is.
            #expect(content.isEmpty || !(outcome.errors + outcome.text).contains(content))
        }
        let directory = try rill("call", "--to", "192.0.2.1:5004", "--listen", ports[0], "--key-file", folder.path("."))
        #expect(directory.status == 2 && directory.errors.contains("cannot be read"), "\(directory.errors)")
        let alone = try rill(
            "call", try movingClip(in: folder, frames: 10), "--to", "127.0.0.1:\(ports[1])", "--listen", ports[0],
            "--duration",
            "1s")
        #expect(alone.status == 3 && alone.errors.contains("no answer from"), "\(alone.errors)")
    }

    @Test(arguments: ["127.0.0.1", "localhost", "127.0.0.2"], [true, false])
    func `A call to its own address is refused by name`(host: String, isProtected: Bool) throws {
        let (port, path) = (try freePorts(1)[0], folder.path("own.key"))
        _ = try rill("key", path)
        let clip = try movingClip(in: folder, frames: 10)
        let words = ["call", clip, "--to", "\(host):\(port)", "--listen", port, "--duration", "1s"]
        let outcome = try rillProgram().run(words + (isProtected ? ["--key-file", path] : []), input: "/dev/null")
        // Without a key it listens at 127.0.0.1 only, where 127.0.0.2 is somebody else.
        let isOther = host == "127.0.0.2" && !isProtected
        #expect(outcome.status != 0 && outcome.errors.contains("is our own address") != isOther, "\(outcome.errors)")
        let sent = try rill("send", clip, "--to", "127.0.0.1:\(port)", "--listen", port, "--duration", "1s")
        #expect(sent.status != 0 && sent.errors.contains("is our own address"), "\(sent.errors)")
    }

    @Test func `A side without the other's key shows nothing, and says so`() throws {
        let (ports, key) = (try freePorts(2), folder.path("call.key"))
        _ = try rill("key", key)
        let clip = try movingClip(in: folder, frames: 20)
        func words(_ side: Int) -> [String] {
            ["call", clip, "--to", "127.0.0.1:\(ports[1 - side])", "--listen", ports[side], "--duration", "4s"]
        }
        let other = try rillProgram().start(words(1) + ["--key-file", key], limit: 60)
        let mine = try rillProgram().run(words(0), input: "/dev/null")
        let theirs = try other.wait()
        #expect(mine.status == 2 && mine.errors.contains("no picture could be decoded"), "\(mine.errors)")
        #expect(theirs.status == 3 && theirs.errors.contains("the keys differ"), "\(theirs.errors)")
    }

    @Test func `Two sides call each other, and the first to leave ends it for both`() throws {
        let (ports, key) = (try freePorts(2), folder.path("call.key"))
        _ = try rill("key", key)
        let clips = try [
            movingClip(in: folder, frames: 20, width: 160, height: 120), movingClip(in: folder, frames: 7),
        ]
        func words(_ side: Int, _ more: String...) -> [String] {
            ["call", clips[side], "--to", "127.0.0.1:\(ports[1 - side])", "--listen", ports[side], "--key-file", key]
                + more
        }
        let (output, page) = (folder.path("theirs.y4m"), folder.path("call.html"))
        let other = try rillProgram().start(
            words(1, "--output", output, "--report", page, "--json"), limit: 60)
        let mine = try rillProgram().run(words(0, "--duration", "5s"), input: "/dev/null")
        let theirs = try other.wait()
        #expect(mine.status == 0 && theirs.status == 0, "\(mine.errors)\n\(theirs.errors)")
        for line in ["joined", "first picture of 127.0.0.1:\(ports[0])'s high layer: 160x120", "left"] {
            #expect(theirs.errors.contains(line), "\(theirs.errors)")
        }
        #expect(mine.errors.contains("high layer: 64x48") && mine.errors.contains("AEAD_AES_256_GCM"))
        let picture = try read(output)
        #expect(String(decoding: picture.prefix(24), as: UTF8.self).hasPrefix("YUV4MPEG2 W160 H120 F30"))
        #expect(picture.count > 60 * 160 * 120 * 3 / 2)
        #expect(try report(onPage: page)["layers"] as? [String] == ["high", "low"])
        let json = try JSONSerialization.jsonObject(with: Data(theirs.output)) as? [String: Any]
        let lengths = (json?["samples"] as? [[String: Any]])?.compactMap { $0["length"] as? Double } ?? []
        // The end of the call, however short, is not a separate sample.
        #expect(lengths.count >= 6 && lengths.allSatisfy { $0 >= 0.25 } && json?["statistics"] != nil, "\(lengths)")
        let secret = String(decoding: try read(key), as: UTF8.self).trimmingCharacters(in: .newlines)
        #expect(!(mine.errors + mine.text + theirs.errors + theirs.text).contains(secret))
    }
}
