import RillBytes
import Testing

@Suite struct SpanCopyingTests {
    private let bytes: [UInt8] = [1, 2, 3, 4, 5]

    @Test func `A copy has the bytes of the view, and outlives it`() {
        var owner = bytes
        let part = owner.span.extracting(1..<4).array
        owner[2] = 99
        #expect(part == [2, 3, 4])
        #expect(Span<UInt8>().array.isEmpty)
    }

    @Test func `Spans are appended completely, empty ones, too`() {
        var target: [UInt8] = [9]
        target.append(copying: bytes.span)
        target.append(copying: Span<UInt8>())
        #expect(target == [9, 1, 2, 3, 4, 5])
        let written = [UInt8](capacity: 7) { output in
            output.append(0)
            output.append(copying: bytes.span)
            output.append(copying: Span<UInt8>())
        }
        #expect(written == [0, 1, 2, 3, 4, 5])
    }

    @Test func `What does not fit is the programmer's mistake`() async {
        await #expect(processExitsWith: .failure) {
            let bytes: [UInt8] = [1, 2, 3]
            _ = [UInt8](capacity: 2) { output in output.append(copying: bytes.span) }
        }
        await #expect(processExitsWith: .failure) {
            var target: [UInt8] = [0, 0, 0]
            var span = target.mutableSpan
            let bytes: [UInt8] = [1, 2, 3]
            span.copy(from: bytes.span, at: 1)
        }
    }

    @Test func `A part of a view is written over`() {
        var target: [UInt8] = [0, 0, 0, 0]
        var span = target.mutableSpan
        span.copy(from: bytes.span.extracting(first: 2), at: 2)
        #expect(target == [0, 0, 1, 2])
    }
}
