import RillCore
import RillLink
import RillPeer
import RillRTP
import RillSecurity
import Testing

@Suite struct DTLSHandshakeTests {
    @Test func `Client and server connect within two round trips, and have the same keys`() throws {
        let pair = DTLSPair(try LinkSettings(delay: .milliseconds(10)))
        #expect(pair.connect())
        // With a round trip of 20 ms: the client's hello, the server's, the client's end, the server's end.
        #expect(pair.client.connectTime == .zero + .milliseconds(40))
        #expect(pair.server.connectTime == .zero + .milliseconds(30))
        let client = try #require(pair.client.endpoint.srtpKeys)
        let server = try #require(pair.server.endpoint.srtpKeys)
        #expect(client.sending == server.receiving && client.receiving == server.sending)
        #expect(client.sending != client.receiving)
        #expect(client.profile == .aeadAES128GCM)
        #expect(pair.client.endpoint.cipherName == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
        #expect(pair.client.endpoint.remoteFingerprint == pair.server.endpoint.certificate.fingerprint)
        #expect(pair.client.endpoint.wakeTime == .distantFuture && pair.server.endpoint.wakeTime == .distantFuture)
    }

    @Test(arguments: SRTPProfile.allCases)
    func `Media that one side protects, the other unprotects`(profile: SRTPProfile) throws {
        var settings = DTLSSettings()
        settings.srtpProfiles = [profile]
        let pair = DTLSPair(server: settings)
        if profile == .aesCM128Tag32 {
            // Only who asks for it gets the short tag.
            pair.connect()
            #expect(pair.server.failure == .noSRTPProfile && pair.client.failure != nil)
            return
        }
        #expect(pair.connect())
        let client = try #require(pair.client.endpoint.srtpKeys)
        let server = try #require(pair.server.endpoint.srtpKeys)
        #expect(client.profile == profile && server.profile == profile)
        let packet: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 1, 2, 3]
        for (one, other) in [(client, server), (server, client)] {
            var protector = try SRTPProtector(one.sending)
            var unprotector = try SRTPUnprotector(other.receiving)
            var datagram = [UInt8](capacity: 256) { output in _ = protector.protect(packet.span, into: &output) }
            #expect(datagram.count > packet.count)
            var span = datagram.mutableSpan
            guard case .unprotected(.rtp, let byteCount) = unprotector.unprotect(&span) else {
                Issue.record("the packet is not unprotected")
                continue
            }
            #expect(Array(datagram.prefix(byteCount)) == packet)
        }
    }

    @Test func `The server's first profile that the client offers is chosen`() throws {
        var settings = DTLSSettings()
        settings.srtpProfiles = [.aesCM128Tag80, .aeadAES256GCM]
        let pair = DTLSPair(server: settings)
        #expect(pair.connect())
        #expect(pair.client.endpoint.srtpKeys?.profile == .aesCM128Tag80)
    }

    @Test func `With a wrong fingerprint nobody gets keys, and the peer is told`() throws {
        let pair = DTLSPair(isIntroduced: false)
        let other = DTLSPair.certificate()
        pair.client.endpoint.setRemoteFingerprints([other.fingerprint], at: .zero)
        pair.server.endpoint.setRemoteFingerprints([pair.client.endpoint.certificate.fingerprint], at: .zero)
        #expect(!pair.connect(within: .seconds(5)))
        #expect(pair.client.failure == .wrongFingerprint(pair.server.endpoint.certificate.fingerprint))
        #expect(pair.server.failure == .alertReceived(.badCertificate))
        #expect(pair.client.endpoint.srtpKeys == nil && pair.server.endpoint.srtpKeys == nil)

        let second = DTLSPair(isIntroduced: false)
        second.client.endpoint.setRemoteFingerprints([second.server.endpoint.certificate.fingerprint], at: .zero)
        second.server.endpoint.setRemoteFingerprints([other.fingerprint], at: .zero)
        #expect(!second.connect(within: .seconds(5)))
        #expect(second.server.failure == .wrongFingerprint(second.client.endpoint.certificate.fingerprint))
        #expect(second.client.failure == .alertReceived(.badCertificate))
    }

    @Test func `No key is given out before the fingerprint is known, and then it counts`() throws {
        let pair = DTLSPair(isIntroduced: false)
        pair.connect(within: .seconds(2))
        #expect(pair.client.endpoint.state == .connecting && pair.server.endpoint.state == .connecting)
        #expect(pair.client.endpoint.srtpKeys == nil && pair.server.endpoint.srtpKeys == nil)
        #expect(throws: DTLSError.notConnected(.connecting)) {
            try pair.client.endpoint.send([1].span, at: pair.now)
        }
        pair.introduce()
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.isConnected && pair.client.connectTime != nil && pair.server.connectTime != nil)
        #expect(pair.client.endpoint.srtpKeys != nil)

        let wrong = DTLSPair(isIntroduced: false)
        wrong.connect(within: .seconds(2))
        wrong.client.endpoint.setRemoteFingerprints([DTLSPair.certificate().fingerprint], at: wrong.now)
        wrong.run(until: wrong.now + .seconds(1))
        #expect(wrong.client.failure == .wrongFingerprint(wrong.server.endpoint.certificate.fingerprint))
        #expect(wrong.server.failure == .alertReceived(.closeNotify))
    }

    @Test func `Who closes before the fingerprint is known has no keys`() {
        let pair = DTLSPair(isIntroduced: false)
        pair.connect(within: .seconds(2))
        pair.client.endpoint.close(at: pair.now)
        pair.introduce()
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.client.endpoint.state == .closed && pair.client.endpoint.srtpKeys == nil)
    }

    @Test func `One of several fingerprints is enough, of the strongest function`() throws {
        let pair = DTLSPair()
        let ours = pair.server.endpoint.certificate.fingerprint
        let other = DTLSPair.certificate().fingerprint
        let sha1 = try DTLSFingerprint(.sha1, [UInt8](repeating: 1, count: 20))
        pair.client.endpoint.setRemoteFingerprints([other, sha1, ours], at: .zero)
        #expect(pair.connect())

        // A hash of SHA-512 that is wrong is not made good by one of SHA-256.
        let second = DTLSPair()
        let sha512 = try DTLSFingerprint(.sha512, [UInt8](repeating: 1, count: 64))
        second.client.endpoint.setRemoteFingerprints([ours, sha512], at: .zero)
        #expect(!second.connect(within: .seconds(5)))
        guard case .wrongFingerprint(let presented) = second.client.failure else {
            Issue.record("\(String(describing: second.client.failure))")
            return
        }
        // The fingerprints of all functions are compared.
        let third = DTLSPair()
        third.client.endpoint.setRemoteFingerprints([presented], at: .zero)
        #expect(presented.algorithm == .sha512 && third.connect())
    }

    @Test func `Who is not answered fails after 30 s, and says what was reached`() {
        let pair = DTLSPair()
        pair.change = { _ in [] }
        #expect(!pair.connect(within: .seconds(100)))
        for end in [pair.client, pair.server] {
            #expect(end.events.map(\.time) == [.zero + .seconds(30)])
            guard case .timedOut(let time, let reached) = end.failure, time == .seconds(30) else {
                Issue.record("\(String(describing: end.failure))")
                continue
            }
            #expect(reached.contains("hello") || reached.contains("initialization"), "\(reached)")
        }
        // 50, 100, 200, … ms, and then every 4 s: the last at 26.35 s.
        #expect(pair.sent.count == 13)
        let datagram = pair.sent[0].datagram
        #expect(pair.client.endpoint.insert(datagram.span, at: pair.now) == .ended)
    }

    @Test func `Data goes both ways, each message in a datagram, up to the MTU`() throws {
        let pair = DTLSPair(try LinkSettings(delay: .milliseconds(10)))
        #expect(pair.connect())
        let limit = pair.client.endpoint.maximumDataByteCount
        #expect((1150...1200).contains(limit))
        let messages = [1, 100, limit].map { [UInt8](repeating: UInt8($0 & 255), count: $0) }
        for message in messages {
            try pair.client.endpoint.send(message.span, at: pair.now)
            try pair.server.endpoint.send(message.span, at: pair.now)
        }
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.server.data == messages && pair.client.data == messages)
        #expect(pair.sent.allSatisfy { $0.datagram.count <= 1200 })
        #expect(throws: DTLSError.dataTooLarge(byteCount: limit + 1, limit: limit)) {
            try pair.client.endpoint.send([UInt8](repeating: 0, count: limit + 1).span, at: pair.now)
        }
        #expect(pair.sent.count { $0.datagram.count == 1200 } == 2)
    }

    @Test func `Who closes tells the other`() throws {
        let pair = DTLSPair()
        #expect(pair.connect())
        pair.server.endpoint.close(at: pair.now)
        pair.run(until: pair.now + .seconds(1))
        #expect(pair.client.events.map(\.event) == [.connected, .closed])
        #expect(pair.client.endpoint.state == .closed && pair.server.endpoint.state == .closed)
        #expect(pair.client.endpoint.srtpKeys != nil)
        #expect(throws: DTLSError.notConnected(.closed)) { try pair.client.endpoint.send([1].span, at: pair.now) }
    }

    @Test func `Small datagrams carry the handshake in fragments`() {
        var settings = DTLSSettings()
        settings.maximumTransmissionUnit = 256
        let pair = DTLSPair(client: settings, server: settings)
        #expect(pair.connect())
        #expect(pair.sent.count > 6 && pair.sent.allSatisfy { $0.datagram.count <= 256 })
    }
}
