import RillRTP

/// A session description: what was read writes a text that, read again, writes the same.
func fuzzSDP(_ bytes: Span<UInt8>) {
    guard let session = try? SessionDescription(parsing: bytes) else { return }  // a typed error is as good an answer
    let text = session.text
    guard let again = try? SessionDescription(text) else { preconditionFailure("it cannot read what it wrote") }
    precondition(again.text == text)
}

func sdpSeeds() -> [FuzzTarget.Seed] {
    [
        FuzzTarget.Seed(
            "video",
            bytes: Array(
                """
                v=0\r
                o=- 1 2 IN IP4 127.0.0.1\r
                s=call\r
                i=about\r
                c=IN IP4 224.2.1.1/127\r
                b=AS:900\r
                t=0 0\r
                r=7d 1h 0\r
                a=sendonly\r
                a=group:BUNDLE 0\r
                m=video 5004/2 RTP/AVPF 96 97\r
                a=mid:0\r
                a=rtcp-mux\r
                a=rtpmap:96 VP8/90000\r
                a=fmtp:96 max-fr=30;max-fs=1200\r
                a=rtpmap:97 rtx/90000\r
                a=fmtp:97 apt=96;rtx-time=200\r
                a=rtcp-fb:96 nack pli\r
                a=rtcp-fb:* transport-cc\r
                a=extmap:3/recvonly urn:ietf:params:rtp-hdrext:sdes:mid x\r
                a=framerate:29.97\r
                a=ssrc-group:FID 1 2\r
                a=ssrc:1 cname:a@b\r
                a=rid:high send pt=96;max-width=1280\r
                a=simulcast:send high,~mid;low recv x\r

                """.utf8)),
        FuzzTarget.Seed(
            "audio-without-order", bytes: Array("m=audio 0 RTP/AVP 0\nt=1 2\ns=-\na=rtpmap:0 PCMU/8000/1\n".utf8)),
    ]
}
