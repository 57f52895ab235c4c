/// What is measured around each cell: the mean of luma, and how far luma is from it.
///
/// The grid is that of the mask, or, where time is short, one of half as many cells each way.
final class CellStatistics {
    /// The cells' own luma, and how much they are skin by their colour.
    let luma, likelihood: CellPlane
    /// Luma's mean around each cell, the distance to it, the sum of nine distances, and the mean of many in sixteenths.
    let mean, deviation, edges, texture: CellPlane
    let sums: ColumnSums

    private let lumaMean: BoxKernel
    private let edgeSum = BoxKernel(sumOverRadius: 1)
    private let textureMean: BoxKernel

    /// - Parameter radius: how many cells around a cell its mean takes in.
    init(width: Int, height: Int, radius: Int) {
        func plane() -> CellPlane { CellPlane(width: width, height: height) }
        luma = plane()
        likelihood = plane()
        mean = plane()
        deviation = plane()
        edges = plane()
        texture = plane()
        sums = ColumnSums(width: width)
        lumaMean = BoxKernel(meanOverRadius: radius)
        textureMean = BoxKernel(sixteenthsOverRadius: 2 * radius)
    }

    /// Measures means and edges.
    func measureEdges() {
        lumaMean.run(luma, to: mean, sums: sums, where: likelihood)
        DeviationKernel.run(luma: luma, mean: mean, likelihood: likelihood, to: deviation)
        edgeSum.run(deviation, to: edges, sums: sums, where: likelihood)
    }

    /// Measures texture, after the edges.
    func measureTexture() {
        textureMean.run(deviation, to: texture, sums: sums, where: likelihood)
    }
}
