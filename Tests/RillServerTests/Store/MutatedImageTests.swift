#if Server
import Foundation
import RillRooms
import RillTestSupport
import RillWHIP
import Testing

@testable import RillServer

/// Images that somebody damaged: those that are taken are shown by other programs.
@Suite(.serialized) struct MutatedImageTests {
    let folder = TemporaryFolder()
    /// Pillow, in the folder that `Scripts/setup images` makes.
    private static var pillow: Program? { Program(path: ".build/pillow/bin/python") }
    private static var chromium: Program? { Program(named: "chromium") }

    /// An image that was taken: the name of its file, and its size as it is shown.
    private struct Taken {
        var name: String
        var width, height: Int
    }

    private static func mutated(_ count: Int) -> MutatedInputs {
        MutatedInputs(of: ImageSample.allCases.map(\.bytes), count: count, using: SeededGenerator(seed: 52))
    }

    /// Checks mutated images, and writes those that are taken into the folder.
    private func take(of count: Int) throws -> [Taken] {
        var taken: [Taken] = []
        for (index, bytes) in Self.mutated(count).enumerated() {
            // A chunk's checksum would refuse nearly all damage of PNG.
            for (kind, input) in [("", bytes), ("-repaired", bytes.repairedPNG)] where kind.isEmpty || input != bytes {
                // Most are refused; the number of those that are taken is checked below.
                guard let image = try? ImageCheck(input) else { continue }
                taken.append(Taken(name: "\(index)\(kind)", width: image.width, height: image.height))
                try write(input, to: folder.path("\(index)\(kind)"))
            }
        }
        note("\(taken.count) of \(count) mutated images are taken")
        // Damage within pixels is none that a decoder could see, so some are taken.
        #expect(taken.count > count / 50)
        return taken
    }

    @Test(.enabled(if: pillow != nil, "Pillow is not installed"))
    func `Mutated images are refused, or taken and decoded by Pillow`() throws {
        _ = try take(of: isLongRun ? 20_000 : 1000)
        let script = """
            import sys, os, base64
            from PIL import Image
            for name in sorted(os.listdir(sys.argv[1])):
                path = os.path.join(sys.argv[1], name)
                try:
                    with Image.open(path) as image: image.load()
                except Exception as error: print(repr(error), base64.b64encode(open(path, "rb").read()).decode())
            """
        let outcome = try existing(Self.pillow).run(["-c", script, folder.root])
        #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)\(outcome.errors)")
    }

    @Test(.enabled(if: chromium != nil, "Chromium is not installed"))
    func `Mutated images are refused, or taken and shown by Chromium in the size that we say`() throws {
        let taken = try take(of: isLongRun ? 20_000 : 1000)
        let names = taken.map { "[\"\($0.name)\", \($0.width), \($0.height)]" }.joined(separator: ",")
        let page = """
            <!DOCTYPE html><body><script>
            (async () => {
              let [shown, wrong] = [0, []];
              for (const [name, width, height] of [\(names)]) {
                const image = new Image();
                image.src = name;
                try {
                  await image.decode();
                  const picture = await createImageBitmap(image);
                  if (picture.width === width && picture.height === height) shown += 1;
                  else wrong.push(`${name} has ${picture.width}x${picture.height}, not ${width}x${height}`);
                  picture.close();
                } catch (error) { wrong.push(`${name}: ${error.message}`); }
              }
              console.log(`RESULT;${shown};${wrong.join(", ")};END`);
              setTimeout(() => window.close(), 0);
            })();
            </script>
            """
        try write(Array(page.utf8), to: folder.path("page.html"))
        let outcome = try existing(Self.chromium).start(
            [
                // It refuses to run as root in its sandbox; the page is ours.
                "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                "--enable-logging=stderr", "--user-data-dir=\(folder.path("profile"))",
                "file://\(folder.path("page.html"))",
            ], limit: 300
        ).wait()
        let parts = outcome.errors.components(separatedBy: "RESULT;").dropFirst().first?.components(separatedBy: ";")
        guard let parts, parts.count > 2, parts[2].hasPrefix("END") else {
            throw TestFailure("chromium: \(outcome.errors.suffix(1000))")
        }
        #expect(parts[1].isEmpty, "\(parts[1])")
        #expect(parts[0] == "\(taken.count)")
    }

    @Test func `Mutated images take less than 64 MiB of a server, which keeps those that it takes and no others`()
        throws
    {
        let server = try ServerProcess(
            ["--data", folder.path("data"), "--address-requests", "0"], hasMedia: true)
        let (client, welcome) = try server.enter("Anna")
        // The first ones bring the libraries into memory.
        for sample in ImageSample.allCases { _ = try server.post(sample.bytes, of: welcome.session) }
        try server.forgetPeak()
        let before = try server.peak()
        var hashes = Set<String>()
        for sample in ImageSample.allCases { hashes.insert(try image(server.post(sample.bytes, of: welcome.session))) }
        var refused: [Int: Int] = [:]
        for (index, bytes) in Self.mutated(isLongRun ? 1000 : 100).enumerated() {
            let answer = try server.post(bytes.repairedPNG, of: welcome.session)
            if answer.status == 201 {
                hashes.insert(try image(answer))
            } else {
                refused[answer.status, default: 0] += 1
            }
            // A member that says nothing is out after 15 s.
            if index % 20 == 0 { client.send(#"{"type":"alive","number":0}"#) }
        }
        let growth = try server.peak() - before
        note("\(hashes.count) kept, refused \(refused), \(growth >> 10) KiB")
        #expect(growth <= 64 << 20)
        #expect(Set(refused.keys).isSubset(of: [413, 415, 422]))
        #expect(try server.metric("rill_room_images") == hashes.count)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path("data/images"))
        let names = Set(files.filter { $0.contains("/") }.map { String($0.dropFirst(3)) })
        #expect(names == hashes.union(hashes.map { "\($0).thumbnail" }))
        #expect(try server.end() == 0)
    }

    private func image(_ answer: WHIPResponse) throws -> String {
        try JSONDecoder().decode(ChatImage.self, from: Data(answer.body.utf8)).hash
    }
}
#endif
