import RillCore
import RillRTP
import Testing

@Suite struct HeaderExtensionMapTests {
    @Test func `Any numbers of any kinds are found both ways`() throws {
        var random = SeededGenerator(seed: 62)
        for turn in 0..<2000 {
            var map = HeaderExtensionMap()
            var expected: [UInt8: HeaderExtensionKind] = [:]
            // Numbers close to each other, where borrows from byte to byte would show.
            let numbers = Array(1...(turn % 2 == 0 ? 9 : 255) as ClosedRange<UInt8>).shuffled(using: &random)
            for (kind, id) in zip(HeaderExtensionKind.allCases, numbers) where Bool.random(using: &random) {
                try map.set(kind, id: id)
                expected[id] = kind
            }
            for id in 0...255 as ClosedRange<UInt8> { #expect(map[id] == expected[id], "turn \(turn), number \(id)") }
            for kind in HeaderExtensionKind.allCases {
                #expect(map[kind] == expected.first { $0.value == kind }?.key, "turn \(turn), \(kind)")
            }
        }
    }

    @Test func `A number belongs to one kind, and a kind has one number`() throws {
        var map = HeaderExtensionMap()
        try map.set(.mid, id: 4)
        #expect(throws: RTPError.invalidExtensionID(4)) { try map.set(.rid, id: 4) }
        #expect(throws: RTPError.invalidExtensionID(0)) { try map.set(.rid, id: 0) }
        try map.set(.mid, id: 4)
        try map.set(.mid, id: 5)
        #expect(map[4] == nil && map[5] == .mid && map[.mid] == 5 && map[.rid] == nil)
        map.remove(.mid)
        #expect(map == HeaderExtensionMap())
        #expect(MemoryLayout<HeaderExtensionMap>.size == 16)
    }

    @Test func `Kinds are known by their URIs`() {
        for kind in HeaderExtensionKind.allCases { #expect(HeaderExtensionKind(uri: kind.uri) == kind) }
        #expect(HeaderExtensionKind(uri: "urn:ietf:params:rtp-hdrext:sdes:mid") == .mid)
        #expect(HeaderExtensionKind(uri: "urn:ietf:params:rtp-hdrext:csrc-audio-level") == nil)
        #expect(HeaderExtensionKind.allCases.count <= 14)
    }
}
