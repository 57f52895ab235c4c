import Foundation
import RillTestSupport

/// A page in a room of `rill serve`, joined by the scripts that the server has for pages, with and without a secret.
struct EncryptedRoomPage<Browser: BrowserPage> {
    let browser: Browser

    /// What it has seen of somebody, and sent itself.
    struct Figures: Decodable {
        var (width, framesReceived, framesDecoded, keyFramesDecoded) = (0, 0, 0, 0)
        /// Requests for key frames that it sent, and that it received.
        var (requests, requested) = (0, 0)
        /// The key frames that it has made of a layer, at most.
        var keyFramesMade = 0
        /// Energy of all sound that it received.
        var energy = 0.0
        var sent: [String: Int] = [:]
        /// What its worker has counted: frames sealed and opened, and those that were not by their reason.
        var worker: [String: Int] = [:]

        /// Frames that were not opened.
        var refused: Int {
            let others: Set = ["sealed", "opened", "duplicates", "keyFrameRequests"]
            return worker.filter { !others.contains($0.key) }.values.reduce(0, +)
        }
    }

    /// Layers that were wanted in turn: how long each took to come, in milliseconds, and the key frames that came.
    struct Switches: Decodable {
        var milliseconds: [Double]
        var keyFrames: Int
    }

    /// Starts a browser, whose page joins and publishes what a browser gives without a camera.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - server: the server.
    ///   - codec: what it sends.
    ///   - secret: what it shares with others; `nil` for frames in the clear.
    ///   - bits: of the key.
    init(
        _ name: String, at server: StreamServer, sending codec: String = "vp8", secret: String?, bits: Int = 128,
        limit: Int = 120
    ) throws {
        browser = try Browser.start(limit: limit)
        let page = server.url("")
        // The old page goes while it answers: only the new one's state counts, and the script below fails without it.
        _ = try? browser.evaluate("location.href = \(literal(page))")
        let isOpen = "location.href === \(literal(page)) && document.readyState === 'complete'"
        for _ in 0..<500 where try (try? browser.evaluate(isOpen)) as? Bool != true { usleep(20_000) }
        let outcome = try browser.text(
            """
            (async () => {
              const capabilities = RTCRtpReceiver.getCapabilities.bind(RTCRtpReceiver);
              const isFirst = ({mimeType}) => mimeType.toLowerCase() === 'video/\(codec)';
              RTCRtpReceiver.getCapabilities = (kind) => {
                const {codecs} = capabilities(kind);
                return {codecs: [...codecs].sort((a, b) => isFirst(b) - isFirst(a))};
              };
              const {Room} = await import('/rill-room.js');
              const {FrameEncryption} = await import('/rill-sframe.js');
              const secret = \(secret.map(literal) ?? "undefined");
              if (secret && FrameEncryption.missing) return FrameEncryption.missing;
              globalThis.encryption = secret && await FrameEncryption.create(secret, 'lobby', \(bits));
              globalThis.openings = [];
              encryption?.addEventListener('opening', ({detail}) => openings.push(detail.reason ?? 'opened'));
              const attributes = encryption && {encrypted: 'SFrame'};
              globalThis.room = await Room.join('/rooms', {
                room: 'lobby', name: \(literal(name)), role: 'speaker', attributes, encryption, slots: 4,
              });
              const media = await navigator.mediaDevices.getUserMedia({
                video: {width: {ideal: 640}, height: {ideal: 360}, frameRate: {ideal: 30}}, audio: true,
              });
              await room.publish('video', media.getVideoTracks()[0]);
              await room.publish('sound', media.getAudioTracks()[0]);
              globalThis.find = (name) => [...room.participants.values()].find((one) => one.name === name);
              globalThis.until = async (condition, seconds) => {
                const start = performance.now();
                while (!await condition()) {
                  if (performance.now() - start > 1000 * seconds) throw new Error(`not within ${seconds} s: ${condition}`);
                  await new Promise((resolve) => setTimeout(resolve, 20));
                }
                return performance.now() - start;
              };
              globalThis.figures = async (name) => {
                const found = {
                  width: 0, framesReceived: 0, framesDecoded: 0, keyFramesDecoded: 0, requests: 0, requested: 0, energy: 0,
                  keyFramesMade: 0, sent: {}, worker: await encryption?.getStats() ?? {},
                };
                const track = find(name) && room.track(find(name).uid, 'video');
                (await room.getStats()).forEach((one) => {
                  if (one.type === 'outbound-rtp' && one.kind === 'video') {
                    found.sent[one.rid ?? ''] = one.framesEncoded ?? 0;
                    found.keyFramesMade = Math.max(found.keyFramesMade, one.keyFramesEncoded ?? 0);
                    found.requested += (one.pliCount ?? 0) + (one.firCount ?? 0);
                  }
                  if (one.type !== 'inbound-rtp') return;
                  if (one.kind === 'audio') { found.energy += one.totalAudioEnergy ?? 0; return; }
                  found.requests += (one.pliCount ?? 0) + (one.firCount ?? 0);
                  if (!track || one.trackIdentifier !== track.id) return;
                  found.width = one.frameWidth ?? 0;
                  for (const key of ['framesReceived', 'framesDecoded', 'keyFramesDecoded']) found[key] = one[key] ?? 0;
                });
                return found;
              };
              return 'joined';
            })()
            """)
        guard outcome == "joined" else { throw TestFailure("the page does not join: \(outcome)") }
    }

