import RillCore
import RillPacketSupport
import RillRTP
import RillSession
import Testing

@testable import Rill

/// Whose packets are taken, in the clear.
@Suite struct CallInputTests {
    private func input(at address: UDPAddress?) -> CallInput {
        CallInput(ParticipantSettings(at: address, key: nil), of: SharedSession(RTPSessionSettings(seed: 1)))
    }

    private func packet(
        ssrc: SSRC = SSRC(7), isMedia: Bool, isPlaced: Bool, isOfSameHost: Bool, isExpectedReport: Bool = false
    ) -> CallInput.UnknownPacket {
        CallInput.UnknownPacket(
            ssrc: ssrc, isMedia: isMedia, isPlaced: isPlaced, isOfSameHost: isOfSameHost,
            isExpectedReport: isExpectedReport)
    }

    @Test(arguments: [UDPAddress(.loopback, port: 1), nil])
    func `RTCP from the port behind is accepted, and moves nobody, however long RTP is silent`(address: UDPAddress?) {
        let input = input(at: address)
        let report = packet(isMedia: false, isPlaced: true, isOfSameHost: true, isExpectedReport: true)
        for time in [MediaTime.zero, .zero + .seconds(60)] {
            #expect(input.mayBelong(report, at: time) && !input.moves(with: report, at: time))
        }
    }

    @Test func `A participant with a given address accepts nothing from elsewhere`() throws {
        let input = input(at: UDPAddress(.loopback, port: 1))
        for isMedia in [true, false] {
            let other = packet(isMedia: isMedia, isPlaced: true, isOfSameHost: true)
            #expect(!input.mayBelong(other, at: .zero))
        }
    }

    @Test func `The first RTP packet sets the peer's address, whatever RTCP arrived before`() throws {
        let input = input(at: nil)
        let first = packet(isMedia: false, isPlaced: false, isOfSameHost: false)
        #expect(input.mayBelong(first, at: .zero) && input.moves(with: first, at: .zero))
        // RTCP placed them at one port, and RTP comes from another of the same machine.
        let media = packet(isMedia: true, isPlaced: true, isOfSameHost: true)
        #expect(input.mayBelong(media, at: .zero) && input.moves(with: media, at: .zero))
        // From now on they stay, as long as they are heard there: a program that was started again has another port.
        var stream = SyntheticStream()
        stream.ssrc = SSRC(7)
        var bytes = stream.padding()
        var datagram = bytes.mutableSpan
        #expect(input.open(&datagram, at: .zero) != nil)
        #expect(!input.mayBelong(media, at: .zero + .milliseconds(199)))
        #expect(input.mayBelong(media, at: .zero + .milliseconds(200)))
        // Another SSRC is taken at once, without a move: the session decides.
        let other = packet(ssrc: SSRC(8), isMedia: true, isPlaced: true, isOfSameHost: true)
        #expect(input.mayBelong(other, at: .zero) && !input.moves(with: other, at: .zero))
        let report = packet(isMedia: false, isPlaced: true, isOfSameHost: true)
        #expect(input.mayBelong(report, at: .zero) && !input.moves(with: report, at: .zero))
        for isMedia in [true, false] {
            let unknownPeer = packet(isMedia: isMedia, isPlaced: true, isOfSameHost: false)
            #expect(!input.mayBelong(unknownPeer, at: .zero + .seconds(60)))
        }
        #expect(input.moves(with: media, at: .zero + .seconds(1)))
        #expect(!input.mayBelong(media, at: .zero + .seconds(1)))
    }

    @Test func `Another machine's packets are not taken while RTP is awaited`() throws {
        let input = input(at: nil)
        let first = packet(isMedia: false, isPlaced: false, isOfSameHost: false)
        #expect(input.moves(with: first, at: .zero))
        let unknownPeer = packet(isMedia: true, isPlaced: true, isOfSameHost: false)
        #expect(!input.mayBelong(unknownPeer, at: .zero))
    }
}
