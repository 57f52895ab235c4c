import RillCore
import RillRTP
import Testing

@Suite struct CodecTraitsTests {
    @Test func `Each codec is found by its name, in any case`() {
        for traits in CodecTraits.all {
            for name in [traits.name, traits.name.lowercased(), traits.name.uppercased()] {
                #expect(CodecTraits.named(name) === traits, "\(name)")
            }
        }
        #expect(Set(CodecTraits.all.map { $0.name.lowercased() }).count == CodecTraits.all.count)
        #expect(Set(CodecTraits.all.map(\.payloadType)).count == CodecTraits.all.count)
        #expect(CodecTraits.named("rtx") == nil && CodecTraits.named("") == nil)
    }

    @Test func `The built-in codecs are those with frames`() {
        #expect(VideoCodec.allCases == [.vp8, .vp9] && VideoCodec.default == .vp8)
        for codec in VideoCodec.allCases {
            #expect(codec.isBuiltIn && codec.traits?.video?.codec == codec && VideoCodec(builtIn: "\(codec)") == codec)
            #expect(codec.traits?.name == codec.rawValue && codec.traits?.clockRate == .video)
        }
        let own: VideoCodec = "own"
        #expect(!own.isBuiltIn && own.traits == nil && own.parameters.isEmpty && VideoCodec(builtIn: "own") == nil)
    }

    @Test(arguments: [
        ("VP9", [], "0"), ("vp9", ["profile-id=2"], "2"), ("VP8", ["max-fs=12"], ""), ("H264", ["a=b", "c"], "a=bc="),
    ])
    func `Formats of one name differ by their variant`(name: String, parameters: [String], variant: String) throws {
        let list = parameters.map { text in
            let parts = text.split(separator: "=").map(String.init)
            return RTPFormat.Parameter(parts[0], parts.count > 1 ? parts[1] : nil)
        }
        let traits = try #require(CodecTraits.named(name))
        #expect(traits.variant(of: list) == variant)
        let format = RTPFormat(PayloadType(96), encoding: RTPFormat.Encoding(name), parameters: list)
        #expect(CodecTraits.has(format) == (variant != "2"))
    }

    @Test func `Only the payload types of RFC 3551 need no name`() {
        let names = (0...127 as ClosedRange<UInt8>).compactMap { CodecTraits.staticFormat(PayloadType($0))?.encoding }
        #expect(names.map(\.name) == ["PCMU", "PCMA", "G722"] && names.allSatisfy { $0.clockRate == 8000 })
    }

    @Test func `Opus is described with 48 kHz and two channels`() {
        let opus = CodecTraits.defaultAudio
        #expect(opus.encoding == RTPFormat.Encoding("opus", clockRate: 48_000, channels: "2"))
        #expect(opus.kind == .audio && CodecTraits.names(of: .audio).first == "opus")
    }
}
