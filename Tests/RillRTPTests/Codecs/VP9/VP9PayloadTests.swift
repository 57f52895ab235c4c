import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct VP9PayloadTests {
    typealias Layer = VP9PayloadDescriptor.Layer

    /// Descriptors whose bytes were made by hand from the diagram of RFC 9628 §4.2.
    private static let golden: [(bytes: [UInt8], descriptor: VP9PayloadDescriptor)] = [
        ([0x08], VP9PayloadDescriptor(startsFrame: true, endsFrame: false)),
        (
            [0x45],
            VP9PayloadDescriptor(
                isInterPicturePredicted: true, startsFrame: false, endsFrame: true, isNotReferenceForUpperLayers: true)
        ),
        ([0x8C, 0x11], VP9PayloadDescriptor(pictureID: .short(0x11), startsFrame: true, endsFrame: true)),
        ([0x88, 0x81, 0x23], VP9PayloadDescriptor(pictureID: .long(0x123), startsFrame: true, endsFrame: false)),
        // Non-flexible: TID 2, U, SID 1, D, TL0PICIDX 200.
        (
            [0xE8, 0xFF, 0xFF, 0x53, 0xC8],
            VP9PayloadDescriptor(
                pictureID: .long(32767), isInterPicturePredicted: true,
                layer: Layer(
                    temporalIndex: 2, isSwitchingUpPoint: true, spatialIndex: 1, isInterLayerPredicted: true),
                startsFrame: true, endsFrame: false, tl0PictureIndex: 200)
        ),
        // Flexible: TID 1, P_DIFF 1, 4 and 127.
        (
            [0xFC, 0x05, 0x20, 0x03, 0x09, 0xFE],
            VP9PayloadDescriptor(
                pictureID: .short(5), isInterPicturePredicted: true, layer: Layer(temporalIndex: 1), isFlexible: true,
                startsFrame: true, endsFrame: true, references: differences(1, 4, 127))
        ),
        // Flexible, a key frame: no P_DIFF.
        (
            [0xBC, 0x05, 0x10],
            VP9PayloadDescriptor(
                pictureID: .short(5), layer: Layer(temporalIndex: 0, isSwitchingUpPoint: true), isFlexible: true,
                startsFrame: true, endsFrame: true)
        ),
    ]

    /// The structure of three temporal layers at 640x360: pictures of TID 0, 2, 1, 2.
    static let structure: [UInt8] = [
        0x18, 0x02, 0x80, 0x01, 0x68, 4, 0x14, 4, 0x54, 1, 0x34, 2, 0x58, 1, 2,
    ]

    static func differences(_ values: UInt8...) -> FrameDistances {
        var differences = FrameDistances()
        for value in values { differences.append(value) }
        return differences
    }

    @Test(arguments: 0..<golden.count)
    func `Bytes and descriptor convert both ways`(index: Int) throws {
        let (bytes, descriptor) = VP9PayloadTests.golden[index]
        let whole = bytes + [0xAA]
        let payload = try VP9Payload(parsing: whole.span)
        let (parsed, piece) = (payload.descriptor, payload.piece.array)
        #expect(parsed == descriptor)
        #expect(piece == [0xAA])
        #expect(descriptor.byteCount == bytes.count)
        #expect(written(descriptor, piece: [0xAA]) == whole)
    }

    @Test func `Every combination of fields round-trips`() throws {
        let pictureIDs: [PictureID?] = [nil, .short(0), .short(127), .long(0), .long(128), .long(32767)]
        let layers: [Layer?] = [
            nil, Layer(temporalIndex: 0), Layer(temporalIndex: 7, isSwitchingUpPoint: true, spatialIndex: 7),
            Layer(temporalIndex: 1, spatialIndex: 2, isInterLayerPredicted: true),
        ]
        let lists = [
            VP9PayloadTests.differences(0), VP9PayloadTests.differences(1, 127), VP9PayloadTests.differences(3, 2, 1),
        ]
        for first in 0..<32 as Range<UInt8> {
            for pictureID in pictureIDs {
                for layer in layers {
                    for references in lists {
                        var descriptor = VP9PayloadDescriptor(
                            pictureID: pictureID, isInterPicturePredicted: first & 16 != 0, layer: layer,
                            isFlexible: first & 8 != 0 && pictureID != nil, startsFrame: first & 4 != 0,
                            endsFrame: first & 2 != 0, isNotReferenceForUpperLayers: first & 1 != 0)
                        if !descriptor.isFlexible, layer != nil { descriptor.tl0PictureIndex = first * 8 }
                        if descriptor.isFlexible && descriptor.isInterPicturePredicted {
                            descriptor.references = references
                        }
                        let bytes = written(descriptor, piece: [1])
                        #expect(bytes.count == descriptor.byteCount + 1, "\(descriptor)")
                        let payload = try VP9Payload(parsing: bytes.span)
                        let parsed = payload.descriptor
                        #expect(parsed == descriptor)
                    }
                }
            }
        }
    }

    @Test func `A scalability structure is read`() throws {
        let bytes = [0x8A, 0x05] + VP9PayloadTests.structure + [0xAA]
        let payload = try VP9Payload(parsing: bytes.span)
        guard let structure = payload.scalabilityStructure else {
            Issue.record("there is no structure")
            return
        }
        let (layers, size, count) = (
            structure.spatialLayerCount, structure.size(ofLayer: 0), structure.pictureCount
        )
        #expect(layers == 1 && count == 4)
        #expect(size == VP9ScalabilityStructure.Size(width: 640, height: 360))
        var pictures: [VP9ScalabilityStructure.Picture] = []
        structure.forEachPicture { pictures.append($0) }
        #expect(pictures.map(\.temporalIndex) == [0, 2, 1, 2])
        #expect(pictures.map(\.isSwitchingUpPoint) == [true, true, true, true])
        #expect(
            pictures.map(\.references) == [
                VP9PayloadTests.differences(4), VP9PayloadTests.differences(1), VP9PayloadTests.differences(2),
                VP9PayloadTests.differences(1, 2),
            ])
        let again = [UInt8](capacity: 100) { output in payload.write(into: &output) }
        #expect(again == bytes)
    }

    @Test func `Any scalability structure round-trips`() throws {
        var random = SeededGenerator(seed: 15)
        for round in 0..<500 {
            let sizes = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                VP9ScalabilityStructure.Size(
                    width: .random(in: 0 ... .max, using: &random), height: .random(in: 0 ... .max, using: &random))
            }
            let pictures = (0..<Int.random(in: 0...255, using: &random)).map { _ in
                var picture = VP9ScalabilityStructure.Picture(
                    temporalIndex: .random(in: 0...7, using: &random), isSwitchingUpPoint: .random(using: &random))
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    picture.references.append(.random(in: 0 ... .max, using: &random))
                }
                return picture
            }
            let hasGroup = round % 3 > 0
            let room = VP9ScalabilityStructure.maximumByteCount(layers: 8, pictures: 255)
            let bytes = [UInt8](capacity: room) { output in
                VP9ScalabilityStructure.write(
                    sizes: sizes.span, pictures: hasGroup ? pictures.span : nil, into: &output)
            }
            let structure = try VP9ScalabilityStructure(parsing: (bytes + [9]).span)
            let (byteCount, count) = (structure.byteCount, structure.pictureCount)
            #expect(byteCount == bytes.count, "round \(round)")
            #expect(count == (hasGroup ? pictures.count : nil), "round \(round)")
            #expect(structure.spatialLayerCount == sizes.count)
            for index in sizes.indices {
                let size = structure.size(ofLayer: index)
                #expect(size == sizes[index], "round \(round)")
            }
            var read: [VP9ScalabilityStructure.Picture] = []
            structure.forEachPicture { read.append($0) }
            #expect(read == (hasGroup ? pictures : []), "round \(round)")
        }
    }

    @Test(arguments: 0..<golden.count)
    func `A truncated descriptor throws, as does one without payload`(index: Int) {
        let bytes = VP9PayloadTests.golden[index].bytes
        for count in 0..<bytes.count {
            #expect(throws: RTPError.truncated(needed: count + 1, available: count)) {
                _ = try VP9Payload(parsing: Array(bytes.prefix(count)).span)
            }
        }
        #expect(throws: RTPError.emptyPayload) { _ = try VP9Payload(parsing: bytes.span) }
    }

    @Test func `Values that the mode does not allow throw`() {
        #expect(throws: RTPError.missingPictureID) { _ = try VP9Payload(parsing: [0x18, 0, 0].span) }
        #expect(throws: RTPError.tooManyReferences(maximum: 3)) {
            _ = try VP9Payload(parsing: [0xD8, 1, 3, 3, 3, 2, 0].span)
        }
    }

    @Test func `Any bytes are a payload that writes itself again, or a typed error`() throws {
        let seeds =
            VP9PayloadTests.golden.map { $0.bytes + [0x10, 0x02] }
            + [[0x8A, 0x05] + VP9PayloadTests.structure + [0xAA], [0x0A, 0xF8] + [UInt8](repeating: 8, count: 60)]
        var parsed = 0
        var structures = 0
        let inputs = MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 5))
        for (index, input) in inputs.enumerated() {
            do throws(RTPError) {
                let payload = try VP9Payload(parsing: input.span)
                parsed += 1
                let (byteCount, descriptor, piece) = (payload.byteCount, payload.descriptor, payload.piece.array)
                #expect(byteCount == input.count && !piece.isEmpty, "input \(index)")
                var pictures: [VP9ScalabilityStructure.Picture] = []
                if let structure = payload.scalabilityStructure {
                    structures += 1
                    structure.forEachPicture { pictures.append($0) }
                    let count = structure.pictureCount ?? 0
                    #expect(pictures.count == count, "input \(index)")
                }
                let bytes = [UInt8](capacity: byteCount) { output in payload.write(into: &output) }
                let again = try VP9Payload(parsing: bytes.span)
                let (descriptorAgain, pieceAgain) = (again.descriptor, again.piece.array)
                #expect(descriptorAgain == descriptor && pieceAgain == piece, "input \(index)")
            } catch {
                switch error {
                case .truncated(let needed, let available): #expect(needed > available, "input \(index)")
                case .emptyPayload, .missingPictureID, .tooManyReferences: break
                default: Issue.record("input \(index): \(error)")
                }
            }
        }
        #expect((50_000..<99_000).contains(parsed), "\(parsed) of the inputs were payloads")
        #expect(structures > 5000, "\(structures) of them with a structure")
    }

    private func written(_ descriptor: VP9PayloadDescriptor, piece: [UInt8]) -> [UInt8] {
        [UInt8](capacity: descriptor.byteCount + piece.count) { output in
            VP9Payload(descriptor: descriptor, piece: piece.span).write(into: &output)
        }
    }
}
