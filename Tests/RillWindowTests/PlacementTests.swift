#if Window
import RillWindow
import Testing

@Suite struct PlacementTests {
    @Test func `A picture fits the window, centered, or fills it`() {
        let window = Area(x: 0, y: 0, width: 1000, height: 500)
        #expect(Scaling.fit.area(of: 640, 480, in: window) == Area(x: 166, y: 0, width: 667, height: 500))
        #expect(Scaling.fill.area(of: 640, 480, in: window) == Area(x: 0, y: -125, width: 1000, height: 750))
        #expect(Scaling.fit.area(of: 480, 640, in: window) == Area(x: 312, y: 0, width: 375, height: 500))
        #expect(Scaling.fit.area(of: 2000, 100, in: window) == Area(x: 0, y: 225, width: 1000, height: 50))
        // With the same aspect ratio, both fill the area exactly.
        for scaling in [Scaling.fit, .fill] {
            #expect(scaling.area(of: 640, 320, in: window) == window)
            #expect(
                scaling.area(of: 333, 250, in: Area(x: 7, y: 9, width: 666, height: 500))
                    == Area(x: 7, y: 9, width: 666, height: 500))
        }
        // An empty picture or an empty area: no division by zero.
        #expect(Scaling.fit.area(of: 0, 0, in: window) == window)
        #expect(Scaling.fill.area(of: 640, 480, in: Area(x: 0, y: 0, width: 0, height: 10)).width == 0)
    }

    @Test(arguments: zip([1920, 960, 390, 200, 1], [1080, 720, 844, 60, 1]))
    func `A grid has no overlaps, and shows all pictures`(width: Int, height: Int) {
        for count in 1...40 {
            for arrangement in [Arrangement.grid, .one(0), .one(count - 1)] {
                let areas = arrangement.areas(count, width: width, height: height)
                #expect(areas.count == count)
                for (index, area) in areas.enumerated() {
                    #expect(
                        area.x >= 0 && area.y >= 0 && area.x + area.width <= width && area.y + area.height <= height)
                    for other in areas[(index + 1)...] {
                        let isApart =
                            area.x + area.width <= other.x || other.x + other.width <= area.x
                            || area.y + area.height <= other.y || other.y + other.height <= area.y
                        #expect(isApart, "\(arrangement) of \(count) in \(width)x\(height): \(area), \(other)")
                    }
                }
            }
        }
        #expect(Arrangement.grid.areas(0, width: width, height: height).isEmpty)
    }

    @Test func `Seventeen pictures have the largest possible size`() {
        let areas = Arrangement.grid.areas(17, width: 1280, height: 720)
        #expect(areas[0].width == 256 && areas[0].height == 180, "five columns, four rows")
        // The last row is centered.
        #expect(areas[15].x == 384 && areas[16].x == 640)
        let one = Arrangement.one(3).areas(17, width: 1280, height: 720)
        #expect(one[3] == Area(x: 0, y: 0, width: 1280, height: 576) && one[0].y == 576 && one[16].width == 80)
    }

    @Test func `Your own picture is small, in the corner`() {
        let areas = Arrangement.inset.areas(2, width: 1000, height: 600)
        #expect(areas[0] == Area(x: 0, y: 0, width: 1000, height: 600))
        #expect(areas[1] == Area(x: 730, y: 430, width: 250, height: 150))
        #expect(Arrangement.inset.areas(1, width: 10, height: 10).count == 1)
    }
}
#endif
