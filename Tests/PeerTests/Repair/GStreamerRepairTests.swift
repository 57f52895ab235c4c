import Foundation
import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillSend
import RillTestSupport
import Testing

private let hasPeers =
    Peer.gstreamer.isInstalled && Peer.ffmpeg.isInstalled && Peer.vpxenc.isInstalled && Peer.python.isInstalled

/// GStreamer's elements for RTX, RED and ULPFEC as judges of ours.
@Suite(
    .enabled(if: hasPeers, "gst-launch-1.0, python3-gi, ffmpeg or vpxenc is not installed"))
struct GStreamerRepairTests {
    let folder = TemporaryFolder()
    private let media = PayloadType(96)
    private let rtx = PayloadType(97)
    private let red = PayloadType(100)
    private let fec = PayloadType(101)

    private func runScript(_ arguments: String...) throws {
        let script = folder.path("repair.py")
        guard FileManager.default.createFile(atPath: script, contents: Data(GStreamerScript.repair.utf8)) else {
            throw TestFailure("\(script) cannot be written")
        }
        try Peer.python.run([script] + arguments)
    }

    // MARK: RTX

    @Test func `It puts our retransmissions back in their place`() throws {
        let clip = try PeerClip(.vp8, in: folder)
        var settings = PeerClip.settings()
        settings.maximumPacketByteCount = 300
        settings.firstSequenceNumber = SequenceNumber(65530)
        settings.retransmission = RetransmissionSettings(
            ssrc: SSRC(0xABCD), payloadType: rtx, firstSequenceNumber: SequenceNumber(65535))
        var sender = try RTPStreamSender(settings)
        let wire = CollectingSink()
        for index in clip.frames.indices {
            let sink = CollectingSink()
            let payload = clip.frames[index]
            let sent = sender.send(clip.frame(index), payload: payload.span, at: .zero, to: sink)
            // Every third packet is lost, and retransmitted before the next one.
            for (position, packet) in sink.packets.enumerated() {
                let number = sent.firstSequenceNumber.advanced(by: position)
                if number.rawValue % 3 == 0 {
                    let result = sender.retransmit(number, at: .zero, to: wire)
                    #expect(result == .retransmitted)
                } else {
                    wire.send(packet.span, at: .zero)
                }
            }
        }
        let (ours, theirs) = (folder.path("ours"), folder.path("theirs"))
        try PacketFile.write(wire.packets, to: ours)
        try Peer.gstreamer.run(
            "-q", "filesrc", "location=\(ours)", "!",
            "application/x-rtp-stream,media=video,clock-rate=90000,encoding-name=VP8,payload=96", "!",
            "rtpstreamdepay", "!", "rtprtxreceive",
            "payload-type-map=application/x-rtp-pt-map,\(media)=(uint)\(rtx)",
            "ssrc-map=application/x-rtp-ssrc-map,\(PeerClip.ssrc.rawValue)=(uint)\(0xABCD)", "!", "rtpstreampay", "!",
            "filesink", "location=\(theirs)")
        let packets = try PacketFile.packets(in: theirs)
        #expect(try clip.frames(of: packets) == clip.frames)
        for bytes in packets {
            let header = try RTPPacket(parsing: bytes.span).header
            #expect(header.ssrc == PeerClip.ssrc && header.payloadType == media)
        }
    }

    @Test func `Its retransmissions come back as the packets that they were`() throws {
        let clip = try PeerClip(.vp8, in: folder)
        let packets = try clip.packets { $0.firstSequenceNumber = SequenceNumber(65500) }
        let (ours, theirs) = (folder.path("ours"), folder.path("theirs"))
        try PacketFile.write(packets, to: ours)
        try runScript("rtx", ours, theirs, "\(media)", "\(rtx)", "65501,3,65535")
        let all = try PacketFile.packets(in: theirs)
        let again = try all.filter { try RTPPacket(parsing: $0.span).header.payloadType == rtx }
        let restored = try again.map { bytes in
            let packet = try RetransmittedPacket(parsing: bytes.span)
            return [UInt8](capacity: packet.originalByteCount) { output in
                packet.writeOriginal(payloadType: media, ssrc: PeerClip.ssrc, into: &output)
            }
        }
        #expect(restored == [1, 39, 35].map { packets[$0] })
    }

    // MARK: RED and ULPFEC

    @Test(arguments: VideoCodec.allCases)
    func `It restores packets from our FEC packets`(codec: VideoCodec) throws {
        let clip = try PeerClip(codec, in: folder)
        let packets = try clip.packets { settings in
            settings.fec = FECSettings(
                percentage: .percent(20), payloadType: fec, redPayloadType: red)
        }
        // The second packet of each frame is lost; of those of one packet, this is the FEC packet.
        var kept: [[UInt8]] = []
        var (timestamp, position) = (UInt32.max, 0)
        for bytes in packets {
            let header = try RTPPacket(parsing: bytes.span).header
            position = header.timestamp.rawValue == timestamp ? position + 1 : 0
            timestamp = header.timestamp.rawValue
            if position != 1 { kept.append(bytes) }
        }
        #expect(packets.count - kept.count == clip.frames.count)
        let (ours, theirs) = (folder.path("ours"), folder.path("theirs"))
        try PacketFile.write(kept, to: ours)
        try runScript("fec", ours, theirs, "\(media)", "\(red)", "\(fec)", codec.rawValue)
        let restored = try PacketFile.packets(in: theirs).filter { bytes in
            try RTPPacket(parsing: bytes.span).header.payloadType == media
        }
        // It renumbers them, so that FEC packets and losses leave no gaps.
        #expect(try clip.frames(of: renumbered(restored)) == clip.frames)
    }

