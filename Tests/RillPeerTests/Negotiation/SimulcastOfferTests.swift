import RillCore
import RillPeer
import RillRTP
import RillTestSupport
import Testing

/// Our offer of a simulcast beside Chromium's own, line by line.
@Suite struct SimulcastOfferTests {
    /// What a line is about, without the values that each side draws and the numbers that each side chooses.
    private func kinds(_ text: String, _ codecs: Set<String>) -> Set<String> {
        var kinds: Set<String> = []
        var numbers: [Substring: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("a=rtpmap:") {
            let words = line.dropFirst(9).split(separator: " ")
            numbers[words[0]] = String(words[1])
        }
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("a=") {
            let name = line.dropFirst(2).prefix { $0 != ":" }
            let value = line.dropFirst(3 + name.count)
            let words = value.split(separator: " ", maxSplits: 1)
            switch name {
            case "rtpmap": if codecs.contains(numbers[words[0]] ?? "") { kinds.insert("rtpmap \(words[1])") }
            case "rtcp-fb":
                let codec = numbers[words[0]] ?? ""
                if codecs.contains(codec) { kinds.insert("rtcp-fb \(codec) \(words[1])") }
            case "extmap": kinds.insert("extmap \(words[1])")
            case "rid", "simulcast", "setup", "ice-options", "group", "rtcp-mux", "rtcp-rsize", "extmap-allow-mixed",
                "sendonly", "rtcp":
                kinds.insert(String(line.dropFirst(2)))
            case "fmtp": break
            default: kinds.insert(String(name))
            }
        }
        return kinds
    }

    @Test func `What differs is what we do not have, and what we say of ourselves`() throws {
        var end = try NegotiationEnd(seed: 3)
        try end.add(.video, .sendOnly, layers: ["h", "l"])
        let codecs: Set = ["VP8/90000", "VP9/90000", "rtx/90000", "red/90000", "ulpfec/90000"]
        let ours = kinds(try end.offer().text, codecs)
        let theirs = kinds(try RecordedDescription.chromiumSimulcast.text, codecs)
        #expect(
            theirs.subtracting(ours).subtracting(["candidate"]).sorted() == [
                "extmap http://www.webrtc.org/experiments/rtp-hdrext/color-space",
                "extmap http://www.webrtc.org/experiments/rtp-hdrext/video-content-type",
                "extmap http://www.webrtc.org/experiments/rtp-hdrext/video-layers-allocation00",
                "extmap http://www.webrtc.org/experiments/rtp-hdrext/video-timing",
                "extmap https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension",
                "extmap urn:ietf:params:rtp-hdrext:toffset", "rtcp-xr",
            ])
        #expect(
            ours.subtracting(theirs).subtracting(["end-of-candidates", "candidate"]).sorted() == [
                "rtcp-fb VP8/90000 ccm pause", "rtcp-fb VP9/90000 ccm pause", "rtcp-mux-only",
            ])
        #expect(ours.contains("simulcast:send h;l") && ours.contains("rid:h send"))
    }
}
