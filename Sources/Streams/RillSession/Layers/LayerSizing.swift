package import RillCore

/// Chooses the layer that is large enough for its display size.
package enum LayerSizing {
    /// Returns the smallest layer that need not be enlarged much; if none is large enough, the largest.
    ///
    /// While a window is dragged its size fluctuates, so a smaller layer is only chosen if it is clearly large
    /// enough.
    ///
    /// - Parameters:
    ///   - shown: the display size, in pixels.
    ///   - sizes: the sizes of the layers, in any order; at least one.
    ///   - current: the layer that is chosen now.
    /// - Returns: the index of the layer.
    package static func layer(for shown: Resolution, of sizes: [Resolution], current: Int?) -> Int {
        let order = sizes.indices.sorted { area(sizes[$0]) < area(sizes[$1]) }
        for layer in order {
            let isSmaller = current.map { area(sizes[layer]) < area(sizes[$0]) } ?? false
            if magnification(of: sizes[layer], in: shown) <= (isSmaller ? stepDown : most) { return layer }
        }
        return order.last ?? 0
    }

    /// A picture that is enlarged more than this looks soft.
    private static let most = 1.5
    private static let stepDown = 1.25

    /// By how much a picture is enlarged that fills the display size in one direction.
    private static func magnification(of size: Resolution, in shown: Resolution) -> Double {
        guard size.width > 0, size.height > 0 else { return .infinity }
        return min(Double(shown.width) / Double(size.width), Double(shown.height) / Double(size.height))
    }

    private static func area(_ size: Resolution) -> Int { size.width * size.height }
}
