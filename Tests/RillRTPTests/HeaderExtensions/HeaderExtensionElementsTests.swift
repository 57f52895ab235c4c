import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct HeaderExtensionElementsTests {
    /// The elements of a block, as `id:data`, and how it ended.
    private func elements(_ profile: UInt16, _ data: [UInt8]) -> (found: [String], error: RTPError?) {
        var elements = RTPHeaderExtension(profile: profile, data: data.span).elements
        var found: [String] = []
        do throws(RTPError) {
            while let element = try elements.next() { found.append("\(element.id):\(element.data.array)") }
            return (found, nil)
        } catch {
            let isOver = (try? elements.next()) == nil  // nothing comes behind an error
            #expect(isOver)
            return (found, error)
        }
    }

    @Test func `The example of RFC 8285 4 2 is read`() {
        // One byte, two bytes, two bytes of padding, four bytes.
        let result = elements(0xBEDE, [0x10, 0xAA, 0x21, 0xBB, 0xBB, 0, 0, 0x33, 0xCC, 0xCC, 0xCC, 0xCC])
        #expect(result.found == ["1:[170]", "2:[187, 187]", "3:[204, 204, 204, 204]"])
        #expect(result.error == nil)
    }

    @Test(arguments: [0x1000, 0x100F] as [UInt16])
    func `The example of RFC 8285 4 3 is read`(profile: UInt16) {
        // No data, one byte, a byte of padding, four bytes.
        let result = elements(profile, [1, 0, 2, 1, 0xBB, 0, 3, 4, 0xCC, 0xCC, 0xCC, 0xCC])
        #expect(result.found == ["1:[]", "2:[187]", "3:[204, 204, 204, 204]"])
        #expect(result.error == nil)
    }

    @Test func `Number 15 and number 0 with a length end a one-byte block`() {
        #expect(elements(0xBEDE, [0x10, 0xAA, 0xF0, 0xBB, 0x20, 0xCC, 0, 0]).found == ["1:[170]"])
        #expect(elements(0xBEDE, [0x10, 0xAA, 0x01, 0xBB, 0x20, 0xCC, 0, 0]).found == ["1:[170]"])
        // In the two-byte form 15 is a number like others.
        #expect(elements(0x1000, [15, 1, 0xAA, 0]).found == ["15:[170]"])
    }

    @Test func `A block of another profile has no elements`() {
        for profile in [0, 0x0FFF, 0x1010, 0xBEDF, 0xFFFF] as [UInt16] {
            #expect(elements(profile, [0x10, 0xAA, 0, 0]).found == [], "\(profile)")
        }
    }

    @Test func `An element longer than its block throws, and the earlier ones are valid`() {
        var result = elements(0xBEDE, [0x10, 0xAA, 0x22, 0xBB])
        #expect(result.found == ["1:[170]"] && result.error == .truncated(needed: 6, available: 4))
        result = elements(0x1000, [1, 0, 2, 2, 0xBB, 0, 0, 3])
        #expect(result.found == ["1:[]", "2:[187, 0]"] && result.error == .truncated(needed: 9, available: 8))
    }

    @Test func `Any bytes are walked to their end`() {
        let seeds: [[UInt8]] = [
            [0x10, 0xAA, 0x21, 0xBB, 0xBB, 0, 0, 0x33, 0xCC, 0xCC, 0xCC, 0xCC],
            [1, 0, 2, 1, 0xBB, 0, 3, 4, 0xCC, 0xCC, 0xCC, 0xCC],
        ]
        var (count, errors) = (0, 0)
        let inputs = MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 60))
        for (index, input) in inputs.enumerated() {
            let data = Array(input.prefix(input.count / 4 * 4))
            var elements = RTPHeaderExtension(profile: index % 2 == 0 ? 0xBEDE : 0x1000, data: data.span).elements
            var byteCount = 0
            do throws(RTPError) {
                while let element = try elements.next() {
                    count += 1
                    byteCount += element.data.count + (index % 2 == 0 ? 1 : 2)
                    #expect(element.id != 0 && (index % 2 == 1 || element.id < 15), "input \(index)")
                }
            } catch {
                errors += 1
            }
            #expect(byteCount <= data.count, "input \(index)")
        }
        #expect(count > 90_000 && errors > 10_000, "\(count) elements, \(errors) errors")
    }
}
