import RillCore
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

    private func group(_ references: [[UInt8]], from start: PictureID) throws -> GroupOfPictures? {
        let bytes = Self.structure(references)
        return GroupOfPictures(
            try VP9ScalabilityStructure(parsing: bytes.span), from: FrameLabel.PictureID(start))
    }

    private func distances(_ references: FrameLabel.References?) -> [UInt8]? {
        references.map { references in (0..<references.count).map { UInt8(references[$0]) } }
    }

    private static let l1t3: [[UInt8]] = [[4], [1], [2], [1, 3]]
    /// A length that does not divide the numbers, so that it tells where the group began however often they wrap.
    private static let three: [[UInt8]] = [[3], [1, 2, 3], []]

    @Test(arguments: [0, 1, 127, 128, 16383, 16384, 32766, 32767] as [UInt16], [l1t3, three])
    func thePatternRepeatsOverEveryWrap(start: UInt16, pattern: [[UInt8]]) throws {
        for isLong in [true, false] {
            var id: PictureID = isLong ? .long(start) : .short(UInt8(start & 0x7F))
            var group = try #require(try self.group(pattern, from: id))
            for index in 0..<70_000 {
                let told = distances(group.references(of: FrameLabel.PictureID(id)))
                guard told == pattern[index % pattern.count] else {
                    Issue.record("picture \(index) from \(start), long: \(isLong): \(String(describing: told))")
                    return
                }
                id = id.next
            }
        }
    }

    @Test func picturesThatCameLateOrWereLeftOutKeepTheirPlace() throws {
        var random = SeededGenerator(seed: 4)
        var group = try #require(try self.group(Self.three, from: .short(100)))
        var newest = 0
        for _ in 0..<20_000 {
            // Up to 25 forward, or up to 25 back.
            let index = max(0, newest - 25 + Int(random.next() % 51))
            newest = max(newest, index)
            let id = FrameLabel.PictureID(.short(UInt8((100 + index) & 0x7F)))
            let told = distances(group.references(of: id))
            guard told == Self.three[index % 3] else {
                Issue.record("picture \(index): \(String(describing: told))")
                return
            }
        }
    }

    @Test func aGroupThatIsTooLongOrEmptyIsNone() throws {
        #expect(try group([], from: .short(0)) == nil)
        #expect(try group([[UInt8]](repeating: [1], count: 16), from: .short(0)) != nil)
        #expect(try group([[UInt8]](repeating: [1], count: 17), from: .short(0)) == nil)
        let none: [UInt8] = [0]
        let structure = try VP9ScalabilityStructure(parsing: none.span)
        let isNone = GroupOfPictures(structure, from: FrameLabel.PictureID(.short(0))) == nil
        #expect(isNone)
    }

    @Test func picturesOfAnotherWidthAreUnknown() throws {
        var group = try #require(try self.group(Self.l1t3, from: .short(0)))
        #expect(group.references(of: FrameLabel.PictureID(.long(1))) == nil)
        #expect(distances(group.references(of: FrameLabel.PictureID(.short(1)))) == [1])
    }
}
