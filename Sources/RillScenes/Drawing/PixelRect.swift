/// A rectangle of pixels of a frame.
package struct PixelRect: Hashable, Sendable {
    /// The columns of luma.
    package var columns: Range<Int>
    /// The rows of luma.
    package var rows: Range<Int>

    package init(columns: Range<Int>, rows: Range<Int>) {
        self.columns = columns
        self.rows = rows
    }

    /// Whether it contains no pixel.
    package var isEmpty: Bool { columns.isEmpty || rows.isEmpty }
}
