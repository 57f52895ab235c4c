import Foundation
import Rill
import RillCore
import RillFiles
import RillRTP
import RillSecurity

/// The streams to receive, and the port that they arrive on.
struct IncomingStream {
    var them: ParticipantSettings
    /// The destination address of the packets, as described.
    var address: UDPAddress
    /// The port of RTCP, if the description has one that is not that of RTP.
    var reportPort: UInt16?
    /// Remarks on ignored sections of the description.
    var remarks: [String] = []

    /// The default stream of `rill send`, sent to that port.
    init(_ codec: VideoCodec, port: UInt16, key: SRTPKey?) {
        them = ParticipantSettings("the sender", at: nil, key: key)
        them.streams = [StreamPayloadTypes.assumed(codec)]
        address = UDPAddress(.loopback, port: port)
    }

    /// Reads a session description from a file, or with `-` from standard input.
    ///
    /// - Throws: ``CommandError`` of `unreadableInput`.
    init(describedIn path: String, port: UInt16? = nil, key: SRTPKey? = nil) throws {
        let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        // For a folder, Foundation's own text is "Error Domain=NSCocoaErrorDomain Code=256".
        guard let file, let data = try? file.read(upToCount: SessionDescription.maximumByteCount + 1) else {
            throw CommandError("\(path): no such file or folder, or it cannot be read or is empty", .unreadableInput)
        }
        try self.init(describedBy: Array(data), name: path, port: port, key: key)
    }

    /// Reads a session description.
    ///
    /// - Parameters:
    ///   - text: the description.
    ///   - name: its name in errors.
    ///   - port: the port, instead of the described one; a description from a server has port 0.
    ///   - key: the key, if the description has none.
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
        if let port {
            video.port = port
            // It stands beside the port that was described.
            video.otherAttributes.removeAll { $0.name == "rtcp" }
        }
        reportPort = video.reportPort
        if let key {
            if let theirs = video.crypto.first(where: SRTPKey.isAcceptable), try SRTPKey(theirs) != key {
                throw refuse("a=crypto and --key-file are different keys")
            }
            video.crypto = [key.cryptoAttribute(tag: 1)]
        }
        session.media = [video]
        // Without a c= line, packets may arrive on any local address.
        if video.connection == nil, session.connection == nil { session.connection = ConnectionAddress("0.0.0.0") }
        do {
            them = try ParticipantSettings("the sender", described: session, sending: nil)
        } catch CallError.noKeyDescribed {
            throw refuse("\(lines.text(index)) is SAVP without a=crypto: give the key with --key-file")
        } catch { throw refuse("\(lines.text(index)): \(error)") }
        guard let address = them.address, them.streams?.isEmpty == false else {
            throw refuse("\(lines.text(index)) is \(video.direction?.rawValue ?? "inactive"): nothing is sent")
        }
        guard !address.ip.isMulticast else {
            throw refuse("\(address.ip) is a multicast address, which is not supported")
        }
        self.address = address
        // The description names our address; the sender's is that of its packets. RTCP is sent there, with the same
        // key.
        them.address = nil
        them.reportAddress = nil
        them.sendingKey = them.receivingKey
    }

    /// The index of the first video section that can be received.
    private static func videoSection(
        of session: SessionDescription, _ lines: SectionLines, _ port: UInt16?, _ refuse: (String) -> CommandError
    ) throws -> Int {
        let videos = session.media.indices.filter { session.media[$0].kind == .video }
        guard let first = videos.first else { throw refuse("describes no video (no m=video line)") }
        func isRead(_ index: Int) -> Bool {
            let video = session.media[index]
            return video.isRTP
                && video.formats.contains { format in
                    CodecTraits.videoNames.contains { format.isNamed($0) } && CodecTraits.has(format)
                }
        }
        guard let readable = videos.first(where: isRead) else {
            let read = VideoCodec.allCases.map { codec in
                let profile = codec.traits?.ownVariant ?? ""
                return profile.isEmpty ? codec.rawValue : "\(codec) of profile \(profile)"
            }
            let video = session.media[first]
            let names = video.formats.map { format in
                (format.encoding?.name ?? "payload type \(format.payloadType)")
                    + (format.foreignProfile.map { " of profile \($0)" } ?? "")
            }
            throw refuse(
                "\(lines.text(first)) is \(names.isEmpty ? video.transport : names.joined(separator: ", ")): "
                    + "Rill reads \(read.joined(separator: ", and ")), over RTP")
        }
        let isPlaced = videos.first { isRead($0) && (session.media[$0].port != 0 || port != nil) }
        guard let isPlaced else { throw refuse("\(lines.text(readable)) has port 0: give one with --port") }
        return isPlaced
    }
}

extension RTPFormat {
    /// The profile, if Rill does not have it.
    fileprivate var foreignProfile: String? {
        CodecTraits.has(self) ? nil : encoding.flatMap { CodecTraits.named($0.name) }?.variant(of: parameters)
    }
}

extension String {
    /// The text without control characters: a description may come from a stranger.
    fileprivate var printable: String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 })
        return String(text)
    }
}

/// The m= lines of a session description, with their line numbers, for errors.
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
