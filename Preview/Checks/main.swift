import Foundation
import RillCore
import Screen

// Checks what is drawn in the window, and where, on a virtual screen. It is a program because tests of this package
// could not be built without those of Rill.

let placement = PlacementChecks()
run("A picture fits the window, centered, or fills it") {
    placement.`A picture fits the window, centered, or fills it`()
}
for (width, height) in [(1920, 1080), (960, 720), (390, 844), (200, 60), (1, 1)] {
    run("A grid has no overlaps, and shows all pictures, \(width)x\(height)") {
        placement.`A grid has no overlaps, and shows all pictures`(width: width, height: height)
    }
}
run("Seventeen pictures have the largest possible size") {
    placement.`Seventeen pictures have the largest possible size`()
}
run("Your own picture is small, in the corner") { placement.`Your own picture is small, in the corner`() }

let window = WindowChecks()
run("A picture has its colors and black bars, or fills the window, I420") {
    try window.`A picture has its colors and black bars, or fills the window`(format: .i420)
}
run("A picture has its colors and black bars, or fills the window, NV12") {
    try window.`A picture has its colors and black bars, or fills the window`(format: .nv12)
}
run("A rotated picture is drawn upright, mirrored too") {
    try window.`A rotated picture is drawn upright, mirrored too`()
}
run("Full range is drawn as full range") { try window.`Full range is drawn as full range`() }
run("Sizes change from frame to frame, with several pictures") {
    try window.`Sizes change from frame to frame, with several pictures`()
}
run("Figures appear in the corner, and disappear") {
    try window.`Figures appear in the corner, and disappear`()
}
run("Keys, clicks and wake-ups are reported") { try window.`Keys, clicks and wake-ups are reported`() }

let tally = Tally.shared
print("\(tally.expectations) expectations in \(tally.checks) checks, \(tally.failures) failed")
exit(tally.failures == 0 && tally.checks == 15 && tally.expectations > 1000 ? 0 : 1)
