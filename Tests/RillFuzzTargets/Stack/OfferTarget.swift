import RillCore
import RillPeer
import RillRTP
import RillWireFuzzTargets

/// An offer of the other side's: it is answered, or an error; what is answered fits the offer, and reads back the same.
///
/// An end of ours that has transceivers answers, so that offers meet layers, stopped sections and numbers of ours.
func fuzzOffer(_ bytes: Span<UInt8>) {
    guard let transport = offerTransport else { preconditionFailure("the transport is valid") }
    var negotiator = Negotiator(NegotiationSettings(), seed: 1)
    var simulcast = TransceiverSettings(.video)
    simulcast.sending = [SendingEncoding(rid: "h"), SendingEncoding(rid: "l")]
    guard (try? negotiator.addTransceiver(simulcast)) != nil else { preconditionFailure("it is valid") }
    let before = negotiator.transceivers

    let text = String(copying: bytes)
    guard let offered = try? negotiator.setRemote(.offer, text: text) else {
        precondition(negotiator.signalingState == .stable && negotiator.transceivers == before)
        return
    }
    guard let offer = negotiator.remoteDescription else { preconditionFailure("an offer was set") }
    var copy = negotiator
    precondition((try? copy.setRemote(.rollback)) != nil && copy.transceivers == before)

    guard let answer = try? negotiator.makeAnswer(transport) else {
        preconditionFailure("an offer that is set is answered")
    }
    precondition(
        answer.media.map(\.kind) == offer.media.map(\.kind) && answer.media.map(\.mid) == offer.media.map(\.mid))
    for (ours, theirs) in zip(answer.media, offer.media) where ours.port != 0 {
        precondition(Set(ours.formats.map(\.payloadType)).isSubset(of: theirs.formats.map(\.payloadType)))
        precondition(Set(ours.headerExtensions.map(\.id)).isSubset(of: theirs.headerExtensions.map(\.id)))
        precondition(offered.rejections.allSatisfy { $0.mid == nil || $0.mid != ours.mid })
    }
    precondition((try? SessionDescription(answer.text)) == answer)
    guard let outcome = try? negotiator.setLocal(.answer, answer) else { preconditionFailure("an answer can be set") }
    precondition(
        negotiator.signalingState == .stable
            && outcome.stoppedTransceivers.allSatisfy { id in
                !negotiator.transceivers.contains { $0.id == id }
            })
    do throws(NegotiationError) {
        _ = try negotiator.makeOffer(transport)
    } catch .tooManySections {
        return
    } catch .noCodec {
        return  // the other side's formats take all payload types
    } catch {
        preconditionFailure("it can offer after an answer: \(error)")
    }
    _ = try? negotiator.setRemote(.offer, text: text)
}

extension String {
    fileprivate init(copying bytes: Span<UInt8>) {
        var copy: [UInt8] = []
        for index in bytes.indices { copy.append(bytes[index]) }
        self.init(decoding: copy, as: UTF8.self)
    }
}

private let offerTransport: LocalTransport? = {
    var generator = SeededGenerator(seed: 3)
    guard let fingerprint = try? DTLSFingerprint(.sha256, [UInt8](repeating: 0xAB, count: 32)) else { return nil }
    return LocalTransport(credentials: ICECredentials(using: &generator), fingerprints: [fingerprint])
}()

/// Offers of Chromium, webrtcbin and aiortc, as they write them, with the formats that say nothing new left out.
func offerSeeds() -> [FuzzTarget.Seed] {
    let transport = """
        a=rtcp:9 IN IP4 0.0.0.0
        a=ice-ufrag:0Gij
        a=ice-pwd:88IQyNHl5DKcPY46g5QKEvE4
        a=ice-options:trickle
        a=fingerprint:sha-256 9A:E9:35:1F:D7:A6:ED:D0:8C:D9:7C:E6:FC:6D:F6:FD:A8:C6:BC:A0:61:B8:37:20:80:8D:CC:C0:4E:6A:EC:61
        a=setup:actpass

        """
    let head = "v=0\no=- 2519869096475232504 2 IN IP4 127.0.0.1\ns=-\nt=0 0\n"
    let video = """
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:9 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
        a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 transport-cc
        a=rtcp-fb:96 nack pli
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=rtpmap:98 VP9/90000
        a=fmtp:98 profile-id=0
        a=rtpmap:118 red/90000
        a=rtpmap:119 rtx/90000
        a=fmtp:119 apt=118
        a=rtpmap:120 ulpfec/90000

        """
    let name = "m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 118 119 120\nc=IN IP4 0.0.0.0\n"
    let simulcast =
        head + "a=group:BUNDLE 0\na=extmap-allow-mixed\n" + name + transport
        + "a=candidate:351 1 udp 2122194687 192.0.2.7 44141 typ host generation 0 network-id 1\n" + video
        + "a=mid:0\na=sendonly\na=msid:b93f ae4c\na=rid:h send\na=rid:l send pt=96;max-width=320\na=simulcast:send h;~l\n"
    let call =
        head + "a=group:BUNDLE a v d\nm=audio 9 UDP/TLS/RTP/SAVPF 111 0\nc=IN IP4 0.0.0.0\n" + transport
        + "a=mid:a\na=sendrecv\na=rtcp-mux\na=rtpmap:111 opus/48000/2\na=fmtp:111 minptime=10;useinbandfec=1\n"
        + "m=video 0 UDP/TLS/RTP/SAVPF 96 97 98 118 119 120\na=bundle-only\n" + video
        + "a=mid:v\na=recvonly\na=rid:x recv\na=rid:y recv\na=simulcast:recv x;y\nb=TIAS:500000\n"
        + "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\na=mid:d\na=sctp-port:5000\n"
    let sources =
        head + name + transport + "a=rtcp-mux\na=framerate:30\na=rtpmap:96 VP8/90000\na=rtpmap:97 rtx/90000\n"
        + "a=fmtp:97 apt=96\na=ssrc-group:FID 2512468069 3606538761\na=ssrc:2512468069 cname:d90d\n"
        + "a=ssrc:2512468069 msid:user webrtctransceiver0\na=ssrc:3606538761 cname:d90d\na=end-of-candidates\n"
    return [("simulcast", simulcast), ("call", call), ("sources", sources)].map { name, text in
        FuzzTarget.Seed(name, bytes: Array(text.replacingNewlines.utf8))
    }
}

extension String {
    /// The text with the line endings of descriptions.
    fileprivate var replacingNewlines: String { split(separator: "\n").joined(separator: "\r\n") + "\r\n" }
}
