import Rill
import RillCore
import RillFiles
import RillRTP
import RillSecurity

/// What is to be received: the streams of somebody, and the port that they come to.
struct IncomingStream {
    var them: ParticipantSettings
    /// The address that packets go to, as they say.
    var address: UDPAddress
    /// What of their description is left out.
    var remarks: [String] = []

    /// What `rill send` sends by default, to that port.
    init(_ codec: VideoCodec, port: UInt16, key: SRTPKey?) {
        them = ParticipantSettings("the sender", at: nil, key: key)
        them.streams = [StreamPayloadTypes.assumed(codec)]
        address = UDPAddress(.loopback, port: port)
    }

    /// What a session description says.
    ///
    /// - Parameters:
    ///   - name: what errors call it.
    ///   - port: another port than it says; a description from a server has 0.
    ///   - key: the key, where it is not in there.
    /// - Throws: ``CommandError`` of `unreadableInput`.
    init(describedBy text: [UInt8], name: String, port: UInt16?, key: SRTPKey?) throws {
        func refuse(_ reason: String) -> CommandError { CommandError("\(name): \(reason.printable)", .unreadableInput) }
        var session: SessionDescription
        do { session = try SessionDescription(parsing: text.span) } catch { throw refuse("\(error)") }
        let lines = SectionLines(text)
        let index = try IncomingStream.videoSection(of: session, lines, port, refuse)
        var video = session.media[index]
        for other in session.media.indices where other != index {
            remarks.append("left out: \(lines.text(other))")
        }
        if let port { video.port = port }
        if let key {
            if let theirs = video.crypto.first(where: SRTPKey.isAcceptable), try SRTPKey(theirs) != key {
                throw refuse("a=crypto and --key-file are different keys")
            }
            video.crypto = [key.cryptoAttribute(tag: 1)]
        }
        session.media = [video]
        // Where nothing is said of us, we are wherever it comes.
        if video.connection == nil, session.connection == nil { session.connection = ConnectionAddress("0.0.0.0") }
        do {
            them = try ParticipantSettings("the sender", described: session, sending: nil)
        } catch CallError.noKeyDescribed {
            throw refuse("\(lines.text(index)) says SAVP, and there is no a=crypto: give the key with --key-file")
        } catch { throw refuse("\(lines.text(index)): \(error)") }
        guard let address = them.address, them.streams?.isEmpty == false else {
            throw refuse("\(lines.text(index)) is \(video.direction?.rawValue ?? "inactive"): nothing is sent")
        }
        guard !address.ip.isMulticast else {
            throw refuse("\(address.ip) is a multicast address: groups are not joined")
        }
        self.address = address
        // They say where we are; where they are their packets will say. RTCP goes there under the same key.
        them.address = nil
        them.sendingKey = them.receivingKey
    }

    /// The first section of video that can be received.
    private static func videoSection(
        of session: SessionDescription, _ lines: SectionLines, _ port: UInt16?, _ refuse: (String) -> CommandError
    ) throws -> Int {
        let videos = session.media.indices.filter { session.media[$0].kind == .video }
        guard let first = videos.first else { throw refuse("describes no video (there is no m=video line)") }
        func isRead(_ index: Int) -> Bool {
            let video = session.media[index]
            return video.isRTP
                && video.formats.contains { format in
                    (format.isNamed("VP8") || format.isNamed("VP9")) && ["0", nil].contains(format.profile)
                }
        }
        guard let readable = videos.first(where: isRead) else {
            let video = session.media[first]
            let names = video.formats.map { format in
                (format.encoding?.name ?? "payload type \(format.payloadType)")
                    + (format.profile.map { " of profile \($0)" } ?? "")
            }
            throw refuse(
                "\(lines.text(first)) is \(names.isEmpty ? video.transport : names.joined(separator: ", ")): "
                    + "Rill reads VP8, and VP9 of profile 0, over RTP")
        }
        let isPlaced = videos.first { isRead($0) && (session.media[$0].port != 0 || port != nil) }
        guard let isPlaced else { throw refuse("\(lines.text(readable)) has the port 0: say one with --port") }
        return isPlaced
    }
}

extension RTPFormat {
    /// The profile of VP9, where it is said.
    fileprivate var profile: String? { self[parameter: "profile-id"] }
}

extension String {
    /// The text without what moves a terminal's cursor: a description may be anybody's.
    fileprivate var printable: String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 })
        return String(text)
    }
}

/// The m= lines of a session description, to be named.
private struct SectionLines {
    private var sections: [(line: Int, text: String)] = []

    init(_ text: [UInt8]) {
        let lines = String(decoding: text, as: UTF8.self).split(omittingEmptySubsequences: false) { $0.isNewline }
        for (index, line) in lines.enumerated() where line.hasPrefix("m=") {
            sections.append((index + 1, String(line.prefix(80)).printable))
        }
    }

    /// `line 8, m=video 5004 RTP/AVP 96`.
    func text(_ section: Int) -> String {
        guard section < sections.count else { return "section \(section)" }
        return "line \(sections[section].line), \(sections[section].text)"
    }
}
