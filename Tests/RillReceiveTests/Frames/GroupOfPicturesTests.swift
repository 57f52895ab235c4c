import RillCore
import RillPacketSupport
import RillRTP
import Testing

@testable import RillReceive

@Suite struct GroupOfPicturesTests {
    /// The bytes of a structure whose picture `index` refers to those so far back.
    private static func structure(_ references: [[UInt8]]) -> [UInt8] {
        let sizes = [VP9ScalabilityStructure.Size(width: 160, height: 120)]
        let pictures = references.map { distances in
            var picture = VP9ScalabilityStructure.Picture(temporalIndex: 0, isSwitchingUpPoint: false)
            for distance in distances { picture.references.append(distance) }
            return picture
        }
        return [UInt8](capacity: VP9ScalabilityStructure.maximumByteCount(layers: 1, pictures: pictures.count)) {
            VP9ScalabilityStructure.write(sizes: sizes.span, pictures: pictures.span, into: &$0)
        }
    }

    private func group(_ references: [[UInt8]], from start: PictureID) throws -> GroupOfPictures {
        let bytes = Self.structure(references)
        return GroupOfPictures(
            PictureGroup(try VP9ScalabilityStructure(parsing: bytes.span)), from: FrameLabel.PictureID(start))
    }

    private func distances(_ references: FrameLabel.References?) -> [UInt8]? {
        references.map { references in (0..<references.count).map { references[$0] } }
    }

    private static let l1t3: [[UInt8]] = [[4], [1], [2], [1, 3]]
    /// A length that does not divide the numbers, so that it tells where the group began however often they wrap.
    private static let three: [[UInt8]] = [[3], [1, 2, 3], []]

    @Test(arguments: [0, 1, 127, 128, 16383, 16384, 32766, 32767] as [UInt16], [l1t3, three])
    func `The pattern repeats over every wrap`(start: UInt16, pattern: [[UInt8]]) throws {
        for isLong in [true, false] {
            var id: PictureID = isLong ? .long(start) : .short(UInt8(start & 0x7F))
            var group = try self.group(pattern, from: id)
            for index in 0..<70_000 {
                let told = distances(group.references(of: FrameLabel.PictureID(id), layer: 0))
                guard told == pattern[index % pattern.count] else {
                    Issue.record("picture \(index) from \(start), long: \(isLong): \(String(describing: told))")
                    return
                }
                id = id.next
            }
        }
    }

    @Test func `Late or dropped pictures keep their position`() throws {
        var random = SeededGenerator(seed: 4)
        var group = try self.group(Self.three, from: .short(100))
        var newest = 0
        for _ in 0..<20_000 {
            // Up to 25 forward, or up to 25 back.
            let index = max(0, newest - 25 + Int(random.next() % 51))
            newest = max(newest, index)
            let id = FrameLabel.PictureID(.short(UInt8((100 + index) & 0x7F)))
            let told = distances(group.references(of: id, layer: 0))
            guard told == Self.three[index % 3] else {
                Issue.record("picture \(index): \(String(describing: told))")
                return
            }
        }
    }

    @Test func `A group that is too long or empty is invalid`() throws {
        let next = FrameLabel.PictureID(.short(1))
        for (count, isKnown) in [(0, false), (1, true), (16, true), (17, false)] {
            var group = try self.group([[UInt8]](repeating: [1], count: count), from: .short(0))
            #expect(distances(group.references(of: next, layer: 0)) == (isKnown ? [1] : nil), "\(count) pictures")
        }
        let none: [UInt8] = [0]
        var group = GroupOfPictures(
            PictureGroup(try VP9ScalabilityStructure(parsing: none.span)), from: FrameLabel.PictureID(.short(0)))
        #expect(group.references(of: next, layer: 0) == nil)
    }

    @Test func `A picture of another layer is of another group`() throws {
        let bytes = GroupStructure.l1t3
        var group = GroupOfPictures(
            PictureGroup(try VP9ScalabilityStructure(parsing: bytes.span)), from: FrameLabel.PictureID(.short(10)))
        for (index, layer) in ([0, 2, 1, 2] as [UInt8]).enumerated() {
            for told in 0..<4 as Range<UInt8> {
                let references = group.references(of: FrameLabel.PictureID(.short(UInt8(14 + index))), layer: told)
                #expect((references != nil) == (told == layer), "picture \(index), layer \(told)")
            }
        }
    }

    // MARK: One after the other

    /// A reference of its own for each group tells them apart.
    private func add(_ distance: UInt8, from start: UInt8, _ groups: inout GroupsOfPictures) throws {
        let bytes = Self.structure([[distance]])
        groups.add(
            PictureGroup(try VP9ScalabilityStructure(parsing: bytes.span)),
            from: FrameLabel.PictureID(.short(start & 0x7F)))
    }

    private func told(of id: UInt8, _ groups: inout GroupsOfPictures) -> [UInt8]? {
        distances(groups.references(of: FrameLabel.PictureID(.short(id & 0x7F)), layer: 0))
    }

    @Test(arguments: [0, 1, 60, 63, 64, 100, 120, 127] as [UInt8])
    func `Pictures from before the newest structure are of the one before`(start: UInt8) throws {
        var groups = GroupsOfPictures()
        #expect(told(of: start, &groups) == nil)
        try add(1, from: start, &groups)
        try add(2, from: start &+ 10, &groups)
        #expect(told(of: start &+ 9, &groups) == [1] && told(of: start &+ 10, &groups) == [2])
        #expect(told(of: start &- 1, &groups) == nil)
        // The same again, as often as it comes.
        try add(1, from: start, &groups)
        try add(2, from: start &+ 10, &groups)
        #expect(told(of: start, &groups) == [1] && told(of: start &+ 12, &groups) == [2])
        // One between them that came late, and one from before both.
        try add(3, from: start &+ 5, &groups)
        try add(4, from: start &- 5, &groups)
        #expect(told(of: start &+ 6, &groups) == [3] && told(of: start &+ 4, &groups) == nil)
        #expect(told(of: start &+ 10, &groups) == [2])
        // A whole round later nothing is left of the old ones.
        for step in 0..<200 as Range<UInt8> { #expect(told(of: start &+ 10 &+ step, &groups) == [2], "\(step)") }
        #expect(told(of: start &+ 210 &- 60, &groups) == nil)
    }

    @Test func `A structure without a group ends the one before`() throws {
        var groups = GroupsOfPictures()
        try add(1, from: 0, &groups)
        let none: [UInt8] = [0]
        groups.add(
            PictureGroup(try VP9ScalabilityStructure(parsing: none.span)), from: FrameLabel.PictureID(.short(10)))
        // A straggler from before it brings nothing back.
        try add(1, from: 0, &groups)
        #expect(told(of: 9, &groups) == [1] && told(of: 10, &groups) == nil && told(of: 11, &groups) == nil)
    }

    @Test func `Pictures of another width are unknown`() throws {
        var group = try self.group(Self.l1t3, from: .short(0))
        #expect(group.references(of: FrameLabel.PictureID(.long(1)), layer: 0) == nil)
        #expect(distances(group.references(of: FrameLabel.PictureID(.short(1)), layer: 0)) == [1])
    }
}
