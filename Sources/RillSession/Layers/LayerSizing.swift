package import RillCore

/// Chooses the layer that is large enough for where it is shown.
package enum LayerSizing {
    /// The smallest layer that need not be magnified much; where none is so large, the largest.
    ///
    /// While a window is dragged its size hovers: a smaller layer is taken only when it is clearly enough.
    ///
    /// - Parameters:
    ///   - shown: the size of the place where it is shown, in pixels.
    ///   - sizes: of the layers, in any order; at least one.
    ///   - current: the layer that is chosen now.
    package static func layer(for shown: Resolution, of sizes: [Resolution], current: Int?) -> Int {
        let order = sizes.indices.sorted { area(sizes[$0]) < area(sizes[$1]) }
        for layer in order {
            let isSmaller = current.map { area(sizes[layer]) < area(sizes[$0]) } ?? false
            if magnification(of: sizes[layer], in: shown) <= (isSmaller ? stepDown : most) { return layer }
        }
        return order.last ?? 0
    }

    /// A picture that is magnified more than so much looks soft.
    private static let most = 1.5
    private static let stepDown = 1.25

    /// By how much a picture is magnified that fills the place in one direction.
    private static func magnification(of size: Resolution, in shown: Resolution) -> Double {
        guard size.width > 0, size.height > 0 else { return .infinity }
        return min(Double(shown.width) / Double(size.width), Double(shown.height) / Double(size.height))
    }

    private static func area(_ size: Resolution) -> Int { size.width * size.height }
}
