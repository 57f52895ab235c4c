import RillCore

/// A painted picture that fills the frame and does not move, ready to be copied.
struct Backdrop {
    private let luma: [UInt8]
    private let u: [UInt8]
    private let v: [UInt8]

    /// Paints a room for a picture. Odd sizes are painted to the next even one.
    init(_ framing: Framing, _ room: Room) {
        let resolution = framing.resolution
        let chroma = resolution.chroma
        let step = framing.pixel
        let side = supersampling(texel: step)
        let grid = Grid(
            origin: framing.scene(.zero), step: step, columns: 2 * chroma.width, rows: 2 * chroma.height)
        var y = [UInt8](repeating: 16, count: resolution.pixelCount)
        var u = [UInt8](repeating: 128, count: chroma.pixelCount)
        var v = u
        grid.paintInBands(side: side, room.paint) { canvas, firstRow in
            for row in 0..<canvas.grid.rows / side {
                for column in 0..<resolution.width where firstRow + row < resolution.height {
                    let values = canvas.codeValues(column: column, row: row, side: side)
                    y[(firstRow + row) * resolution.width + column] = UInt8(values.x + 0.5)
                }
            }
            for row in 0..<canvas.grid.rows / side / 2 {
                for column in 0..<chroma.width {
                    let mean = canvas.codeValues(column: column, row: row, side: 2 * side) + 0.5
                    u[(firstRow / 2 + row) * chroma.width + column] = UInt8(mean.y)
                    v[(firstRow / 2 + row) * chroma.width + column] = UInt8(mean.z)
                }
            }
        }
        self.luma = y
        self.u = u
        self.v = v
    }

    /// Fills a frame of the backdrop's size.
    func copy(to planes: inout MutablePlanes) {
        Backdrop.copy(luma, to: &planes.y)
        Backdrop.copy(u, to: &planes.u)
        Backdrop.copy(v, to: &planes.v)
    }

    private static func copy(_ bytes: [UInt8], to plane: inout MutablePlane) {
        for row in 0..<plane.height {
            let start = row * plane.width
            plane.bytes.copy(from: bytes.span.extracting(start..<start + plane.width), at: row * plane.stride)
        }
    }
}
