import RillCore

/// A wooden bookshelf on the left, with books and titles on their spines.
struct Bookshelf {
    private struct Book {
        var box: Box
        var color: RGB
        var ink: RGB
        var title: String
        var band: Bool
    }

    private static let right: Float = -0.395
    private static let left: Float = -2.6
    private static let boards: [Float] = [0.075, 0.365, 0.655, 0.945]
    private static let thickness: Float = 0.017
    private static let wood = RGB(srgb: 0xB08A5E)

    private let books: [Book]
    private let grain: ValueNoise

    init(seed: UInt64) {
        grain = ValueNoise(seed: seed, 31)
        var generator = SeededGenerator(seed: seed ^ 0xB00C)
        var books: [Book] = []
        var title = 0
        for floor in Bookshelf.boards.dropFirst() {
            var right = Bookshelf.right - 0.022
            while right > Bookshelf.left {
                if generator.between(0, 1) < 0.10 { right -= generator.between(0.03, 0.09) }
                let width = generator.between(0.026, 0.050)
                let height = generator.between(0.175, 0.245)
                let code = Bookshelf.covers[Int(generator.between(0, Float(Bookshelf.covers.count) - 0.01))]
                let color = RGB(srgb: code)
                let ink = color.luminance > 0.25 ? RGB(srgb: 0x2B2A2E) : RGB(srgb: 0xEFE3C2)
                books.append(
                    Book(
                        box: Box(right - width, floor - height, right, floor), color: color, ink: ink,
                        title: Bookshelf.titles[title % Bookshelf.titles.count], band: generator.between(0, 1) < 0.5))
                title += 1
                right -= width + 0.0015
            }
        }
        self.books = books
    }

    func paint(on canvas: inout Canvas) {
        paintCase(on: &canvas)
        for book in books { paint(book, on: &canvas) }
        for board in Bookshelf.boards.dropLast() {
            // The shadow under each board.
            let box = Box(Bookshelf.left, board + Bookshelf.thickness, Bookshelf.right - 0.018, board + 0.11)
            canvas.tint(box) { p in mix(RGB(0.36, 0.34, 0.34), .clear, ramp(-0.01, 0.095, p.y - box.low.y)) }
        }
        let side = Box(Bookshelf.right - 0.075, Bookshelf.boards[0], Bookshelf.right - 0.018, 1.2)
        canvas.tint(side) { p in mix(RGB(0.70, 0.68, 0.68), .clear, ramp(0, -0.055, p.x - side.high.x)) }
    }

    private func paintCase(on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        let top = Bookshelf.boards[0]
        // Its shadow on the wall.
        canvas.tint(Box(Bookshelf.right, top, Bookshelf.right + 0.05, 1.2)) { p in
            mix(RGB(0.72, 0.72, 0.74), .clear, ramp(0, 0.045, p.x - Bookshelf.right + 0.25 * max(0, 0.12 + top - p.y)))
        }
        let back = Box(Bookshelf.left, top, Bookshelf.right, 1.2)
        canvas.paint(back) { p in
            Paint(Bookshelf.wood * 0.30, coverage: coverage(roundedBox(p, back, radius: 0), pixel))
        }
        let panel = Box(Bookshelf.right - 0.018, top, Bookshelf.right, 1.2)
        canvas.paint(panel) { p in
            let figure = grain.layered(Point(p.x * 160, p.y * 9), octaves: 3)
            let color = Bookshelf.wood * (0.98 + 0.16 * figure)
            return Paint(color, coverage: coverage(roundedBox(p, panel, radius: 0.002), pixel))
        }
        for board in Bookshelf.boards {
            let box = Box(Bookshelf.left, board, Bookshelf.right, board + Bookshelf.thickness)
            canvas.paint(box.grown(by: 0.002)) { p in
                let figure = grain.layered(Point(p.x * 8, p.y * 150 + board * 40), octaves: 3)
                let bevel = 0.10 * ramp(0.004, 0, p.y - board)
                let color = Bookshelf.wood * (0.88 + 0.16 * figure + bevel)
                return Paint(color, coverage: coverage(roundedBox(p, box, radius: 0.002), pixel))
            }
        }
    }

    private func paint(_ book: Book, on canvas: inout Canvas) {
        let pixel = canvas.pixelSize
        let box = book.box
        let width = box.high.x - box.low.x
        let height = box.high.y - box.low.y
        canvas.paint(box.grown(by: pixel)) { p in
            // A spine is round: bright on the left, dark on the right.
            let u = (p.x - box.centre.x) / width
            let round = 0.78 - 0.55 * u - 1.1 * u * u
            let cloth = 1 + 0.06 * grain(p * 350) * visibility(period: 1 / 175, pixel)
            let fromTop = (p.y - box.low.y) / height
            let inBand = book.band && (abs(fromTop - 0.10) < 0.012 || abs(fromTop - 0.90) < 0.012)
            let color = (inBand ? book.ink * 0.85 : book.color) * max(0.2, round) * cloth
            return Paint(color, coverage: coverage(roundedBox(p, box, radius: 0.003), pixel))
        }
        let letters = min(width * 0.46, height * 0.72 / BitmapFont.width(of: book.title))
        let length = BitmapFont.width(of: book.title) * letters
        let start = Point(box.centre.x + letters * 0.5, box.low.y + (height - length) * 0.5)
        canvas.write(book.title, at: start, height: letters, direction: Point(0, 1), book.ink * 0.85, opacity: 0.9)
    }

    private static let covers: [UInt32] = [
        0x7D2E2A, 0x2F4858, 0x3B5B45, 0xC9B48A, 0x33334E, 0xB8642C, 0xD8D2C4, 0x56707E, 0x6B4A63, 0x1F2A2E, 0xC2912F,
        0x8A8D85,
    ]
    private static let titles = [
        "RIVERS", "LIGHT & LENS", "SIGNALS", "THE CODEC", "NOISE", "COLOUR", "SMALL BIRDS", "NETWORKS", "PACKETS",
        "A QUIET ROOM", "SWIFT", "TIME & CLOCKS", "WATER", "PORTRAITS", "JITTER", "HANDS", "QUEUES", "FABRICS", "MAPS",
        "STREAMS",
    ]
}
