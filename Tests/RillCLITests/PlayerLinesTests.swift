import Rill
import RillCore
import RillRTP
import RillSecurity
import Testing

@testable import RillCLI

/// What is said of players; that the lines work, tests with those players say.
@Suite struct PlayerLinesTests {
    private func lines(
        _ suite: SRTPProfile? = nil, codec: VideoCodec = .vp8, streams: Int = 1, isInRED: Bool = false,
        description: String? = "out.sdp", to address: UDPAddress = UDPAddress(.loopback, port: 5004)
    ) -> [String: PlayerLines.Line] {
        let lines = PlayerLines(
            address: address, codec: codec, sources: (0..<streams).map { SSRC(UInt32($0 + 7)) },
            key: suite.map { SRTPKey.generate($0) }, keyPath: "a key", isInRED: isInRED, descriptionPath: description)
        return Dictionary(uniqueKeysWithValues: lines.all.map { ($0.program, $0) })
    }

    @Test func `In the clear all can show it`() {
        let lines = lines()
        #expect(lines.values.allSatisfy { $0.command != nil && $0.remark == nil })
        #expect(lines["ffplay"]?.command == "ffplay -protocol_whitelist file,udp,rtp -i out.sdp")
        #expect(lines["rill receive"]?.command == "rill receive out.sdp")
        #expect(self.lines(codec: .vp9)["ffmpeg"]?.command?.hasSuffix("-c copy -copyinkf received.mkv") == true)
    }

    @Test func `FFmpeg has no GCM, and reads a description, one stream and no RED`() {
        for lines in [
            lines(.aeadAES128GCM), lines(.aeadAES256GCM), lines(description: nil), lines(description: "-"),
            lines(streams: 2), lines(isInRED: true),
        ] {
            #expect(lines["ffplay"]?.command == nil && lines["ffplay"]?.remark != nil, "\(lines)")
            #expect(lines["ffmpeg"]?.command == nil)
        }
        #expect(lines(.aesCM128Tag80)["ffplay"]?.command?.contains("srtp") == true)
    }

    @Test func `Only a marked line contains the key`() {
        let lines = lines(.aeadAES128GCM)
        #expect(lines["gst-launch-1.0"]?.command?.contains("ssrc=(uint)7,srtp-key=(buffer)") == true)
        #expect(lines["gst-launch-1.0"]?.remark?.contains("contains the key") == true)
        #expect(lines["rill receive"]?.command?.contains("key") == false)
        #expect(
            self.lines(.aeadAES128GCM, description: nil)["rill receive"]?.command?.hasSuffix("--key-file 'a key'")
                == true)
    }

    @Test func `Without encryption, rill receive must be told to listen to other machines`() {
        let address = UDPAddress(.v6(0x2001_0db8 << 96 | 1, zone: 0), port: 5004)
        let lines = lines(to: address)
        #expect(lines["rill receive"]?.command == "rill receive out.sdp --listen 2001:db8::1")
        #expect(lines["gst-launch-1.0"]?.command?.contains("udpsrc address=:: port=5004") == true)
    }

    @Test func `Words are quoted as a shell takes them back`() throws {
        for word in ["plain.sdp", "two words", "it's", "$HOME", "a;b", "", "new\nline", "[::1]"] {
            #expect(try ShellWords.split(ShellWords.quoted(word)) == [word])
        }
    }
}