    private func renumbered(_ packets: [[UInt8]]) -> [[UInt8]] {
        packets.enumerated().map { index, bytes in
            var bytes = bytes
            bytes[2] = UInt8(index >> 8)
            bytes[3] = UInt8(index & 0xFF)
            return bytes
        }
    }

    @Test(arguments: [false, true])
    func `We restore packets from its FEC packets`(isInRED: Bool) throws {
        let clip = try PeerClip(.vp8, in: folder)
        let packets = try protected(clip, isInRED: isInRED)
        let source = try #require(packets.first)
        let ssrc = try RTPPacket(parsing: source.span).header.ssrc
        var whole = RepairingReceiver(red: isInRED ? red : nil, fec: fec)
        for bytes in packets { try whole.insert(bytes) }
        #expect(!whole.fecPackets.isEmpty)
        #expect(try clip.frames(of: ordered(whole.media)) == clip.frames)

        // Any one media packet may be missing.
        for lost in whole.media.keys {
            var receiver = RepairingReceiver(red: isInRED ? red : nil, fec: fec)
            for bytes in packets where UInt16(bytes[2]) << 8 | UInt16(bytes[3]) != lost { try receiver.insert(bytes) }
            #expect(receiver.media.count == whole.media.count - 1)
            try receiver.repair(ssrc: ssrc)
            #expect(receiver.media[lost] == whole.media[lost], "packet \(lost)")
        }
    }

    /// What a receiver makes of packets with their FEC packets, when a media packet of each frame is lost.
    @Test(arguments: [false, true])
    func `A receiver has all frames by its FEC packets`(isInRED: Bool) throws {
        let clip = try PeerClip(.vp8, in: folder)
        let packets = try protected(clip, isInRED: isInRED)
        let source = try #require(packets.first)
        let first = try RTPPacket(parsing: source.span).header
        var settings = StreamReceiverSettings(
            jitterBuffer: JitterBufferSettings(ssrc: first.ssrc, payloadType: media), ssrc: SSRC(99))
        settings.jitterBuffer.nack = nil
        settings.repair.fecPayloadType = fec
        settings.repair.redPayloadType = isInRED ? red : nil
        let receiver = StreamReceiver(settings)
        var (frames, payload): ([[UInt8]], [UInt8]) = ([], [])
        func show(at now: MediaTime) {
            while case .decode(let frame) = receiver.poll(at: now, into: &payload, output: ReceiveOutput()) {
                frames.append(payload)
                receiver.finish(frame, .decoded, decoded: now, at: now)
            }
        }
        var (frame, place, lost) = (-1, 0, 0)
        var (timestamp, now) = (UInt32?.none, MediaTime.zero)
        for bytes in packets {
            let packet = try RTPPacket(parsing: bytes.span)
            let ticks = packet.header.timestamp.rawValue &- first.timestamp.rawValue
            now = MediaTime(nanoseconds: Int64(ticks) * 100_000 / 9)
            (frame, place) = timestamp == packet.header.timestamp.rawValue ? (frame, place + 1) : (frame + 1, 0)
            timestamp = packet.header.timestamp.rawValue
            let isFEC = [packet.header.payloadType.rawValue, packet.payload[0]].contains(fec.rawValue)
            // Its FEC packets take the marker over from the frame's last packet: they are not lost.
            if !isFEC, place == frame % 3 {
                lost += 1
            } else {
                receiver.insert(bytes.span, at: now)
            }
            show(at: now)
        }
        show(at: now + MediaDuration.seconds(2))
        #expect(lost > 15)
        #expect(frames == clip.frames, "\(lost) lost: \(frames.count) frames, \(receiver.repairStatistics)")
        #expect(receiver.repairStatistics.packetsRecovered == lost)
        #expect(receiver.repairStatistics.malformedPackets == 0 && receiver.statistics.pliCount == 0)
    }

    /// A clip's packets as GStreamer sends them, in order, with as many FEC packets.
    private func protected(_ clip: PeerClip, isInRED: Bool) throws -> [[UInt8]] {
        let path = folder.path("theirs")
        let wrap = isInRED ? ["rtpredenc", "pt=\(red)", "!"] : []
        try Peer.gstreamer.run(
            [
                "-q", "filesrc", "location=\(clip.path)", "!", "ivfparse", "!", "rtpvp8pay", "pt=\(media)",
                "picture-id-mode=2", "mtu=300", "seqnum-offset=65500", "!", "rtpulpfecenc", "pt=\(fec)",
                "percentage=100", "multipacket=false", "!",
            ] + wrap + ["rtpstreampay", "!", "filesink", "location=\(path)"])
        return try PacketFile.packets(in: path)
    }

    /// Packets in the order of numbers that begin at 65500, numbered without gaps.
    private func ordered(_ media: [UInt16: [UInt8]]) -> [[UInt8]] {
        renumbered(media.sorted { $0.key &- 65500 < $1.key &- 65500 }.map(\.value))
    }
}
