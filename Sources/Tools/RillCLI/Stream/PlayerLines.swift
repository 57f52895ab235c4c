import Foundation
import Rill
import RillCore
import RillRTP
import RillSecurity

/// The commands of players and of `rill receive` that show a sent stream.
struct PlayerLines {
    /// The destination of the packets.
    var address: UDPAddress
    var codec: VideoCodec
    /// The SSRCs of the sent streams, high first.
    var sources: [SSRC]
    var key: SRTPKey?
    /// The file with the key.
    var keyPath: String?
    /// Whether packets are in RED.
    var isInRED: Bool
    /// The file with the session description; `nil` if there is none.
    var descriptionPath: String?

    /// The command of one program, with a remark.
    struct Line: Encodable, Equatable {
        var program: String
        /// `nil` if the program cannot show the stream; `remark` is the reason.
        var command: String?
        var remark: String?
    }

    var all: [Line] { [ffplay, ffmpeg, gstreamer, rill] }

    /// All lines as text.
    var text: String {
        all.map { line in
            [line.remark.map { "# \(line.program): \($0)" }, line.command].compactMap(\.self).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    // MARK: FFmpeg

    private var ffplay: Line { ofFFmpeg("ffplay") { "ffplay \($0) -i \($1)" } }

    private var ffmpeg: Line {
        // Where FFmpeg's depacketizer does not mark key frames, a stream copy would wait for one.
        let all = codec.traits?.video?.isKeyMarkedByFFmpeg == false ? " -copyinkf" : ""
        return ofFFmpeg("ffmpeg") { "ffmpeg \($0) -i \($1) -c copy\(all) received.mkv" }
    }

    private func ofFFmpeg(_ program: String, _ command: (_ options: String, _ file: String) -> String) -> Line {
        func no(_ reason: String) -> Line { Line(program: program, remark: reason) }
        guard sources.count == 1 else { return no("supports one stream per port: leave --layers out") }
        guard !isInRED else { return no("does not support RED: leave --fec out") }
        guard key == nil || key?.profile == .aesCM128Tag80 else {
            return no("does not support AES-GCM: make the key with `rill key --suite cm-80`")
        }
        guard let path = descriptionPath, path != "-" else {
            return no("needs a session description: add --sdp out.sdp")
        }
        let protocols = key == nil ? "file,udp,rtp" : "file,udp,rtp,srtp"
        return Line(program: program, command: command("-protocol_whitelist \(protocols)", ShellWords.quoted(path)))
    }

    // MARK: GStreamer

    private var gstreamer: Line {
        let program = "gst-launch-1.0"
        guard sources.count == 1 else {
            return Line(program: program, remark: "supports one stream per port: leave --layers out")
        }
        let name = codec.rawValue.lowercased()
        let show = "rtp\(name)depay ! \(name)dec ! videoconvert ! autovideosink"
        // FEC packets are removed without being used: recovery needs a program with rtpbin.
        let media =
            isInRED
            ? "rtpreddec pt=\(StreamPayloadTypes.red) ! rtpptdemux ignored-payload-types=\"<\(StreamPayloadTypes.fec)>\" ! "
                + "\"\(caps("application/x-rtp", StreamPayloadTypes.media(codec)))\" ! rtpjitterbuffer ! \(show)"
            : "rtpjitterbuffer ! \(show)"
        let type = isInRED ? StreamPayloadTypes.red : StreamPayloadTypes.media(codec)
        guard let key else {
            let source = "udpsrc \(listening) caps=\"\(caps("application/x-rtp", type))\""
            return Line(program: program, command: "\(program) \(source) ! \(media)")
        }
        let source = "udpsrc \(listening) caps=\"\(caps("application/x-srtp", type)),\(keyCaps(key))\""
        return Line(
            program: program,
            command: "\(program) \(source) ! srtpdec name=d d.rtp_src ! \(media) d.rtcp_src ! fakesink async=false",
            remark: "this command contains the key, visible to anybody who lists processes")
    }

    private var listening: String {
        switch address.ip {
        case .v4: "\(address.ip.isLoopback ? "address=\(address.ip) " : "")port=\(address.port)"
        case .v6: "address=\(address.ip.isLoopback ? "\(address.ip)" : "::") port=\(address.port)"
        }
    }

    private func caps(_ kind: String, _ type: PayloadType) -> String {
        "\(kind),media=(string)video,clock-rate=(int)\(RTPTimestamp.videoClockRate),"
            + "encoding-name=(string)\(codec.rawValue.uppercased()),payload=(int)\(type)"
    }

    private func keyCaps(_ key: SRTPKey) -> String {
        let (cipher, auth) =
            switch key.profile {
            case .aeadAES128GCM: ("aes-128-gcm", "null")
            case .aeadAES256GCM: ("aes-256-gcm", "null")
            case .aesCM128Tag80, .aesCM128Tag32: ("aes-128-icm", "hmac-sha1-80")
            }
        let digits = key.withKeyAndSalt { bytes in
            bytes.indices.map { String(format: "%02X", bytes[$0]) }.joined()
        }
        return "ssrc=(uint)\(sources.first?.rawValue ?? 0),srtp-key=(buffer)\(digits),srtp-cipher=(string)\(cipher),"
            + "srtp-auth=(string)\(auth),srtcp-cipher=(string)\(cipher),srtcp-auth=(string)\(auth)"
    }

    // MARK: Rill

    private var rill: Line {
        guard let path = descriptionPath, path != "-" else {
            let isAssumed = sources.count == 1 && !isInRED
            guard isAssumed else {
                return Line(program: "rill receive", remark: "needs a session description: add --sdp out.sdp")
            }
            return Line(
                program: "rill receive",
                command: "rill receive --port \(address.port)"
                    + (codec == .default ? "" : " --codec \(codec.rawValue.lowercased())")
                    + (key == nil ? "" : " --key-file \(ShellWords.quoted(keyPath ?? "-"))") + listeningOption)
        }
        return Line(program: "rill receive", command: "rill receive \(ShellWords.quoted(path))\(listeningOption)")
    }

    /// Without a key, `rill receive` listens on its own machine only, unless `--listen` names an address.
    private var listeningOption: String { key == nil && !address.ip.isLoopback ? " --listen \(address.ip)" : "" }
}
