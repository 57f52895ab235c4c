import RillCore
import RillPacketSupport
import RillRTP
import RillTestSupport
import Testing

@Suite struct VP8PayloadDescriptorTests {
    private typealias TemporalLayer = VP8PayloadDescriptor.TemporalLayer

    /// Descriptors whose bytes were made by hand from the diagram of RFC 7741 §4.2.
    private static let golden: [(bytes: [UInt8], descriptor: VP8PayloadDescriptor)] = [
        ([0x10], VP8PayloadDescriptor(startsPartition: true)),
        ([0x27], VP8PayloadDescriptor(isNonReference: true, startsPartition: false, partitionIndex: 7)),
        ([0x90, 0x80, 0x11], VP8PayloadDescriptor(startsPartition: true, pictureID: .short(0x11))),
        ([0x90, 0x80, 0x81, 0x23], VP8PayloadDescriptor(startsPartition: true, pictureID: .long(0x123))),
        ([0x80, 0x40, 0xFF], VP8PayloadDescriptor(startsPartition: false, tl0PictureIndex: 255)),
        (
            [0xB0, 0xE0, 0xFF, 0xFF, 0x07, 0xA0],
            VP8PayloadDescriptor(
                isNonReference: true, startsPartition: true, pictureID: .long(32767), tl0PictureIndex: 7,
                temporalLayer: TemporalLayer(index: 2, isLayerSync: true))
        ),
        ([0x90, 0x10, 0x1F], VP8PayloadDescriptor(startsPartition: true, keyIndex: 31)),
        (
            [0x90, 0xF0, 0x7F, 0x00, 0xC1],
            VP8PayloadDescriptor(
                startsPartition: true, pictureID: .short(127), tl0PictureIndex: 0,
                temporalLayer: TemporalLayer(index: 3, isLayerSync: false), keyIndex: 1)
        ),
    ]

    @Test(arguments: 0..<golden.count)
    func `Bytes and descriptor convert both ways`(index: Int) throws {
        let (bytes, descriptor) = VP8PayloadDescriptorTests.golden[index]
        let (parsed, byteCount) = try vp8Descriptor(at: (bytes + [0xAA]).span)
        #expect(parsed == descriptor)
        #expect(byteCount == bytes.count)
        #expect(descriptor.byteCount == bytes.count)
        #expect(written(descriptor) == bytes)
    }

    @Test func `Every combination of fields round-trips`() throws {
        let pictureIDs: [PictureID?] = [nil, .short(0), .short(127), .long(0), .long(127), .long(128), .long(32767)]
        let layers: [TemporalLayer?] = [
            nil, TemporalLayer(index: 0, isLayerSync: true), TemporalLayer(index: 3, isLayerSync: false),
        ]
        for first in 0..<32 as Range<UInt8> {
            for pictureID in pictureIDs {
                for index in [nil, 0, 255] as [UInt8?] {
                    for layer in layers {
                        for keyIndex in [nil, 0, 31] as [UInt8?] {
                            let descriptor = VP8PayloadDescriptor(
                                isNonReference: first & 16 != 0, startsPartition: first & 8 != 0,
                                partitionIndex: first & 7, pictureID: pictureID, tl0PictureIndex: index,
                                temporalLayer: layer, keyIndex: keyIndex)
                            let bytes = written(descriptor)
                            let (parsed, byteCount) = try vp8Descriptor(at: (bytes + [1]).span)
                            #expect(parsed == descriptor)
                            #expect(byteCount == bytes.count && byteCount == descriptor.byteCount, "\(descriptor)")
                        }
                    }
                }
            }
        }
    }

    @Test func `Reserved bits are passed over`() throws {
        let (parsed, byteCount) = try vp8Descriptor(at: [0xD8, 0x8F, 0x05, 0xAA].span)
        #expect(parsed == VP8PayloadDescriptor(startsPartition: true, pictureID: .short(5)))
        #expect(byteCount == 3)
    }

    @Test func `Only partition 0 starts a frame`() {
        #expect(VP8PayloadDescriptor(startsPartition: true).startsFrame)
        #expect(!VP8PayloadDescriptor(startsPartition: true, partitionIndex: 1).startsFrame)
        #expect(!VP8PayloadDescriptor(startsPartition: false).startsFrame)
    }

    @Test(arguments: 0..<golden.count)
    func `A truncated descriptor throws, as does one without payload`(index: Int) {
        let bytes = VP8PayloadDescriptorTests.golden[index].bytes
        for count in 0..<bytes.count {
            #expect(throws: RTPError.truncated(needed: count + 1, available: count)) {
                _ = try vp8Descriptor(at: Array(bytes.prefix(count)).span)
            }
        }
        #expect(throws: RTPError.emptyPayload) { _ = try vp8Descriptor(at: bytes.span) }
    }

    @Test func `Any bytes are a descriptor that writes itself again, or a typed error`() throws {
        let seeds = VP8PayloadDescriptorTests.golden.map { $0.bytes + [0x10, 0x02] }
        var parsed = 0
        let inputs = MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 5))
        for (index, input) in inputs.enumerated() {
            do throws(RTPError) {
                let (descriptor, byteCount) = try vp8Descriptor(at: input.span)
                parsed += 1
                #expect(byteCount < input.count, "input \(index)")
                #expect((1...6).contains(byteCount), "input \(index)")
                let again = try vp8Descriptor(at: (written(descriptor) + [0]).span)
                #expect(again.descriptor == descriptor, "input \(index)")
                let skimmed = try VP8PayloadDescriptor.skim(input.span)
                #expect(skimmed == (descriptor.startsFrame, byteCount), "input \(index)")
            } catch {
                #expect(throws: error, "input \(index)") { _ = try VP8PayloadDescriptor.skim(input.span) }
                switch error {
                case .truncated(let needed, let available): #expect(needed > available, "input \(index)")
                case .emptyPayload: #expect(input.count <= 6, "input \(index)")
                default: Issue.record("input \(index): \(error)")
                }
            }
        }
        #expect((60_000..<99_000).contains(parsed), "\(parsed) of the inputs were descriptors")
    }

    private func written(_ descriptor: VP8PayloadDescriptor) -> [UInt8] {
        [UInt8](capacity: descriptor.byteCount) { output in descriptor.write(into: &output) }
    }
}
