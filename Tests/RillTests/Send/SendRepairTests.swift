import RillCore
import RillRTP
import RillReceive
import RillTestSupport
import Testing

@testable import Rill

/// Repair as an app switches it on: in the settings of a sender, and in what it tells the other side.
@Suite struct SendRepairTests {
    private let low = LayerSettings(
        rid: .low, resolution: Resolution(width: 48, height: 32), frameRate: 10, bitrate: .kilobits(60))
    private let high = LayerSettings(
        rid: .high, resolution: Resolution(width: 96, height: 64), frameRate: 30, bitrate: .kilobits(200))

    private func settings(_ change: (inout SendSettings) -> Void) -> SendSettings {
        var settings = SendSettings(layers: [high, low], seed: 3)
        change(&settings)
        return settings
    }

    /// The packets of some frames.
    private func packets(of sender: PacketSender, frames: Int = 6) throws -> [[UInt8]] {
        let pictures = try TestPictures(high.resolution)
        let sink = PacketCollection()
        for index in 0..<frames {
            let picture = pictures.picture(index)
            try sender.send(picture, at: picture.captureTime, to: sink)
        }
        return sink.packets
    }

    @Test func `Lost packets are retransmitted on the layer's own retransmission SSRC`() throws {
        let sender = try PacketSender(settings { $0.retransmissionPayloadType = PayloadType(97) })
        let sent = try packets(of: sender)
        for layer in sender.streamSettings {
            let rtx = try #require(layer.retransmission)
            let original = try #require(try sent.first { try isRTP($0, of: layer.ssrc) })
            let lost = [try RTPPacket(parsing: original.span).header.sequenceNumber]
            let request = [UInt8](capacity: 32) { output in
                GenericNACK.write(lost: lost.span, of: layer.ssrc, from: SSRC(1), into: &output)
            }
            let again = PacketCollection()
            sender.receive(request.span, at: .zero + .milliseconds(300), retransmittingTo: again)
            #expect(again.packets.count == 1)
            let bytes = try #require(again.packets.first)
            let packet = try RetransmittedPacket(parsing: bytes.span)
            #expect(packet.ssrc == rtx.ssrc && packet.originalSequenceNumber == lost[0])
            let restored = [UInt8](capacity: packet.originalByteCount) { output in
                packet.writeOriginal(payloadType: PayloadType(96), ssrc: layer.ssrc, into: &output)
            }
            #expect(restored == original)
        }
        #expect(sender.statistics.map(\.stream.nackCount) == [1, 1])
        let sources = sender.streamSettings.flatMap { [$0.ssrc, $0.retransmission?.ssrc] }
        #expect(Set(sources).count == 4)
    }

    @Test func `Repair changes neither the frames nor the stream's sources`() throws {
        let plain = try PacketSender(settings { _ in })
        let protected = try PacketSender(
            settings {
                $0.fec = FECSettings(
                    percentage: .percent(20), payloadType: PayloadType(98), redPayloadType: PayloadType(99))
            })
        #expect(plain.streamSettings.map(\.ssrc) == protected.streamSettings.map(\.ssrc))
        let (bare, red) = (try packets(of: plain), try packets(of: protected))
        let types = try Set(red.filter { try isRTP($0) }.map { try RTPPacket(parsing: $0.span).header.payloadType })
        #expect(types == [PayloadType(99)])
        #expect(protected.statistics.allSatisfy { $0.stream.fecPacketsSent > 0 })
        #expect(red.count > bare.count)
        #expect(plain.statistics.map(\.encoder) == protected.statistics.map(\.encoder))
    }

    @Test(arguments: [false, true])
    func `The description lists the sent streams`(hasRepair: Bool) throws {
        let sender = try PacketSender(
            settings {
                guard hasRepair else {
                    $0.retransmissionPayloadType = nil
                    return
                }
                $0.fec = FECSettings(
                    percentage: .percent(20), payloadType: PayloadType(98), redPayloadType: PayloadType(99))
            })
        let session = sender.description(of: .low, to: UDPAddress(.loopback, port: 5004))
        #expect(try SessionDescription(session.text) == session)
        let ssrc = sender.ssrc(of: .low).rawValue
        let expected =
            ["c=IN IP4 127.0.0.1", "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack", "a=rtcp-fb:96 nack pli"]
            + ["a=rtcp-fb:96 ccm fir", "a=ssrc:\(ssrc) cname:rill", "a=sendonly", "a=rtcp-mux", "a=framerate:10"]
        let repair =
            ["a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=99", "a=rtpmap:98 ulpfec/90000", "a=rtpmap:99 red/90000"]
        let lines = session.text.split(separator: "\r\n").map(String.init)
        for line in expected { #expect(lines.contains(line), "\(line) in\n\(session.text)") }
        for line in repair { #expect(lines.contains(line) == hasRepair, "\(line) in\n\(session.text)") }
        #expect(lines.contains { $0.hasPrefix("a=ssrc-group:FID \(ssrc) ") } == hasRepair)
        #expect(lines.contains(hasRepair ? "m=video 5004 RTP/AVPF 99 96 98 97" : "m=video 5004 RTP/AVPF 96"))
    }

    @Test func `All layers are one simulcast, and are received as described`() throws {
        let sender = try PacketSender(settings { $0.retransmissionPayloadType = PayloadType(97) })
        let text = sender.description(to: UDPAddress(.loopback, port: 5004)).text
        let streams = try SessionDescription(text).streams(.send)
        #expect(streams == sender.streams)
        #expect(streams.map(\.rid) == ["high", "low"] && streams.map(\.ssrc) == sender.streamSettings.map(\.ssrc))
        let sent = try packets(of: sender)
        var payload: [UInt8] = []
        for (stream, layer) in zip(streams, [high, low]) {
            let receiver = StreamReceiver(try StreamReceiverSettings(stream, ssrc: SSRC(1)))
            for packet in sent where SSRC(ofSenderOf: packet.span) == stream.ssrc {
                receiver.insert(packet.span, at: .zero)
            }
            var frames = 0
            while case .decode(let frame) = receiver.poll(
                at: .zero + .seconds(1), into: &payload, output: ReceiveOutput())
            {
                #expect(frame.frame.layer.rid == layer.rid)
                receiver.finish(frame, .decoded, decoded: .zero + .seconds(1), at: .zero + .seconds(1))
                frames += 1
            }
            #expect(frames == (layer.rid == .high ? 6 : 2))
        }
    }

    private func isRTP(_ bytes: [UInt8], of ssrc: SSRC? = nil) throws -> Bool {
        guard PacketKind(of: bytes.span) == .rtp else { return false }
        return try ssrc.map { try RTPPacket(parsing: bytes.span).header.ssrc == $0 } ?? true
    }
}

private final class PacketCollection: PacketSink {
    private(set) var packets: [[UInt8]] = []

    func send(_ packet: Span<UInt8>, at time: MediaTime) { packets.append(packet.array) }
}
