/// How far each cell's luma is from the mean around it: the texture of what has the colour of skin.
///
/// Not the variance: that grows with any slope of light, of which faces have many, and needs squares. The distance to the
/// mean of a symmetrical neighbourhood is 0 on a slope, and fits a byte.
enum DeviationKernel {
    /// More counts as this much: nine of them still fit a byte.
    static let greatest: UInt8 = 28

    /// Also puts the cells' own luma in the place of the mean where sixteen cells in a row are no skin at all: nothing was
    /// summed there.
    static func run(
        luma: borrowing CellPlane, mean: borrowing CellPlane, likelihood: borrowing CellPlane,
        to deviation: borrowing CellPlane
    ) {
        for y in 0..<luma.height {
            let (luma, mean, likelihood, output) = (luma.row(y), mean.row(y), likelihood.row(y), deviation.row(y))
            for vector in 0..<deviation.vectorCount {
                let x = 16 * vector
                let likely = likelihood[bytes: x]
                if likely.isZero {
                    mean[bytes: x] = luma[bytes: x]
                    output[bytes: x] = .zero
                } else {
                    let distance = luma[bytes: x].distance(to: mean[bytes: x]).smaller(Bytes(repeating: greatest))
                    output[bytes: x] = distance.replacing(with: Bytes.zero, where: likely .== Bytes.zero)
                }
            }
        }
    }

    static func reference(luma: UInt8, mean: UInt8, likelihood: UInt8) -> UInt8 {
        likelihood == 0 ? 0 : min(greatest, luma > mean ? luma - mean : mean - luma)
    }
}
