import Foundation
import RillTestSupport
import Testing

/// What the script of the pages does with keys that change and with frames that cannot be opened, without a browser.
@Suite struct PageScriptTests {
    private static let node = Program(named: "node")
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Rooms/RillServer/Pages/rill-sframe.js").standardized.path

    /// Runs a script, whose `page` is the module of the pages. Returns what it prints.
    private func run(_ script: String) throws -> String {
        let folder = TemporaryFolder()
        // A module by its name.
        try write(read(Self.page), to: folder.path("rill-sframe.mjs"))
        let script = "import * as page from './rill-sframe.mjs';\n\(script)\nprocess.exit(0);\n"
        try write(Array(script.utf8), to: folder.path("check.mjs"))
        let outcome = try existing(Self.node).run([folder.path("check.mjs")])
        guard outcome.status == 0 else { throw TestFailure(outcome.errors) }
        return String(decoding: outcome.output, as: UTF8.self)
    }

    @Test(.enabled(if: node != nil, "node is not installed"))
    func `Fifty rotations lose no frame, and who leaves reads nothing of the next secret`() throws {
        let printed = try run(
            """
            const [former, next] = [await page.roomKey('tulip', 'monday'), await page.roomKey('rose', 'monday')];
            const sealer = new page.Sealer(former);
            const [staying, leaving] = [new page.Opener(former), new page.Opener(former)];
            const frame = new Uint8Array(500).map((_, place) => place);
            const sealed = () => sealer.seal(frame, 10);
            const open = async (opener, bytes) => {
              const {frame: opened, reason} = await opener.open(bytes, 10);
              return reason ?? (Buffer.compare(Buffer.from(opened), Buffer.from(frame)) === 0 ? 'opened' : 'damaged');
            };
            const outcomes = {};
            const kids = new Set();
            for (let count = 0; count < 50; count += 1) {
              sealer.rotate();
              kids.add(sealer.kid);
              const bytes = await sealed();
              for (const outcome of [await open(staying, bytes), await open(staying, bytes)]) {
                outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
              }
            }
            console.log(JSON.stringify(outcomes), kids.size);
            const [early, late] = [await sealed(), await sealed()];
            await open(leaving, early);
            staying.change(next);
            sealer.rotate(next);
            const bytes = await sealed();
            console.log(await open(leaving, bytes), await open(staying, bytes), await open(staying, bytes));
            // What was on its way, until the former keys are removed; and never what a former member makes then.
            const forger = new page.Sealer(former);
            console.log(await open(staying, late), await open(staying, await forger.seal(frame, 10)));
            staying.removeFormerKeys();
            console.log(await open(staying, early), await open(staying, await sealed()));
            // All KIDs come again with the next secret.
            for (let count = 0; count < 8; count += 1) { sealer.rotate(); console.log(await open(staying, await sealed())); }
            """)
        let last = [String](repeating: "opened", count: 8)
        let lines =
            ["{\"opened\":50,\"replayed\":50} 8", "wrongKey opened replayed", "opened wrongKey", "wrongKey opened"]
            + last
        #expect(printed == lines.joined(separator: "\n") + "\n")
    }

    @Test(.enabled(if: node != nil, "node is not installed"))
    func `A secret is the same in all forms of its letters, and the room's name is as it is`() throws {
        let printed = try run(
            """
            const keys = await Promise.all([
              page.roomKey('Gr\\u00fc\\u00dfe', 'd\\u00e9j\\u00e0'), page.roomKey('Gru\\u0308\\u00dfe', 'd\\u00e9j\\u00e0'),
              page.roomKey('Gr\\u00fc\\u00dfe', 'de\\u0301ja\\u0300'),
            ]);
            const bytes = await new page.Sealer(keys[0], 4, 8n).seal(new Uint8Array(100), 10);
            for (const key of keys) console.log((await new page.Opener(key).open(bytes, 10)).reason ?? 'opened');
            """)
        #expect(printed == "opened\nopened\nwrongKey\n")
    }

    @Test(.enabled(if: node != nil, "node is not installed"))
    func `Requests for key frames begin when the key comes, and are repeated, at last every 4 seconds`() throws {
        // A frame each 100 ms of a clock of its own.
        let printed = try run(
            """
            let now = 0;
            performance.now = () => now;
            globalThis.postMessage = ({isOpened, reason}) => console.log(`${now / 100}: ${reason ?? isOpened}`);
            globalThis.RTCEncodedVideoFrame = class {
              constructor(type, data, timestamp) { [this.type, this.data, this.timestamp] = [type, data.buffer, timestamp]; }
              getMetadata() { return {mimeType: 'video/VP8'}; }
            };
            const key = await page.roomKey('tulip', 'monday');
            const [sealer, opener] = [new page.Sealer(key), new page.Opener(await page.roomKey('rose', 'monday'))];
            const requests = [];
            const shown = [];
            const transformer = {sendKeyFrameRequest: async () => { requests.push(now / 100); }};
            const transform = page.opening(Promise.resolve({opener}), 0, transformer);
            const take = (type, bytes, time = now) => transform(new RTCEncodedVideoFrame(type, bytes.slice(), time), {
              enqueue: ({data}) => shown.push(data.byteLength === 200 ? 'frame' : 'black'),
            });
            let bytes;
            for (; now < 30_000; now += 100) {
              if (now === 5_000) opener.change(key);
              bytes = await sealer.seal(new Uint8Array(200).fill(7), 10);
              await take(now === 0 || now === 29_000 ? 'key' : 'delta', bytes);
            }
            console.log(requests.join(), shown.indexOf('frame'), shown.length);
            // Nothing but padding, and a packet that comes twice, harm nothing. A frame with another time does: after
            // it all wait for a key frame.
            await take('delta', new Uint8Array());
            await take('delta', bytes, now - 100);
            await take('delta', bytes);
            await take('delta', await sealer.seal(new Uint8Array(200).fill(7), 10));
            console.log(shown.slice(300).join(), requests.length);
            """)
        #expect(
            printed == """
                0: wrongKey
                50: true
                50,53,59,71,95,135,175,215,255 290 300
                black,black 10

                """)
    }
}