    /// Asks for somebody's pictures, and waits until they come as that layer.
    func want(_ layer: String, of name: String, sound: Bool = true, waits: Bool = true) throws {
        let isThere = layer == "high" ? "> 160" : "> 16"
        _ = try browser.evaluate(
            """
            (async () => {
              await until(() => find(\(literal(name)))?.media.has('video'), 30);
              room.want(find(\(literal(name))).uid, 'video', \(literal(layer)));
              if (\(sound)) room.want(find(\(literal(name))).uid, 'sound', 'high');
              if (\(waits)) await until(async () => (await figures(\(literal(name)))).width \(isThere), 30);
            })()
            """, within: 70)
    }

    func figures(of name: String) throws -> Figures {
        let text = try browser.text("(async () => JSON.stringify(await figures(\(literal(name)))))()")
        return try JSONDecoder().decode(Figures.self, from: Data(text.utf8))
    }

    /// Wants somebody's low and high pictures in turn.
    func switchLayers(of name: String, times: Int) throws -> Switches {
        let text = try browser.text(
            """
            (async () => {
              const before = await figures(\(literal(name)));
              const milliseconds = [];
              for (let index = 0; index < \(times); index += 1) {
                const isHigh = index % 2 === 1;
                room.want(find(\(literal(name))).uid, 'video', isHigh ? 'high' : 'low');
                milliseconds.push(Math.round(await until(async () => {
                  const {width} = await figures(\(literal(name)));
                  return isHigh ? width > 160 : width > 16 && width <= 160;
                }, 20)));
                await new Promise((resolve) => setTimeout(resolve, 600));
              }
              const after = await figures(\(literal(name)));
              return JSON.stringify({milliseconds, keyFrames: after.keyFramesDecoded - before.keyFramesDecoded});
            })()
            """, within: Double(times) * 25)
        return try JSONDecoder().decode(Switches.self, from: Data(text.utf8))
    }
}

/// `rill join` beside a page, with one bot.
struct EncryptedRoomBot {
    private let program: RunningProgram

    /// What it reports.
    struct Report: Decodable {
        struct Opened: Decodable {
            var pictures: [String: Int]
        }
        struct Received: Decodable {
            var frames: Int
        }
        var (decoded, refused, undecodable, requests, keyFrameRequests, switches, keyFrames, freezes) =
            (0, 0, 0, 0, 0, 0, 0, 0)
        var opened: Opened?
        var received: [Received] = []
        var sent: [String: Int] = [:]
        var errors: [String: Int] = [:]

        /// Frames that could be decoded.
        var frames: Int { received.reduce(0) { $0 + $1.frames } }
        /// Frames that were not opened.
        var unopened: Int {
            opened?.pictures.filter { !["opened", "keysTaken", "keysDropped"].contains($0.key) }.values.reduce(0, +)
                ?? 0
        }
    }
    private struct Reports: Decodable {
        var bots: [Report]
    }

    init(at server: StreamServer, secret: String?, bits: Int = 128, _ options: [String] = []) throws {
        var rill = try Program(builtAs: "rill")
        if let secret { rill.environment["RILL_ENCRYPTION_SECRET"] = secret }
        program = try rill.start(
            ["join", server.url(""), "--room", "lobby", "--count", "1", "--want", "high=1", "--decode", "--json"]
                + (secret == nil ? [] : ["--encryption", "aes\(bits)"]) + options, limit: 240)
    }

    /// Whether it is in the room.
    var isThere: Bool { program.errorsSoFar.contains("1 of 1 in the room") }
    /// Whether it sees all that it wants.
    var sees: Bool { program.errorsSoFar.hasSuffix("all pictures there\n") }
    var log: String { program.errorsSoFar }

    /// Presses Ctrl-C.
    func end() async throws -> Report {
        program.interrupt()
        let outcome = try await program.finished()
        guard outcome.status == 0 else { throw TestFailure("\(outcome.status): \(outcome.errors)") }
        let reports = try JSONDecoder().decode(Reports.self, from: Data(outcome.output))
        return try reports.bots.first ?? { throw TestFailure("no report") }()
    }
}
