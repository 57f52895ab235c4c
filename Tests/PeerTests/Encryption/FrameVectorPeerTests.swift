import Foundation
import RillTestSupport
import Testing

/// Protected frames as other programs make and open them: a Python program that was written from the description of the
/// layout, and the script of the pages.
@Suite struct FrameVectorPeerTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized
    private static let vectors = sources.appending(path: "Tests/RillSecurityTests/SFrame")
    private static let python = Program(named: "python3")
    private static let node = Program(named: "node")
    private static var hasCryptography: Bool {
        (try? python?.run(["-c", "import cryptography"]))?.status == 0  // what does not run is not there
    }

    @Test(.enabled(if: hasCryptography, "python3 with the package cryptography is not installed"))
    func `The committed vectors are those that the Python program prints`() throws {
        let outcome = try existing(Self.python).run([Self.vectors.appending(path: "frame-vectors.py").path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == (try read(Self.vectors.appending(path: "frame-vectors.txt").path)))
    }

    @Test(.enabled(if: node != nil, "node is not installed"))
    func `The script of the pages makes and opens the same frames, and no changed one`() throws {
        let folder = TemporaryFolder()
        // A module by its name.
        let page = Self.sources.appending(path: "Sources/Rooms/RillServer/Pages/rill-sframe.js")
        try write(read(page.path), to: folder.path("rill-sframe.mjs"))
        try write(Array(Self.script.utf8), to: folder.path("check.mjs"))
        let outcome = try existing(Self.node).run([
            folder.path("check.mjs"), folder.path("rill-sframe.mjs"),
            Self.vectors.appending(path: "frame-vectors.txt").path,
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(String(decoding: outcome.output, as: UTF8.self) == "192 vectors, 0 failures\n")
    }

    /// Seals and opens each vector; of every seventh, each bit is changed once.
    private static let script = """
        import { readFileSync } from 'node:fs';
        import { pathToFileURL } from 'node:url';
        const { roomKey, Sealer, Opener } = await import(pathToFileURL(process.argv[2]));
        const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));
        const text = (value) => new TextDecoder().decode(bytes(value));
        const hex = (value) => Buffer.from(value).toString('hex');
        const rooms = new Map();
        let [count, failures] = [0, 0];
        const expect = (isTrue, what) => { if (!isTrue) { failures += 1; console.log(what); } };
        for (const line of readFileSync(process.argv[3], 'utf8').trim().split('\\n')) {
          const [suite, secret, name, kid, counter, media, frame, wire] = line.split(' ');
          const id = secret + name;
          if (!rooms.has(id)) rooms.set(id, await roomKey(text(secret), text(name)));
          const [room, clear] = [rooms.get(id), media === 'sound' ? 1 : 10];
          const sealed = await new Sealer(room, Number(suite), BigInt(kid), BigInt(counter)).seal(bytes(frame), clear);
          expect(hex(sealed) === wire, `sealed: ${line}`);
          const opener = new Opener(room, Number(suite));
          expect(hex((await opener.open(bytes(wire), clear)).frame ?? []) === frame, `opened: ${line}`);
          expect((await opener.open(bytes(wire), clear)).reason === 'replayed', `twice: ${line}`);
          count += 1;
          for (let bit = 0; count % 7 === 0 && bit < wire.length * 4; bit += 1) {
            const changed = bytes(wire);
            changed[bit >> 3] ^= 1 << (bit & 7);
            expect((await new Opener(room, Number(suite)).open(changed, clear)).reason, `bit ${bit}: ${line}`);
          }
        }
        console.log(`${count} vectors, ${failures} failures`);
        """
}
