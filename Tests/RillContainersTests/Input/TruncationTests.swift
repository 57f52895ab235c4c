import Foundation
import RillCore
import RillTestSupport
import Testing

@testable import RillContainers

struct TruncationTests {
    private let folder = TemporaryFolder()

    /// The detected truncation of a file of those bytes.
    private func truncation(of bytes: [UInt8]) throws -> Truncation? {
        try write(bytes, to: folder.path("file"))
        return Truncation(ofFile: folder.path("file"))
    }

    private func box(_ type: String, _ count: Int) -> [UInt8] {
        let size = UInt32(count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(type.utf8)
            + [UInt8](repeating: 7, count: count)
    }

    @Test func `A segment that extends past the end of the file is truncated`() throws {
        // An EBML head of two bytes, an empty void, a segment of 20 bytes, whose size has one byte and eight.
        let head: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3, 0x82, 1, 2, 0xEC, 0x80]
        let identifier: [UInt8] = [0x18, 0x53, 0x80, 0x67]
        for size in [[0x94], [0x01, 0, 0, 0, 0, 0, 0, 20]] as [[UInt8]] {
            let whole = head + identifier + size + [UInt8](repeating: 5, count: 20)
            #expect(try truncation(of: whole) == nil)
            #expect(try truncation(of: whole + [0]) == nil)
            let cut = try #require(try truncation(of: Array(whole.dropLast())))
            #expect(cut.byteCount == whole.count - 1 && cut.claimedByteCount == whole.count)
            #expect("\(cut)" == "the file is cut off: of \(whole.count) bytes \(whole.count - 1) are there")
        }
        // A live stream does not say how long it is.
        let unknown: [UInt8] = [0x01] + [UInt8](repeating: 0xFF, count: 7)
        #expect(try truncation(of: head + identifier + unknown + [1, 2, 3, 4]) == nil)
    }

    @Test func `A live recording that ends within a block is truncated`() throws {
        // A segment and clusters without sizes, as live muxers write them: a timestamp and two blocks each.
        let head: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3, 0x80, 0x18, 0x53, 0x80, 0x67, 0xFF, 0xEC, 0x84, 0, 0, 0, 0]
        let block: [UInt8] = [0xA3, 0x40, 20] + [UInt8](repeating: 9, count: 20)
        let cluster: [UInt8] = [0x1F, 0x43, 0xB6, 0x75, 0xFF, 0xE7, 0x81, 5] + block + block
        let whole = head + cluster + cluster
        let ends = [head.count, head.count + 8, head.count + 8 + block.count, head.count + cluster.count, whole.count]
        // Where a cluster's own header ends, only its contents are missing.
        let open = [head.count + 5, head.count + cluster.count + 5]
        let more = ends.dropLast().map { $0 + cluster.count } + open
        for count in head.count...whole.count {
            let cut = try truncation(of: Array(whole[..<count]))
            #expect((cut == nil) == (ends + more).contains(count), "\(count): \(String(describing: cut))")
            if let cut { #expect(cut.byteCount == count && cut.claimedByteCount > count) }
        }
        // Clusters with sizes, in a segment without.
        let sized = head + [0x1F, 0x43, 0xB6, 0x75, 0x80 | UInt8(cluster.count - 5)] + cluster[5...]
        #expect(try truncation(of: sized) == nil)
        #expect(try truncation(of: Array(sized.dropLast()))?.claimedByteCount == sized.count)
        // What is not an element declares nothing.
        #expect(try truncation(of: whole + [0, 0, 0]) == nil)
    }

    @Test func `A box that extends past the end of the file is truncated`() throws {
        let whole = box("ftyp", 16) + box("moov", 30) + box("mdat", 100)
        #expect(try truncation(of: whole) == nil)
        let cut = try #require(try truncation(of: Array(whole.dropLast(10))))
        #expect(cut.byteCount == whole.count - 10 && cut.claimedByteCount == whole.count)
        // Sizes of 64 bits; "to the end"; trailing bytes that are not a box; an impossible size.
        let long: [UInt8] =
            [0, 0, 0, 1] + Array("mdat".utf8) + [0, 0, 0, 0, 0, 0, 0, 30] + [UInt8](repeating: 0, count: 10)
        #expect(try truncation(of: box("ftyp", 16) + long)?.claimedByteCount == 24 + 30)
        #expect(try truncation(of: box("ftyp", 16) + [0, 0, 0, 0] + Array("mdat".utf8) + [1, 2]) == nil)
        #expect(try truncation(of: whole + [0xFF, 0xFF, 0xFF, 0xFF] + Array("junk".utf8)) == nil)
        #expect(try truncation(of: box("ftyp", 16) + [0, 0, 0, 3] + Array("mdat".utf8)) == nil)
        let huge = [0, 0, 0, 1] + Array("mdat".utf8) + [0x7F] + [UInt8](repeating: 0xFF, count: 7)
        #expect(try truncation(of: box("ftyp", 16) + huge) == nil)
    }

    @Test func `A chunk that extends past the end of the file is truncated`() throws {
        func chunk(_ type: String, _ count: Int) -> [UInt8] {
            Array("RIFF".utf8) + [UInt8(count + 4), 0, 0, 0] + Array(type.utf8) + [UInt8](repeating: 1, count: count)
        }
        let whole = chunk("AVI ", 50) + chunk("AVIX", 20)
        #expect(try truncation(of: whole) == nil)
        #expect(try truncation(of: Array(whole.dropLast(3)))?.claimedByteCount == whole.count)
        #expect(try truncation(of: Array(chunk("AVI ", 50).dropLast(30)))?.claimedByteCount == 62)
        #expect(try truncation(of: Array("RIFF".utf8) + [0, 0, 0, 0] + Array("AVI LIST".utf8)) == nil)
    }

    @Test(arguments: [(188, 0), (192, 4)]) func `Half a packet of a transport stream is cut off`(
        length: Int, offset: Int
    ) throws {
        let packet =
            [UInt8](repeating: 0, count: offset) + [0x47] + [UInt8](repeating: 0xAA, count: length - offset - 1)
        let whole = Array([packet, packet, packet, packet].joined())
        #expect(try truncation(of: whole) == nil)
        #expect(try truncation(of: whole + packet.prefix(100))?.claimedByteCount == 5 * length)
        #expect(try truncation(of: Array(whole.dropFirst(3))) == nil)
    }

    @Test func `A file that is not a container is not reported`() throws {
        #expect(try truncation(of: []) == nil)
        #expect(try truncation(of: Array("hello".utf8)) == nil)
        #expect(try truncation(of: [UInt8](repeating: 0, count: 1000)) == nil)
        #expect(Truncation(ofFile: folder.path("nothing")) == nil)
        #expect(Truncation(ofFile: folder.root) == nil)
    }

    @Test func `Damaged heads are survived`() throws {
        let head: [UInt8] =
            [0x1A, 0x45, 0xDF, 0xA3, 0x82, 1, 2, 0x18, 0x53, 0x80, 0x67, 0x90] + [UInt8](repeating: 3, count: 30)
        let seeds = [
            head, box("ftyp", 16) + box("mdat", 60), Array("RIFF".utf8) + [60, 0, 0, 0] + Array("AVI ".utf8) + head,
        ]
        for input in MutatedInputs(of: seeds, count: 3000, using: SeededGenerator(seed: 5)) {
            let cut = try truncation(of: input)
            #expect(cut.map { $0.claimedByteCount > $0.byteCount && $0.byteCount == input.count } ?? true)
        }
    }
}
