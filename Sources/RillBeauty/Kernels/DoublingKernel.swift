/// Brings statistics of four cells back to each of them: every number twice across, every row twice down.
enum DoublingKernel {
    static func run(_ source: borrowing CellPlane, to target: borrowing CellPlane) {
        for y in 0..<target.height {
            let (input, output) = (source.row(y / 2), target.row(y))
            for vector in 0..<source.vectorCount {
                let numbers = input[bytes: 16 * vector]
                let (first, second) = numbers.interleaved(with: numbers)
                output[bytes: 32 * vector] = first
                // The target's last vector may have ended there; its padding takes a vector more.
                output[bytes: 32 * vector + 16] = second
            }
        }
    }

    static func reference(_ source: borrowing CellPlane, _ x: Int, _ y: Int) -> UInt8 { source.row(y / 2)[x / 2] }
}
