import RillCore

@testable import RillRTP

/// Valid session descriptions of every kind, the same for the same seed.
struct SessionDescriptions {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> SessionDescription {
        var session = SessionDescription(times: list { $0.time() })
        session.origin = SessionDescription.Origin(
            username: word(), sessionID: generator.next(), version: generator.next(), address: address())
        session.name = chance() ? words() : ""
        session.connection = optional { $0.address() }
        session.direction = optional { $0.pick(MediaDirection.allCases) }
        session.otherLines = lines(["i", "u", "e", "p"]) + lines(["b"]) + lines(["z", "k", "y"])
        session.otherAttributes = list { $0.attribute() }
        session.media = list { $0.media() }
        return session
    }

    private mutating func media() -> MediaDescription {
        var media = MediaDescription(
            pick([.video, .audio, MediaDescription.Kind(rawValue: word())]), port: UInt16(below(65536)),
            transport: pick(["RTP/AVP", "RTP/AVPF", "UDP/TLS/RTP/SAVPF", "udp", "UDP/DTLS/SCTP"]))
        if media.isRTP {
            let first = below(100)
            for type in first..<first + below(28) { media.formats.append(format(PayloadType(UInt8(type)))) }
        } else {
            media.otherFormats = list { $0.word() }
        }
        media.portCount = optional { UInt16(1 + $0.below(65535)) }
        media.connection = optional { $0.address() }
        media.mid = optional { $0.word() }
        media.direction = optional { $0.pick(MediaDirection.allCases) }
        media.isRTCPMultiplexed = chance()
        media.frameRate = optional { $0.chance() ? Double(1 + $0.below(1_000_000)) : 0.0001 + 100 * $0.unit() }
        media.headerExtensions = list { values in
            HeaderExtensionMapping(
                id: UInt16(1 + values.below(4351)), direction: values.optional { $0.pick(MediaDirection.allCases) },
                uri: values.word(), attributes: values.optional { $0.words() })
        }
        if media.isRTP { media.feedback = list { $0.feedback() } }
        media.rids = list { values in
            RestrictionIdentifier(
                values.word(), values.pick(RestrictionIdentifier.Direction.allCases),
                payloadTypes: values.list { PayloadType(UInt8($0.below(128))) },
                restrictions: values.list { $0.parameter() })
        }
        media.simulcast = optional { values in
            Simulcast(send: [values.stream()] + values.list { $0.stream() }, receive: values.list { $0.stream() })
        }
        media.sourceGroups = list { values in SourceGroup(values.word(), values.list { $0.ssrc() }) }
        media.sources = list { SourceAttribute($0.ssrc(), $0.attribute()) }
        media.otherLines = lines(["i"]) + lines(["b"]) + lines(["k", "x"])
        media.otherAttributes = list { $0.attribute() }
        return media
    }

    // MARK: Parts

    private mutating func format(_ type: PayloadType) -> RTPFormat {
        RTPFormat(
            type,
            encoding: optional { values in
                RTPFormat.Encoding(
                    values.word(), clockRate: UInt32(1 + values.below(Int(UInt32.max))),
                    channels: values.optional { $0.word() })
            },
            parameters: list { $0.parameter() }, feedback: list { $0.feedback() })
    }

    private mutating func parameter() -> RTPFormat.Parameter {
        RTPFormat.Parameter(word(), optional { $0.word() + "=" })
    }

    private mutating func feedback() -> RTCPFeedback { RTCPFeedback(word(), optional { $0.words() }) }

    private mutating func stream() -> Simulcast.Stream {
        Simulcast.Stream(
            [Simulcast.Alternative(word())] + list { Simulcast.Alternative($0.word(), isPaused: $0.chance()) })
    }

    private mutating func time() -> SessionDescription.ActiveTime {
        SessionDescription.ActiveTime(start: generator.next(), stop: UInt64(below(3)), repeats: list { $0.words() })
    }

    private mutating func address() -> ConnectionAddress {
        switch below(4) {
        case 0: ConnectionAddress("127.0.0.1")
        case 1:
            ConnectionAddress(
                "224.0.0.\(below(256))", timeToLive: UInt8(below(256)), count: optional { UInt32($0.below(9)) })
        case 2: ConnectionAddress("FF15::\(below(99))", count: optional { UInt32($0.below(9)) })
        default: ConnectionAddress(word())
        }
    }

    /// Names that no attribute of ours has.
    private mutating func attribute() -> SessionDescription.Attribute {
        SessionDescription.Attribute("x-" + word(), optional { $0.chance() ? $0.words() : "" })
    }

    private mutating func lines(_ types: [Unicode.Scalar]) -> [SessionDescription.Line] {
        list { values in SessionDescription.Line(values.pick(types), values.words()) }
    }

    private mutating func ssrc() -> SSRC { SSRC(UInt32(truncatingIfNeeded: generator.next())) }

    /// Letters that text-cutting code trips over: an accent that would join the sign before it, a two-scalar flag.
    private mutating func word() -> String {
        (0...below(8)).map { _ in pick(["a", "Z", "0", "9", "-", "_", ".", "é", "\u{301}", "🇫🇷", "apt", "v"]) }.joined()
    }

    private mutating func words() -> String {
        (0...below(3)).map { _ in word() }.joined(separator: pick([" ", "  ", ":", "=", ";", ","]))
    }

    // MARK: Choices

    private mutating func unit() -> Double { generator.unitInterval() }
    private mutating func below(_ bound: Int) -> Int { Int(generator.next() >> 33) % bound }
    private mutating func chance() -> Bool { below(2) == 0 }
    private mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    private mutating func optional<Value>(_ make: (inout SessionDescriptions) -> Value) -> Value? {
        chance() ? make(&self) : nil
    }

    private mutating func list<Value>(_ make: (inout SessionDescriptions) -> Value) -> [Value] {
        var values: [Value] = []
        for _ in 0..<below(4) { values.append(make(&self)) }
        return values
    }
}
