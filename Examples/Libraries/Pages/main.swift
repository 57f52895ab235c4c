// library-pages: RillPages alone. Puts made-up delays on linear and logarithmic axes, and a percentage, on one page.

import RillPages

let points = (0..<600).map { Mark.Point(Double($0) / 10, 20 + Double($0 * 37 % 100) / 7) }
let linear = Plot(
    "Delay", x: .time(0...60), y: Axis("delay", unit: "ms", holding: points.map(\.y)), [.line("delay", .blue, points)])
let logarithmic = Plot(
    "The same", x: .time(0...60), y: .logarithmic("delay", unit: "ms", 1...100), [.scatter("delay", .orange, points)])
let page = Page(title: "A call", body: [linear.html, logarithmic.html, .paragraph(Decimal.percent(0.1234))])
let plots = page.source.split(separator: "<figure").count - 1
print("a page of \(plots) plots, \(page.source.contains("12.3 %") ? "with" : "without") the percentage 12.3 %")
