import RillCore
import RillPeer
import RillTestSupport
import Testing

/// What the other side, or whoever sends from its address, may do to an endpoint: make it fail, and nothing else.
@Suite(.serialized) struct DTLSUnknownPeerTests {
    /// How far the endpoints are that get mutated datagrams.
    enum Stage: CaseIterable {
        case new
        case middle
        case connected
    }

    /// Endpoints at a stage, and all that was sent before, and would have been sent after.
    private func pair(at stage: Stage) throws -> DTLSPair {
        let pair = DTLSPair()
        switch stage {
        case .new: break
        case .middle:
            // The second flight of the client does not arrive.
            var arrived = 0
            pair.change = { datagram in
                arrived += 1
                return arrived <= 2 ? [datagram] : []
            }
            pair.connect(within: .milliseconds(10))
        case .connected: #expect(pair.connect())
        }
        return pair
    }

    /// An encrypted record that is shorter than what a cipher adds to each.
    private static let short: [UInt8] = [23, 254, 253, 0, 1, 0, 0, 0, 0, 9, 9, 0, 2, 7, 7]

    private func seeds() throws -> [[UInt8]] {
        let pair = DTLSPair()
        #expect(pair.connect())
        try pair.client.endpoint.send([1, 2, 3].span, at: pair.now)
        pair.server.endpoint.close(at: pair.now)
        pair.run(until: pair.now + .seconds(1))
        // A fatal and a warning alert besides, not encrypted.
        return pair.sent.map(\.datagram)
            + [
                [21, 254, 253, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 2, 40],
                [21, 254, 253, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 1, 90],
            ]
    }

    @Test(arguments: Stage.allCases)
    func `No mutation of what peers send brings an endpoint down`(stage: Stage) throws {
        let seeds = try seeds()
        var pair = try pair(at: stage)
        var failures = 0
        var meter = GrowthMeter()
        // OpenSSL draws its own random numbers, so that no two runs are the same: a hundredth here.
        let count = (isLongRun ? 1_000_000 : 10_000) / (2 * Stage.allCases.count)
        var generator = SeededGenerator(seed: 21)
        for (index, input) in MutatedInputs(of: seeds, count: 2 * count, using: SeededGenerator(seed: generator.next()))
            .enumerated()
        {
            let end = index % 2 == 0 ? pair.client : pair.server
            let time = pair.now + .milliseconds(index % 100)
            end.endpoint.insert(input.span, at: time)
            let answers = end.datagrams(at: time)
            // A failed endpoint is replaced, and after a hundred datagrams any.
            if end.endpoint.state == .failed || end.endpoint.state == .closed || index % 100 == 99 {
                if let failure = end.failure {
                    failures += 1
                    if stage == .connected { note("datagram \(index): \(failure): \(input)") }
                }
                #expect(answers.count <= 64)
                pair = try self.pair(at: stage)
            }
            // Short rounds: in one of them the other tests of the process allocate nothing.
            if index % (count / 20) == 0 { try meter.endRound() }
        }
        let growth = try existing(meter.least)
        note("\(stage): \(2 * count) datagrams, \(failures) failures, \(growth) bytes of growth")
        // Behind the handshake everything is authenticated.
        #expect(stage != .connected || failures == 0)
        #expect(isSanitized || growth < 500_000, "\(growth) bytes")
    }

