import Foundation
import Rill
import RillPeer
import RillTestSupport

/// One cell of the table: who is on the other side, who offers, and what goes which way.
struct WebRTCCell: CustomStringConvertible, Sendable {
    /// The other side.
    enum Other: Sendable {
        case chromium(ChromiumPeer.Media)
        case aiortc
        case webrtcbin
        case rill
    }

    var name: String
    var other: Other
    /// Whether we offer.
    var offers = false
    var codec = VideoCodec.vp8
    /// Whether we have a picture to send.
    var sends = true
    /// Our video sections; `nil` for one.
    var sections: [[StreamLayer.RID]]?
    /// The layers that we ask for.
    var wanted: [String] = []
    /// How many streams arrive here, and there.
    var received = 1
    var arriving = 1

    var description: String { name }

    func makeOther(_ seconds: Int) throws -> any WebRTCOther {
        switch other {
        case .chromium(var media):
            media.codec = "video/\(codec)"
            return try ChromiumPeer(media, limit: 60 + seconds)
        case .aiortc: return try PythonPeer(existing(PythonPeer.aiortc), AiortcScript.text, [], limit: 60 + seconds)
        case .webrtcbin:
            return try PythonPeer(
                existing(PythonPeer.gstreamer), WebRTCBinScript.text, [codec.rawValue], limit: 60 + seconds)
        case .rill:
            var theirs = WebRTCSettings()
            // Names belong to one direction (RFC 8851 §10): those that the offer asks for are others than ours.
            theirs.wantedLayers = offers ? [] : ["x", "y"]
            return try RillOther(codec: codec, theirs)
        }
    }

    var settings: WebRTCSettings {
        var settings = WebRTCSettings()
        (settings.sections, settings.wantedLayers) = (sections, wanted)
        settings.receives = received > 0
        return settings
    }
}

extension WebRTCCell {
    private static func media(_ change: (inout ChromiumPeer.Media) -> Void) -> Other {
        var media = ChromiumPeer.Media()
        change(&media)
        return .chromium(media)
    }

    /// The cells with Chromium.
    static let chromium: [WebRTCCell] = [VideoCodec.vp8, .vp9].flatMap { codec in
        [
            WebRTCCell(
                name: "Chromium offers a simulcast, \(codec)", other: media { $0.isSimulcast = true },
                codec: codec, sends: false, received: 2, arriving: 0),
            WebRTCCell(
                name: "Chromium offers both ways, \(codec)", other: media { $0.receives = true }, codec: codec),
            WebRTCCell(
                name: "Chromium offers, with audio and data, \(codec)",
                other: media { ($0.receives, $0.hasOthers) = (true, true) }, codec: codec),
            WebRTCCell(
                name: "Chromium offers to watch two sections, \(codec)",
                other: media { ($0.sends, $0.receivingSections) = (false, 2) }, codec: codec,
                sections: [[.high], [.low]], received: 0, arriving: 2),
            WebRTCCell(
                name: "Rill offers both ways, \(codec)", other: media { $0.receives = true }, offers: true,
                codec: codec),
            WebRTCCell(
                name: "Rill asks for a simulcast, \(codec)", other: media { $0.isSimulcast = true }, offers: true,
                codec: codec, sends: false, wanted: ["h", "l"], received: 2, arriving: 0),
            WebRTCCell(
                name: "Rill offers two sections, \(codec)", other: media { $0.sends = false }, offers: true,
                codec: codec, sections: [[.high], [.low]], received: 0, arriving: 2),
        ]
    }

    /// The cells with another call of ours, simulcast both ways.
    static let rill = [VideoCodec.vp8, .vp9].flatMap { codec in
        [true, false].map {
            WebRTCCell(
                name: "Rill \($0 ? "offers to" : "answers") Rill, \(codec)", other: .rill, offers: $0,
                codec: codec, wanted: $0 ? ["x", "y"] : [], received: 2, arriving: 2)
        }
    }

    /// The cells with aiortc, which has no VP9 and no simulcast.
    static let aiortc = [true, false].map {
        WebRTCCell(name: $0 ? "Rill offers to aiortc, VP8" : "aiortc offers, VP8", other: .aiortc, offers: $0)
    }

    /// The cells with GStreamer.
    static let webrtcbin = [VideoCodec.vp8, .vp9].flatMap { codec in
        [true, false].map {
            WebRTCCell(
                name: $0 ? "Rill offers to webrtcbin, \(codec)" : "webrtcbin offers, \(codec)", other: .webrtcbin,
                offers: $0, codec: codec)
        }
    }
}
