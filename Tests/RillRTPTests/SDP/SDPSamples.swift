// Descriptions as others write them.

enum SDPSamples {
    /// The sender's name: the tests' output shows it instead of the text.
    enum Author: CaseIterable {
        case ffmpeg, gstreamer, janus, simulcast

        var text: String {
            switch self {
            case .ffmpeg: SDPSamples.ffmpeg
            case .gstreamer: SDPSamples.gstreamer
            case .janus: SDPSamples.janus
            case .simulcast: SDPSamples.simulcast
            }
        }
    }

    /// FFmpeg 5.1 (`-f rtp -sdp_file`).
    static let ffmpeg = """
        v=0\r
        o=- 0 0 IN IP4 127.0.0.1\r
        s=No Name\r
        c=IN IP4 127.0.0.1\r
        t=0 0\r
        a=tool:libavformat 59.27.100\r
        m=video 5004 RTP/AVP 96\r
        b=AS:200\r
        a=rtpmap:96 VP8/90000\r

        """

    /// A file for GStreamer's `filesrc ! sdpdemux`, as its users write them.
    static let gstreamer = """
        v=0
        o=- 1188340656180883 1 IN IP4 127.0.0.1
        s=Session streamed by GStreamer
        i=server.sh
        t=0 0
        a=tool:GStreamer
        a=type:broadcast
        m=video 5004 RTP/AVPF 96 97
        c=IN IP4 127.0.0.1
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 nack
        a=rtcp-fb:96 nack pli
        a=rtcp-fb:96 ccm fir
        a=framerate:30
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96; rtx-time=3000
        a=ts-refclk:local
        a=mediaclk:sender
        a=ssrc:1878541347 cname:user1520331421@host-84a77d94
        """

    /// An offer of Janus' streaming plugin.
    static let janus = """
        v=0\r
        o=- 1700000000000000 1 IN IP4 192.0.2.10\r
        s=Mountpoint 10\r
        t=0 0\r
        a=group:BUNDLE v\r
        a=ice-options:trickle\r
        a=msid-semantic: WMS *\r
        m=video 9 UDP/TLS/RTP/SAVPF 96 97\r
        c=IN IP4 192.0.2.10\r
        a=sendonly\r
        a=mid:v\r
        a=rtcp-mux\r
        a=ice-ufrag:Xq1D\r
        a=setup:actpass\r
        a=rtpmap:96 VP9/90000\r
        a=fmtp:96 profile-id=2\r
        a=rtcp-fb:96 nack\r
        a=rtcp-fb:96 goog-remb\r
        a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid\r
        a=extmap:2/sendonly http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time\r
        a=rtpmap:97 rtx/90000\r
        a=fmtp:97 apt=96\r
        a=ssrc-group:FID 2231627014 632943048\r
        a=ssrc:2231627014 cname:janus\r
        a=ssrc:632943048 cname:janus\r
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r
        a=sctp-port:5000\r

        """

    /// The examples of RFC 8853 §6.6.1 and RFC 8851 §10.1, shortened.
    static let simulcast = """
        v=0
        o=alice 2362969037 2362969040 IN IP6 2001:db8::1
        s=Simulcast enabled client
        u=http://example.com/
        c=IN IP4 224.2.36.42/127/3
        b=AS:2000
        b=CT:1
        t=3034423619 3042462419
        r=604800 3600 0 90000
        t=0 0
        z=2882844526 -1h
        a=recvonly
        m=video 49300/2 RTP/AVPF 97 98 99
        i=a camera
        c=IN IP6 FF15::101/3
        c=IN IP6 FF15::201
        a=rtpmap:97 H264/90000
        a=rtpmap:98 H264/90000
        a=fmtp:97 profile-level-id=42c01f;max-fs=3600;sprop-parameter-sets=Z0IA,aM4=
        a=fmtp:99 97/98
        a=rtcp-fb:* nack rpsi
        a=rid:1 send pt=97;max-width=1280;max-height=720
        a=rid:2 send pt=98,97
        a=rid:3 send max-width=320
        a=rid:4 recv
        a=simulcast:recv 4 send 1;~2,3
        a=rtpmap:100 opus/48000/2
        """

    /// Short ones with everything in them, for tests that read a great many.
    static let pieces = [
        "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 224.0.0.1/9/2\r\nt=0 0\r\nr=7 1\r\na=sendonly\r\na=tool:x\r\n",
        "m=video 5004/2 RTP/AVPF 96 97\na=rtpmap:96 VP8/90000\na=fmtp:97 apt=96;rtx-time=9\na=rtcp-fb:96 nack pli\n",
        "i=x\nm=audio 9 RTP/AVP 111\nc=IN IP6 ::1\na=mid:a\na=rtcp-mux\na=framerate:29.97\na=rtcp-fb:* nack\n",
        "m=video 1 RTP/AVP 9\na=extmap:1/sendonly urn:x y\na=rid:1 send pt=9;max-width=9\na=simulcast:recv 1;~2,3\n",
        "m=application 9 UDP/DTLS/SCTP webrtc\na=ssrc:1 cname:x\na=ssrc-group:FID 1 2\nb=AS:1\nm=video 2 RTP/AVP",
    ]
}