    @Test(arguments: [DTLSRole.client, .server])
    func `No record that is too short for its cipher ends a connection`(role: DTLSRole) throws {
        let pair = DTLSPair()
        #expect(pair.connect())
        let (end, other) = role == .server ? (pair.server, pair.client) : (pair.client, pair.server)
        for type: UInt8 in 20...24 {
            for byteCount in 0...40 {
                let header: [UInt8] = [type, 254, 253, 0, 1, 0, 0, 0, 0, 9, 9, 0, UInt8(byteCount)]
                end.endpoint.insert((header + [UInt8](repeating: 1, count: byteCount)).span, at: pair.now)
                _ = end.datagrams(at: pair.now)
                #expect(
                    end.endpoint.state == .connected,
                    "\(byteCount) bytes of \(type): \(String(describing: end.failure))")
            }
        }
        // In the same datagram as one in good order.
        try other.endpoint.send([1, 2, 3].span, at: pair.now)
        let good = try #require(other.datagrams(at: pair.now).first)
        end.endpoint.insert((DTLSUnknownPeerTests.short + good).span, at: pair.now)
        _ = end.datagrams(at: pair.now)
        #expect(end.data == [[1, 2, 3]])
    }

    @Test func `OpenSSL is given only whole records of the negotiated version`() {
        func record(_ type: UInt8, _ version: [UInt8], epoch: UInt8, _ body: [UInt8], byteCount: Int? = nil) -> [UInt8]
        {
            let count = byteCount ?? body.count
            return [type] + version + [0, epoch, 0, 0, 0, 0, 9, 9, UInt8(count >> 8 & 255), UInt8(count & 255)] + body
        }
        func readable(_ datagram: [UInt8], isVersionKnown: Bool = true) -> [UInt8] {
            DTLSRecords.readable(in: datagram.span, overhead: 24, isVersionKnown: isVersionKnown)
        }
        let body = [UInt8](repeating: 7, count: 40)
        let good = record(23, [254, 253], epoch: 1, body)
        for type: UInt8 in 20...25 {
            for epoch: UInt8 in 0...2 {
                let valid = record(type, [254, 253], epoch: epoch, body)
                #expect(readable(valid + good) == valid + good)
                for version: [UInt8] in [[254, 255], [254, 254], [254, 252], [3, 3], [1, 0], [0, 0]] {
                    let other = record(type, version, epoch: epoch, body)
                    #expect(readable(other + good) == good, "\(version)")
                    // The first records may have the version of DTLS 1.0.
                    let isFirst = version == [254, 255]
                    #expect(
                        readable(other + good, isVersionKnown: false) == (isFirst ? other : []) + good, "\(version)")
                }
                // Longer than its datagram: nothing after its header is a record.
                for byteCount in [body.count + good.count + 1, 16_384, 65_535] {
                    let cut = record(type, [254, 253], epoch: epoch, body, byteCount: byteCount)
                    #expect(readable(good + cut + good) == good, "\(byteCount)")
                }
            }
        }
        #expect(readable([]).isEmpty && readable(Array(good.dropLast())).isEmpty && readable([23, 254]).isEmpty)
    }

    @Test(arguments: [DTLSRole.client, .server])
    func `A record that is too short, in the middle of a handshake, is as if it were lost`(role: DTLSRole) throws {
        for position in 0..<6 {
            let pair = DTLSPair()
            var count = 0
            let short: [UInt8] = [22, 254, 253, 0, 1, 0, 0, 0, 0, 9, 9, 0, 2, 7, 7]
            pair.change = { datagram in
                count += 1
                return count == position + 1 ? [short, datagram, short] : [datagram]
            }
            #expect(pair.connect(), "\(position): \(String(describing: pair.client.failure))")
        }
    }

    /// In a process of its own, as what follows: the memory of others says nothing.
    @Test func `Handshakes begun and never ended leave no memory`() async {
        await #expect(processExitsWith: .success) { try DTLSUnknownPeerTests().beginHandshakes() }
    }

    private func beginHandshakes() throws {
        let seeds = try seeds()
        let settings = DTLSSettings()
        var meter = GrowthMeter()
        let count = isLongRun ? 100_000 : isSanitized ? 1000 : 10_000
        for index in 0..<count {
            let endpoint = DTLSEndpoint(
                index % 2 == 0 ? .server : .client, certificate: DTLSPair.certificates.server, settings: settings)
            endpoint.begin(at: .zero)
            let end = DTLSEnd(endpoint)
            let datagram = seeds[index % 2]
            endpoint.insert(datagram.span, at: .zero)
            #expect(!end.datagrams(at: .zero).isEmpty)
            // Short rounds: in one of them the other tests of the process allocate nothing.
            if index % (count / 20) == 0 { try meter.endRound() }
        }
        let growth = try existing(meter.least)
        note("\(count) handshakes: \(growth) bytes of growth")
        #expect(isSanitized || growth < 500_000, "\(growth) bytes")
    }

    @Test func `What a peer can make an endpoint keep is bounded`() async {
        await #expect(processExitsWith: .success) { try Self.floodEndpoints() }
    }

    private static func floodEndpoints() throws {
        let pair = DTLSPair()
        pair.client.endpoint.begin(at: .zero)
        let hello = try #require(pair.client.datagrams(at: .zero).first)
        let base = try residentByteCount()
        let endpoints = (0..<20).map { _ in
            DTLSEndpoint(.server, certificate: DTLSPair.certificates.server)
        }
        for endpoint in endpoints {
            endpoint.insert(hello.span, at: .zero)
            // Records of the next epoch, which OpenSSL keeps until the keys are known.
            for number in 0..<300 {
                let header: [UInt8] = [23, 254, 253, 0, 1, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 255), 4, 0]
                endpoint.insert((header + [UInt8](repeating: 7, count: 1024)).span, at: .zero)
            }
            // First fragments of messages to come, of which each is said to have 16 KB.
            for number in 1..<200 {
                let fragment: [UInt8] = [11, 0, 64, 0, 0, UInt8(number), 0, 0, 0, 0, 3, 232]
                let header: [UInt8] = [22, 254, 253, 0, 0, 0, 0, 0, 0, 1, UInt8(number), 3, 244]
                endpoint.insert((header + fragment + [UInt8](repeating: 7, count: 1000)).span, at: .zero)
            }
        }
        let each = (try residentByteCount() - base) / endpoints.count
        note("\(each) bytes for each endpoint that is flooded")
        #expect(isSanitized || each < 3_000_000, "\(each) bytes")
        #expect(endpoints.allSatisfy { $0.state != .connected })
    }

    @Test func `An endpoint that is not polled keeps a bounded number of datagrams and messages`() throws {
        var settings = DTLSSettings()
        settings.maximumQueueCount = 8
        let pair = DTLSPair(client: settings)
        #expect(pair.connect())
        for _ in 0..<100 { try pair.client.endpoint.send([1].span, at: pair.now) }
        #expect(pair.client.datagrams(at: pair.now).count == 8)
    }

    @Test func `Replayed data is passed on once`() throws {
        let pair = DTLSPair()
        #expect(pair.connect())
        pair.change = { [$0, $0, $0] }
        try pair.client.endpoint.send([1, 2, 3].span, at: pair.now)
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.server.data == [[1, 2, 3]])
    }

    @Test func `Other datagrams than DTLS are not taken`() {
        let endpoint = DTLSEndpoint(.server, certificate: DTLSPair.certificates.server)
        func insert(_ datagram: [UInt8]) -> DTLSInsertResult { endpoint.insert(datagram.span, at: .zero) }
        #expect(
            insert([]) == .notDTLS && insert([22]) == .notDTLS && insert([0, 1]) == .notDTLS
                && insert([128, 96]) == .notDTLS)
        #expect(endpoint.state == .new)
        #expect(insert([UInt8](repeating: 22, count: DTLSEndpoint.maximumDatagramByteCount + 1)) == .tooLarge)
        #expect(insert([22, 254]) == .taken)
        #expect(endpoint.state == .connecting)
    }
}
